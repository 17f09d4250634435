"""The search knows no game: here it plays one of a few lines, with a hidden card."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from domain.bot import Budget, Choice, never
from domain.prng import Prng
from domain.search.ismcts import search
from domain.search.ports import Ended, Imagination, Position

SEED = 5


class Heap(Position):
    """Take 1 to 3 of so many stones; whoever takes the last one wins. `gift`: taking 3 wins at once."""

    def __init__(self, seat: int, turn: int, stones: int, gift: bool = False) -> None:
        super().__init__(seat, turn, 0.0)
        self._stones, self._gift = stones, gift

    def moves(self) -> list[Any]:
        return list(range(1, min(3, self._stones) + 1))

    def key(self, move: Any) -> int:
        number: int = move
        return number

    def win_probability(self) -> float:
        return 0.5

    def worth(self, move: Any) -> float:
        return 0.0

    def after(self, move: Any) -> Position:
        if move == self._stones or (move == 3 and self._gift):
            return Ended(self.seat)
        return Heap(1 - self.seat, self.turn + 1, self._stones - move)


class Guess(Imagination):
    """So many stones, and a gift with this probability."""

    def __init__(self, stones: int, gift: float = 0.0) -> None:
        self._stones, self._likely, self._rng = stones, gift, Prng(SEED)

    def sample(self) -> Position:
        return Heap(0, 1, self._stones, self._rng.random() < self._likely)

    def values(self, moves: Sequence[Any]) -> list[float]:
        return [float(move) for move in moves]


def _choice(stones: int, gift: float = 0.0, budget: Budget | None = None) -> Choice:
    moves = list(range(1, min(3, stones) + 1))
    return search(0, moves, Guess(stones, gift), budget or Budget(iterations=600), never)


@pytest.mark.parametrize("stones", [2, 3, 5, 6, 7])
def test_the_winning_move_is_found(stones: int) -> None:
    """The opponent is left a multiple of four stones, or none."""
    choice = _choice(stones)
    assert choice.move == stones % 4
    assert choice.considered[0].win_probability > 0.7
    assert choice.considered[0].value == choice.move


def test_what_is_hidden_is_reckoned_with() -> None:
    """Of five stones one is to be taken, unless three are likely to win at once."""
    assert _choice(5, gift=0.1).move == 1
    assert _choice(5, gift=0.95).move == 3


def test_a_search_ends_when_nothing_can_change_any_more() -> None:
    """Unless all iterations are asked for; and a stop ends it at once."""
    budget = Budget(iterations=600)
    assert _choice(3, budget=budget).iterations < 600
    assert _choice(3, budget=Budget(iterations=600, exact=True)).iterations == 600
    assert search(0, [1, 2, 3], Guess(3), budget, lambda: True).iterations == 1


def test_the_same_seed_gives_the_same_choice() -> None:
    """With every number."""
    assert _choice(7, gift=random.Random(SEED).random()) == _choice(7, gift=random.Random(SEED).random())
