"""Ports of usage: the counts in the store, and the sources from which they are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from events.log.usage import Used


@dataclass(frozen=True, slots=True)
class Noted:
    """Counts that a source has noted, under a growing id. `of`: the game that was created, or the question that was
    put.
    """

    id: str
    used: Used
    of: str


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive notes of a source, for one app and one day."""

    source: str
    notes: Sequence[Noted]

    @property
    def counts(self) -> dict[str, int]:
        """The counts of all notes together."""
        sums = dict[str, int]()
        for note in self.notes:
            for name, number in note.used.counts.items():
                sums[name] = sums.get(name, 0) + number
        return sums


class UsageStore(Protocol):
    """Counts by app and day. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def add(self, app: str, day: str, slices: Sequence[Slice]) -> list[str | None]:
        """Count each of the slices as a whole and once, or not at all.

        Returns for each slice None if it was counted. Otherwise it returns the cursor: the id up to which its source
        has been counted for the app, which is at least that of the slice's first note.
        """

    def days(self, app: str, days: Sequence[str]) -> list[Mapping[str, int]]:
        """Counts of the app on these days, dates as in 2026-11-29, or in months as in 2026-11."""


class QuotaStore(Protocol):
    """The use of quotas. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def reserve(
        self,
        app: str,
        kind: str,
        which: Sequence[str],
        quotas: Mapping[str, int],
        now: int,
        seconds: float | None = None,
    ) -> str | None:
        """Reserve all of these of a kind. A reservation ends when they are counted as usage, or after so many seconds
        (None: the kind's usual time).

        Returns None, or the period ("day", "month") whose quota is spent. `now`: the store's time in ms.
        """

    def release(self, app: str, kind: str, which: Sequence[str]) -> None:
        """Remove these reservations."""

    def used(self, app: str, kind: str, period: str, now: int) -> int:
        """The number of that kind that are counted or reserved in the present day or month."""


class CountsStore(UsageStore, QuotaStore, Protocol):
    """Counts, and the use of quotas."""


class UsageNotes(Protocol):
    """Notes of usage that the feed does not have."""

    def note(self, app: str, day: str, counts: Mapping[str, int]) -> None:
        """Add a note with counts of an app and a day. Raises StoreUnavailable: then the note may be lost."""


class UsageSource(Protocol):
    """Notes of usage, in the order of their ids. Every method may raise StoreUnavailable."""

    def fresh(self, partitions: Sequence[int]) -> Mapping[str, Sequence[Noted]]:
        """The notes after those that are `done`, by source: of these partitions of the feed, and of all
        other sources.
        """

    def done(self, ends: Mapping[str, str]) -> None:
        """Mark the notes of these sources up to these ids as counted; they are not returned again."""
