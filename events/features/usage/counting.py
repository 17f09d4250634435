"""Counting: notes of all sources become counts of apps. Each note counts once, even if processes die or count at the
same time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, zip_longest

from events.features.usage.port import Noted, Slice, UsageSource, UsageStore
from events.log.usage import Used


class Counting:
    """Counts usage. Several processes may count at the same time: the store says what another one has counted."""

    def __init__(
        self, store: UsageStore, source: UsageSource, tell: Callable[[Used], object] = lambda _: None
    ) -> None:
        """`tell` is called with what was counted here, unless the process dies first."""
        self._tell = tell
        self._store = store
        self._source = source

    def step(self, partitions: Sequence[int]) -> set[int]:
        """Count the new notes in these partitions of the feed, and those outside of the feed.

        Returns the partitions that may have more. Raises StoreUnavailable: then a part is counted, and a repeat counts
        the rest.
        """
        fresh = self._source.fresh(partitions)
        runs = [_runs(source, notes) for source, notes in fresh.items()]
        for turn in zip_longest(*runs):  # slices of one source are counted in their order
            self._count(run for run in turn if run is not None)
        self._source.done({source: notes[-1].id for source, notes in fresh.items()})
        return {int(source) for source in fresh if source.isdigit()}

    def _count(self, slices: Iterable[Slice]) -> None:
        """Count slices of different sources."""
        by_app_and_day = defaultdict[tuple[str, str], list[Slice]](list)
        for one in slices:
            used = one.notes[0].used
            by_app_and_day[used.app, used.day].append(one)
        for (app, day), waiting in by_app_and_day.items():
            while waiting:
                cursors = self._store.add(app, day, waiting)
                for one, cursor in zip(waiting, cursors, strict=True):
                    if cursor is None:
                        self._tell(Used(app, day, one.counts))
                waiting = [
                    rest for one, cursor in zip(waiting, cursors, strict=True) for rest in _rest(one, cursor)
                ]


def _runs(source: str, notes: Sequence[Noted]) -> list[Slice]:
    """The notes of a source, in slices of one app and one day; the notes of each app stay in order."""
    by_app = defaultdict[str, list[Noted]](list)
    for note in notes:
        if note.used.app:
            by_app[note.used.app].append(note)
    return [
        Slice(source, list(found))
        for its in by_app.values()
        for _, found in groupby(its, key=lambda note: note.used.day)
    ]


def _rest(one: Slice, cursor: str | None) -> list[Slice]:
    """The rest of a slice whose notes up to that cursor were counted by another process; none if the whole slice was
    counted now.
    """
    if cursor is None:
        return []
    left = [note for note in one.notes if _order(note.id) > _order(cursor)]
    return [Slice(one.source, left)] if left else []


def _order(note_id: str) -> tuple[int, int]:
    ms, _, number = note_id.partition("-")
    return int(ms), int(number)
