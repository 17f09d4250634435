"""The port of games: the questions that its use-cases ask of a store."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SeatFork:
    """A game that a seat has made for itself, the game that it goes back to, and until when it is kept (ms)."""

    game_id: str
    first_origin: str
    until: int


class SeatForkStore(Protocol):
    """The games that seats have made for themselves. Every method may raise StoreUnavailable."""

    def look(self, first_origin: str, game_id: str) -> None:
        """Raise TooManyForks where `enter` would; nothing is changed."""

    def enter(self, first_origin: str, game_id: str) -> None:
        """List a game that is to be created; harmless when doubled. Raises TooManyForks."""

    def until(self, first_origin: str, game_id: str) -> int | None:
        """The time until which the game is kept, in milliseconds; None if it is not listed."""

    def end_expired(self) -> int:
        """Remove the games whose time is up, some of them if many are; how many that were."""

    def listed(self) -> Iterator[SeatFork]:
        """All forks, those first that expire first, one partition after the other."""

    def end(self, fork: SeatFork) -> bool:
        """Remove the fork; True if it was there."""
