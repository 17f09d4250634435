"""The takeover: a dispatcher handles the entries of the feed that another one read before it died."""

import time
from collections.abc import Callable, Sequence

from events.ports import Feed, FeedEntry

CLAIM_AFTER = 4.0  # seconds without an acknowledgement after which an entry's reader counts as dead


class Takeover:
    """Finds entries that nobody acknowledges, by this process's own clock, because the store's may have
    been set back.
    """

    def __init__(
        self,
        feed: Feed,
        handle: Callable[[Sequence[FeedEntry]], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._feed = feed
        self._handle = handle
        self._now = now
        self._unacknowledged: dict[tuple[int, bytes], float] = {}

    def everything(self) -> None:
        """Handle all entries that were read and not acknowledged, even if they were read just now."""
        while entries := self._feed.claim_stale(min_idle_ms=0):
            self._handle(entries)

    def look(self) -> None:
        """Handle the entries that were not acknowledged for CLAIM_AFTER."""
        now = self._now()
        self._unacknowledged = {
            (partition, entry): self._unacknowledged.get((partition, entry), now)
            for partition, entry in self._feed.oldest_pending().items()
        }
        stuck = [
            partition for (partition, _), since in self._unacknowledged.items() if now - since >= CLAIM_AFTER
        ]
        if stuck:
            self._handle(self._feed.claim_stale(min_idle_ms=0, partitions=stuck))
