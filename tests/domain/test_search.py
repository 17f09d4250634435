"""The search knows no game: here it plays one of a few lines, with a hidden card."""

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from typing import Any

import pytest

from domain.bot import Budget, Choice, never
from domain.prng import Prng
from domain.search.ismcts import search
from domain.search.ports import Ended, Imagination, Position

pytestmark = pytest.mark.plain  # no class of Python can have a compiled one for its base
SEED = 5


class Toy(Position):
    """Moves are numbers, and the seats alike."""

    def key(self, move: Any) -> int:
        number: int = move
        return number

    def win_probability(self, seat: int) -> float:
        return 0.5

    def worth(self, move: Any) -> float:
        return self.logit


class Heap(Toy):
    """Take 1 to 3 of so many stones; whoever takes the last one wins. `gift`: taking 3 wins at once."""

    def __init__(self, seat: int, turn: int, stones: int, gift: bool = False) -> None:
        super().__init__(seat, turn, 0.0)
        self._stones, self._gift = stones, gift

    def moves(self) -> list[Any]:
        return list(range(1, min(3, self._stones) + 1))

    def after(self, move: Any) -> Position:
        if move == self._stones or (move == 3 and self._gift):
            return Ended((1, 2) if self.seat == 0 else (2, 1))
        return Heap(1 - self.seat, self.turn + 1, self._stones - move)


class Guess(Imagination):
    """So many stones, and a gift with this probability."""

    def __init__(self, stones: int, gift: float = 0.0) -> None:
        super().__init__(2)
        self._stones, self._likely, self._rng = stones, gift, Prng(SEED)

    def sample(self) -> Position:
        return Heap(0, 1, self._stones, self._rng.random() < self._likely)

    def values(self, moves: Sequence[Any]) -> list[float]:
        return [float(move) for move in moves]


def _choice(stones: int, gift: float = 0.0, budget: Budget | None = None) -> Choice:
    moves = list(range(1, min(3, stones) + 1))
    return search(0, moves, Guess(stones, gift), budget or Budget(iterations=600), never)


def test_the_winning_move_is_found() -> None:
    """The opponent is left a multiple of four stones, or none. Of five stones three are to be taken if these are likely
    to win at once.
    """
    for stones in (2, 3, 5, 6, 7):
        choice = _choice(stones)
        assert choice.move == stones % 4
        assert choice.considered[0].win_probability > 0.7
        assert choice.considered[0].value == choice.move
    assert _choice(5, gift=0.1).move == 1
    assert _choice(5, gift=0.95).move == 3


def test_a_search_ends_when_nothing_can_change_any_more() -> None:
    """Unless all iterations are asked for; and a stop ends it at once. The same seed gives the same in every number."""
    budget = Budget(iterations=600)
    assert _choice(3, budget=budget).iterations < 600
    assert _choice(3, budget=Budget(iterations=600, exact=True)).iterations == 600
    assert search(0, [1, 2, 3], Guess(3), budget, lambda: True).iterations == 1
    assert _choice(7, gift=0.6) == _choice(7, gift=0.6)


class Lot(Toy):
    """Each of four seats chooses one of three doors, in turn, twice; then the winner is drawn by lot."""

    def __init__(self, seat: int, turn: int, rng: Prng) -> None:
        super().__init__(seat, turn, log(1 / 3))
        self._rng = rng

    def moves(self) -> list[Any]:
        return [1, 2, 3]

    def win_probability(self, seat: int) -> float:
        return 0.25

    def after(self, move: Any) -> Position:
        if self.turn < 8:
            return Lot((self.seat + 1) % 4, self.turn + 1, self._rng)
        winner = self._rng.randrange(4)
        return Ended([1 if seat == winner else 2 for seat in range(4)])


class Pact(Toy):
    """Seat 0 shares the victory with both others, or lets seat 1 share it with seat 0 or crown seat 2."""

    def __init__(self, asked: bool = False) -> None:
        super().__init__(int(asked), 1 + asked, log(1 / 2))

    def moves(self) -> list[Any]:
        return [1, 2]

    def win_probability(self, seat: int) -> float:
        return 1 / 3

    def after(self, move: Any) -> Position:
        if self.seat == 0:
            return Ended((1, 1, 1)) if move == 1 else Pact(asked=True)
        return Ended((1, 1, 3) if move == 1 else (2, 2, 1))


class Of(Imagination):
    """Games that all begin alike, of so many seats."""

    def __init__(self, seats: int, begin: Callable[[], Position]) -> None:
        super().__init__(seats)
        self._begin = begin

    def sample(self) -> Position:
        return self._begin()

    def values(self, moves: Sequence[Any]) -> list[float]:
        return [0.0] * len(moves)


def test_one_of_four_wins_a_lottery_every_fourth_time() -> None:
    """By every door, however deep the search goes; from the first seat and from the last."""
    rng, budget = Prng(SEED), Budget(iterations=3000, exact=True)
    for seat in (0, 3):
        lots = Of(4, partial(Lot, seat, seat + 1, rng))
        choice = search(seat, [1, 2, 3], lots, budget, never)
        assert [one.win_probability for one in choice.considered] == [pytest.approx(0.25, abs=0.03)] * 3


def test_a_search_says_how_much_its_iterations_differ() -> None:
    """As lots do that are won or lost, and not at all where nothing is left to chance."""
    rng, budget = Prng(SEED), Budget(iterations=4000, exact=True)
    for one in search(3, [1, 2, 3], Of(4, lambda: Lot(3, 8, rng)), budget, never).considered:
        share = one.win_probability
        assert one.spread == pytest.approx((share * (1 - share)) ** 0.5, abs=0.01)
    certain = next(one for one in search(0, [1, 2], Of(3, Pact), budget, never).considered if one.move == 1)
    assert certain.spread == pytest.approx(0, abs=1e-6)
    stopped = search(0, [1, 2], Of(3, Pact), budget, lambda: True)
    assert [one.spread is None for one in stopped.considered] == [False, True]


def test_each_seat_is_taken_to_choose_what_is_best_for_itself() -> None:
    """Seat 1 gains nothing by crowning seat 2, so that seat 0 may ask it."""
    choice = search(0, [1, 2], Of(3, Pact), Budget(iterations=2000), never)
    assert choice.move == 2
    assert {one.move: one.win_probability for one in choice.considered} == {
        1: pytest.approx(1 / 3, abs=0.02),
        2: pytest.approx(1 / 2, abs=0.05),
    }
