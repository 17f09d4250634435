"""Counting: notes of all sources become counts of apps, each note once, whoever dies and however many count at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, zip_longest

from events.features.usage.port import Noted, Slice, UsageSource, UsageStore
from events.log.usage import Used


class Counting:
    """One who counts. Several may do so at once: the store tells what another one has counted."""

    def __init__(
        self, store: UsageStore, source: UsageSource, tell: Callable[[Used], object] = lambda _: None
    ) -> None:
        """`tell` is called for what was counted here, unless the process dies."""
        self._tell = tell
        self._store = store
        self._source = source

    def step(self, partitions: Sequence[int]) -> set[int]:
        """Count what is fresh in these partitions of the feed, and all that stands in no feed.

        Returns the partitions in which there may be more. Raises StoreUnavailable: then some of it is counted, and a
        repeat counts the rest.
        """
        fresh = self._source.fresh(partitions)
        runs = [_runs(source, notes) for source, notes in fresh.items()]
        for turn in zip_longest(*runs):  # what follows in a source is counted after what comes before it
            self._count(run for run in turn if run is not None)
        self._source.done({source: notes[-1].id for source, notes in fresh.items()})
        return {int(source) for source in fresh if source.isdigit()}

    def _count(self, slices: Iterable[Slice]) -> None:
        """Count slices of different sources."""
        by_place = defaultdict[tuple[str, str], list[Slice]](list)
        for one in slices:
            used = one.notes[0].used
            by_place[used.app, used.day].append(one)
        for (app, day), waiting in by_place.items():
            while waiting:
                places = self._store.add(app, day, waiting)
                for one, place in zip(waiting, places, strict=True):
                    if place is None:
                        for note in one.notes:
                            self._tell(note.used)
                waiting = [
                    rest for one, place in zip(waiting, places, strict=True) for rest in _rest(one, place)
                ]


def _runs(source: str, notes: Sequence[Noted]) -> list[Slice]:
    """The notes of a source in slices of one app and day; each app's are in their order."""
    by_app = defaultdict[str, list[Noted]](list)
    for note in notes:
        if note.used.app:
            by_app[note.used.app].append(note)
    return [
        Slice(source, list(found))
        for its in by_app.values()
        for _, found in groupby(its, key=lambda note: note.used.day)
    ]


def _rest(one: Slice, place: str | None) -> list[Slice]:
    """Rest of a slice of which another process has counted the notes up to that place; none if all was counted now."""
    if place is None:
        return []
    left = [note for note in one.notes if _order(note.id) > _order(place)]
    return [Slice(one.source, left)] if left else []


def _order(note_id: str) -> tuple[int, int]:
    ms, _, number = note_id.partition("-")
    return int(ms), int(number)
