# compiled into rules
"""Questions of a search to a game: games that may be the true one, and the worth of the moves in them.

A game derives its own classes from these. They are classes and not protocols because compiled code calls methods of a
class directly.
"""

from collections.abc import Sequence
from typing import Any


class Position:
    """A position of an imagined game: in `turn`, `seat` is to act; `logit` is how likely it is to win, before it moves.

    A logit is the logarithm of the odds. Moves are the game's own commands.
    """

    def __init__(self, seat: int, turn: int, logit: float) -> None:
        self.seat = seat
        self.turn = turn
        self.logit = logit

    def moves(self) -> list[Any]:
        """The legal moves, at least one, in an order that follows from what the seat can see."""
        raise NotImplementedError

    def key(self, move: Any) -> int:
        """A number of its own for every move."""
        raise NotImplementedError

    def win_probability(self, seat: int) -> float:
        """Value for any seat, before the seat to act moves; the values of all seats add up to 1."""
        raise NotImplementedError

    def worth(self, move: Any) -> float:
        """The logit of the seat to act after a legal move, estimated without making it, luck aside."""
        raise NotImplementedError

    def after(self, move: Any) -> "Position":
        """The position after a legal move; `Ended` if it ends the game."""
        raise NotImplementedError


class Ended(Position):
    """The game is over; `places` are those of its result, by seat."""

    def __init__(self, places: Sequence[int]) -> None:
        super().__init__(-1, 0, 0.0)
        self._places = places

    def win_probability(self, seat: int) -> float:
        """Outcome of the game for a seat: 1.0 for the winner, equal parts for those who share the first place."""
        return 1.0 / self._places.count(1) if self._places[seat] == 1 else 0.0


class Imagination:
    """Games that one of `seats` seats can imagine from its observation, in which it is to act."""

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def sample(self) -> Position:
        """A position that the seat cannot tell from the true one, all that it cannot see drawn anew."""
        raise NotImplementedError

    def values(self, moves: Sequence[Any]) -> list[float]:
        """The final leads in points that the observation's moves promise, one for each."""
        raise NotImplementedError
