"""Metrics of the time that games wait for the engine: from one append in the feed to the next, by the store's clock."""

from typing import Final

from events.ports import FeedEntry
from events.runtime import metrics
from workers.reactions.batch import Batch

MAX_GAMES: Final = (
    # games whose wait is measured at the same time; the continuation of the oldest may have gone to another dispatcher
    100_000
)


class LatencyMetrics:
    """Measures the entries that one dispatcher reads; a wait whose beginning another one read is left out."""

    def __init__(self) -> None:
        self._waiting: dict[str, FeedEntry] = {}

    def observe(self, batch: Batch) -> None:
        """Measure the waits that end in the batch; an entry that comes twice counts once."""
        for entry in batch.in_order:
            began = self._waiting.get(entry.game_id)
            if began is not None and entry.version <= began.version:
                continue
            if began is not None and entry.first == began.version + 1:
                metrics.ANSWER.labels(began.due).observe((_milliseconds(entry) - _milliseconds(began)) / 1000)
            self._waiting.pop(entry.game_id, None)
            if entry.due:
                self._waiting[entry.game_id] = entry
                if len(self._waiting) > MAX_GAMES:
                    del self._waiting[next(iter(self._waiting))]


def _milliseconds(entry: FeedEntry) -> int:
    return int(entry.entry_id.partition("-")[0])
