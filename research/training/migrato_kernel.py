"""The C++ kernel of Migrato: its rules, `heuristic`, inputs and nets as a library to be compared."""

import ctypes
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from domain.migrato.rules.cards import NAME
from domain.migrato.rules.moves import (
    RETURN,
    Abandon,
    Exchange,
    Move,
    MoveCards,
    Pass,
    Play,
    PlayDanger,
)
from domain.migrato.rules.state import State, setup_of
from research.training.kernel import Numbers, array, by_input, compiled_library

FACES: Final = len(NAME)
NEW_COLUMN: Final = 4


def numbers_of(state: State) -> list[int]:
    """A game that waits for an action or a discard, as the kernel reads it."""
    rules = setup_of(state).rules
    assert state.to_act is not None
    counts = dict(rules.deck_list)
    numbers = [
        rules.book == "opla",
        rules.return_flight,
        rules.last_turn,
        *[counts.get(f, 0) for f in range(FACES)],
    ]
    return [*map(int, numbers), *_table(state, state.to_act)]


def table_of(state: State, to_act: int) -> list[int]:
    """The table alone, as the kernel writes it, and whether the game is over."""
    return [*_table(state, to_act), int(state.result is not None)]


def _table(state: State, to_act: int) -> list[int]:
    discarded = [state.discard_pile.count(face) for face in range(FACES)]
    numbers = [to_act, state.turn, len(state.deck), *state.deck, *discarded]
    for player in state.players:
        for pile in (player.hand, *player.columns, *player.arrivals):
            numbers += [len(pile), *pile]
        numbers += [player.landed, player.flights]
    return numbers


def action_of(move: Move) -> Numbers:
    """A move as the kernel writes it: kind, card, slot, index, target, uncover, returns."""
    match move:
        case Play(card, slot, choice):
            return 0, card, NEW_COLUMN if slot is None else slot, 0, 0, 0, int(choice == RETURN)
        case MoveCards(source, index, target, uncover, choice):
            to = NEW_COLUMN if target is None else target
            return 1, 0, source, index, to, int(uncover), int(choice == RETURN)
        case PlayDanger(card, slot, pile):
            return (2, card, slot, 0, 0, 0, 0) if slot is not None else (3, card, pile or 0, 0, 0, 0, 0)
        case Exchange():
            return 4, 0, 0, 0, 0, 0, 0
        case Abandon(slot):
            return 5, 0, slot, 0, 0, 0, 0
        case Pass():
            return 6, 0, 0, 0, 0, 0, 0
        case _:
            raise ValueError(f"no action: {move}")


class Kernel:
    """The kernel's rules, `heuristic`, inputs and nets."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(str(compiled_library("migrato/checking.cpp")))
        self.inputs: int = self._library.number_of_inputs()
        self._library.logit.restype = ctypes.c_float

    def legal_actions(self, state: State) -> set[Numbers]:
        """Every legal action of the seat to act."""
        out = (ctypes.c_int * (256 * 7))()
        count = self._library.legal(array(numbers_of(state)), out)
        return {tuple(out[at * 7 : at * 7 + 7]) for at in range(count)}

    def bots_action(self, bot: str, state: State) -> Numbers:
        """The choice of the kernel's `heuristic` or `greedy`."""
        out = (ctypes.c_int * 7)()
        self._library.bots_action(array(numbers_of(state)), bot == "greedy", out)
        return tuple(out)

    def bots_discard(self, bot: str, state: State) -> int:
        """The card that it discards in a game that waits for that."""
        card: int = self._library.bots_discard(array(numbers_of(state)), bot == "greedy")
        return card

    def after_turn(self, state: State, action: Numbers, discard: int) -> list[int] | None:
        """The table after the action, the discard (0: none) and the draw; None if the deck has to be shuffled."""
        out = (ctypes.c_int * 2000)()
        count = self._library.after_turn(array(numbers_of(state)), array(action), discard, out)
        return None if count < 0 else list(out[:count])

    def net_inputs(
        self,
        state: State,
        action: Numbers,
        discard: int,
        closed: Sequence[int],
        *,
        weak_opponent: bool = False,
    ) -> Mapping[int, int]:
        """Inputs of the net for the moment after action and discard."""
        out = (ctypes.c_int * 1000)()
        game = array(numbers_of(state))
        count = self._library.inputs(game, array(action), discard, array(closed), weak_opponent, out)
        return by_input(out, count)

    def standard_list(self) -> Mapping[str, int]:
        """Number of cards of each face in the trainer's standard list."""
        return self._deck_list(0, near=False)

    def drawn_list(self, seed: int, *, near: bool) -> Mapping[str, int]:
        """A list that the trainer may draw: of any kind, or near the standard one; the seed is at least 1."""
        return self._deck_list(seed, near=near)

    def _deck_list(self, seed: int, *, near: bool) -> Mapping[str, int]:
        out = (ctypes.c_int * FACES)()
        self._library.deck_list(seed, near, out)
        return {name: count for name, count in zip(NAME, out, strict=True) if count}

    def logit(self, net: Path, told: Mapping[int, int]) -> float:
        """Output of a net of the trainer's, in floats, for given inputs."""
        pairs = array(list(chain.from_iterable(told.items())))
        logit: float = self._library.logit(str(net).encode(), pairs, len(told))
        return logit
