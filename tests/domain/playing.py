"""Whole games and positions in the middle of games, played by sensible bots with some random moves between."""

import random
from collections.abc import Iterator
from typing import Any, Final

from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.rules.cards import STANDARD
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
FAR_DECK_LISTS: Final[dict[str, dict[str, int]]] = {  # legal ones, as unlike the standard one as they come
    "small": {"G3d": 5, "G3n": 4, "K2d": 8, "S6n": 8, "B4d": 8, "T2n": 4, "HUN": 2},
    "five-faces": {"G9d": 54, "K9d": 54, "S9n": 54, "B9d": 30, "T9n": 8},
    "no-dangers": {"G5d": 54, "G1n": 5, "K4d": 20, "S1n": 40, "B1d": 30, "T1d": 30},
    "dangers": {"G5d": 40, "G1n": 5, "K4d": 20, "S1n": 40, "B1d": 30, "T1d": 30, "HAB": 20, "LIG": 15},
    "steep": {"G4d": 28, "K3d": 22, "S3n": 22, "B2d": 16, "T3n": 10, "HUN": 10},
    "one-species": {"G3d": 5, "K3d": 4, "S3n": 4, "B3d": 3, "T5d": 50, "T1d": 50, "T9n": 40, "HUN": 4},
    "scarce": {
        "G6d": 5, "K4d": 2, "K2d": 2, "S6n": 20, "S2n": 12, "B3d": 3, "T4d": 20, "T1n": 12, "HUN": 20, "LIG": 18,
    },
    "half-dangers": {
        "G5d": 8, "G3n": 6, "K4d": 9, "S5n": 8, "S2n": 4, "B3d": 6, "T4d": 4, "HUN": 20, "HAB": 15, "LIG": 10,
    },
    "threefold": {face: 3 * count for face, count in STANDARD.items()},
}  # fmt: skip
FAR_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    name: {"deck_list": deck_list} for name, deck_list in FAR_DECK_LISTS.items()
}


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
