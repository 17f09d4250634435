"""Time that games wait for the engine: from one append in the feed to the next, by the store's clock."""

from typing import Final

from events.ports import FeedEntry
from events.runtime import metrics
from workers.reactions.batch import Batch

MAX_GAMES: Final = (
    100_000  # games that are waited for at once; another dispatcher may have read how the oldest went on
)


class LatencyMetrics:
    """Measures the entries that one dispatcher reads; if another one read the first append, the second is left out."""

    def __init__(self) -> None:
        self._waiting: dict[str, FeedEntry] = {}

    def observe(self, batch: Batch) -> None:
        """Take the batch into account; an entry that comes twice counts once."""
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
