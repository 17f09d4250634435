"""Whole games and positions in the middle of games, played by sensible bots with some random moves between."""

import random
from collections.abc import Iterator
from typing import Any

from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import Event
from domain.migrato.rules.moves import Move
from domain.migrato.rules.state import INITIAL, State, evolve, fold

SEATS = (Seat("human", "ada"), Seat("human", "bob"))
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"rules": "opla"},
    {"return_flight": True},
    {"rules": "opla", "return_flight": True, "memory_aid": True, "first_seat": "random"},
)


def chance_of(seed: int) -> SeededChance:
    """A chance of its own for every seed."""
    return SeededChance(seed.to_bytes(32, "big"), "test")


def start(seed: int, options: dict[str, Any]) -> tuple[State, list[Event]]:
    """A game just dealt."""
    events = decide(INITIAL, None, Create("test", "c", options, SEATS), chance_of(seed))
    return fold(INITIAL, events), events


def next_move(state: State, rng: random.Random, wild: float) -> Move:
    """A bot's move, or with probability `wild` any legal move."""
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    move: Move = BOTS["random" if rng.random() < wild else "heuristic"].choose(seen, rng)
    return move


def positions(seed: int, options: dict[str, Any], moves: int, wild: float = 0.3) -> Iterator[State]:
    """Every state between events of one game, up to `moves` moves."""
    state, _ = start(seed, options)
    rng, chance = random.Random(seed), chance_of(seed)
    yield state
    for _ in range(moves):
        if state.to_act is None:
            return
        for event in decide(state, state.to_act, next_move(state, rng, wild), chance):
            state = evolve(state, event)
            yield state


def position(seed: int, options: dict[str, Any], moves: int) -> State:
    """The state after so many moves, or at the end if that comes before."""
    state, _ = start(seed, options)
    rng, chance = random.Random(seed), chance_of(seed)
    for _ in range(moves):
        if state.to_act is None:
            break
        state = fold(state, decide(state, state.to_act, next_move(state, rng, 0.3), chance))
    return state
