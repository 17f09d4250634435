"""The port of clocks: the questions that its use-cases ask of a store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Watched:
    """The store's time, and when it could not be looked at: from when to when. All in milliseconds."""

    now: int
    outages: Sequence[tuple[int, int]]


class ClockStore(Protocol):
    """Store of deadlines, which finds those that have passed. Every method may raise StoreUnavailable."""

    def watched(self, since: int) -> Watched:
        """Look after the clocks, which tells that the store answers; the outages that ended at `since` or later.

        An outage is a time without a look. The first look after it finds it, and every later look gets it.
        """

    def is_running(self) -> bool:
        """True if anybody's time runs in any game."""

    def up(self, now: int) -> list[str]:
        """The games in which somebody's time is up; some of them, if many are."""

    def running(self) -> Iterator[str]:
        """All games in which somebody's time runs."""
