"""The port of clocks: the questions that its use-cases ask of a store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Watched:
    """The store's time, and its outages: each from its beginning to its end. All in milliseconds."""

    now: int
    outages: Sequence[tuple[int, int]]


class ClockStore(Protocol):
    """Store of deadlines, which finds those that have passed. Every method may raise StoreUnavailable."""

    def watched(self, since: int) -> Watched:
        """Look after the clocks, which shows that the store answers. Returns the time, and the outages that ended at
        `since` or later.

        An outage is a time without a look. The first look after it records it, and every later look returns it.
        """

    def is_running(self) -> bool:
        """True if time runs in any game."""

    def up(self, now: int) -> list[str]:
        """Games in which time is up; only some of them if there are many."""

    def running(self) -> Iterator[str]:
        """All games in which time runs."""
