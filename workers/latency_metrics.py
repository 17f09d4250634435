"""How long games wait for the engine, as the feed tells it: from one append to the next, by the store's own clock."""

from collections.abc import Iterable
from typing import Final

from events.redis.feed import FeedEntry
from events.runtime import metrics

MAX_GAMES: Final = 100_000  # games that are waited for at once; the oldest ones may well have gone on unseen


class LatencyMetrics:
    """Sees what one dispatcher sees; what another one saw of the same game is left out rather than guessed."""

    def __init__(self) -> None:
        self._waiting: dict[str, FeedEntry] = {}

    def observe(self, entries: Iterable[FeedEntry]) -> None:
        """Take note of entries, each game's in order; one that was seen before does no harm."""
        for entry in entries:
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
