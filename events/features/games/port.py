"""The port of games: the questions that its use-cases ask of a store."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SeatFork:
    """A fork that a seat made, the game that it goes back to, and the time until which it is kept (ms)."""

    game_id: str
    first_origin: str
    until: int


class SeatForkStore(Protocol):
    """The forks that seats made. Every method may raise StoreUnavailable."""

    def look(self, first_origin: str, game_id: str) -> None:
        """Raise TooManyForks where `enter` would; nothing is changed."""

    def enter(self, first_origin: str, game_id: str) -> None:
        """List a fork that is about to be created; safe to repeat. Raises TooManyForks."""

    def until(self, first_origin: str, game_id: str) -> int | None:
        """The time until which the fork is kept, in milliseconds; None if it is not listed."""

    def end_expired(self) -> int:
        """Remove forks whose time is up, only some of them if there are many. Returns how many."""

    def listed(self) -> Iterator[SeatFork]:
        """All forks, in the order of their expiry, one partition after the other."""

    def end(self, fork: SeatFork) -> bool:
        """Remove the fork; True if it was there."""
