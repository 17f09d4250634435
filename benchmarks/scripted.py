"""Scripted games: prepared decks and the moves that two heuristic players make on them, found without a server.

A script ends before the deck runs out, because a reshuffle comes from the server's own seed: after some 22 turns, where
a whole game has some 50. Every second one ends with a resignation, so that games end about as often as real ones do.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.playouts import QuickChance
from domain.errors import DomainError
from domain.lifecycle import Create, Json, Seat
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.codec.move_codec import move_document
from domain.migrato.rules.cards import names
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import Discard, MoveCards, Play, PlayDanger
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import DISCARD, INITIAL, State, fold

SEATS = (Seat("human", "ada"), Seat("human", "bob"))


@dataclass(frozen=True, slots=True)
class Script:
    """A deck order and what is posted on it: (seat, move document), a whole turn in each."""

    deck: list[str]
    moves: list[tuple[int, Json]]


def scripts(count: int, seed: int) -> Iterator[Script]:
    """So many scripted games, the same for the same seed."""
    for number in range(count):
        yield _script(random.Random(f"{seed}/{number}"), ends=number % 2 == 1)


def _script(rng: random.Random, ends: bool) -> Script:
    deck = list(names(resolve({}).deck))
    rng.shuffle(deck)
    chance = QuickChance(rng)
    state = fold(INITIAL, decide(INITIAL, None, Create("g", "c", {}, SEATS, {"deck": deck}), chance))
    moves: list[tuple[int, Json]] = []
    while state.to_act is not None and len(state.deck) >= 3:
        seat = state.to_act
        state, document = _turn(state, seat, chance)
        moves.append((seat, document))
    if ends and state.to_act is not None:
        moves.append((state.to_act, {"type": "resign"}))
    return Script(deck, moves)


def _turn(state: State, seat: int, chance: QuickChance) -> tuple[State, Json]:
    """A heuristic player's action with its discard as one document where that can be, and the state after it."""
    heuristic, rng = BOTS["heuristic"], random.Random(0)
    move = heuristic.choose(observe(state, seat), rng)
    after = fold(state, decide(state, seat, move, chance))
    if isinstance(move, Play | MoveCards | PlayDanger) and after.phase is DISCARD:
        discard = heuristic.choose(observe(after, seat), rng)
        assert isinstance(discard, Discard)
        for card in (discard.card, *after.players[seat].hand):
            whole = move._replace(discard=card)
            try:
                return fold(state, decide(state, seat, whole, chance)), move_document(whole)
            except DomainError:
                continue  # a stolen face-down card cannot be named before it is seen
    return after, move_document(move)
