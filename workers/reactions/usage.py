"""Usage counted from the feed, a second or two after the events, without delaying any request."""

import logging
import time
from collections.abc import Callable
from typing import Final

from events.errors import StoreUnavailable
from events.features.usage.counting import Counting
from events.log.partitions import PARTITIONS
from events.warning_throttle import WarningThrottle
from workers.reactions.batch import Batch

log = logging.getLogger("migrato.usage")

EVERYTHING: Final = 30.0  # seconds between two looks at all partitions: other dispatchers may have died
ROUNDS: Final = 20  # rounds of counting at a time while there is more, because games wait for this process


class UsageUpdates:
    """Counts usage in the partitions of the feed that had new entries."""

    def __init__(self, counting: Counting, now: Callable[[], float] = time.monotonic) -> None:
        self._counting = counting
        self._now = now
        self._next_look = now()
        self._partitions = set[int]()
        self._warnings = WarningThrottle(log)

    def note(self, batch: Batch) -> None:
        """Note the partitions with new entries."""
        self._partitions.update([entry.partition for entry in batch.in_order])

    def count(self) -> None:
        """Count the usage in these partitions. Raises StoreUnavailable."""
        if self._now() >= self._next_look:
            self._partitions = set(range(PARTITIONS))
        try:
            for _ in range(ROUNDS):
                looked, self._partitions = self._partitions, self._counting.step(sorted(self._partitions))
                if not self._partitions:
                    break
        except StoreUnavailable:
            self._next_look = 0.0
            raise
        except Exception as error:  # noqa: BLE001 -- no game waits for this
            self._next_look = 0.0
            self._warnings.exception("usage cannot be counted at the moment", error=error)
        else:
            if len(looked) == PARTITIONS:
                self._next_look = self._now() + EVERYTHING
