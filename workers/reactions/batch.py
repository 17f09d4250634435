"""A batch: the entries about events from one read of the feed."""

from collections.abc import Sequence
from operator import attrgetter

from events.ports import FeedEntry


class Batch:
    """Entries about events: all of them, those of each game `in_order`, and the `latest` of each game."""

    def __init__(self, entries: Sequence[FeedEntry]) -> None:
        """Entries of another kind are left out."""
        about_events = [entry for entry in entries if entry.said is None]
        self.in_order = sorted(about_events, key=attrgetter("version"))
        self.latest = {entry.game_id: entry for entry in self.in_order}
