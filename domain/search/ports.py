"""What a search asks of a game: games that may be the true one, and how good the moves in them are.

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

    def win_probability(self) -> float:
        """That of the seat to act, before it moves."""
        raise NotImplementedError

    def worth(self, move: Any) -> float:
        """The logit of the seat to act after a legal move, estimated without making it, luck aside."""
        raise NotImplementedError

    def after(self, move: Any) -> "Position":
        """The position after a legal move; `Ended` if it ends the game."""
        raise NotImplementedError


class Ended(Position):
    """The game is over; `winner` None is a draw."""

    def __init__(self, winner: int | None) -> None:
        super().__init__(-1, 0, 0.0)
        self.winner = winner

    def outcome(self, seat: int) -> float:
        """What came of it for a seat: 1.0, 0.5 for a draw, 0.0."""
        return 0.5 if self.winner is None else 1.0 if self.winner == seat else 0.0


class Imagination:
    """What one seat can imagine from its observation, in which it is to act."""

    def sample(self) -> Position:
        """A position that the seat cannot tell from the true one, all that it cannot see drawn anew."""
        raise NotImplementedError

    def values(self, moves: Sequence[Any]) -> list[float]:
        """For each of the observation's moves, the final lead in points that it promises."""
        raise NotImplementedError
