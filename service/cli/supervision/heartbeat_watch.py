"""Silence of a process, in the time of its listener."""

import time

from events.runtime.heartbeat import FIRST_WITHIN, INTERVAL


class HeartbeatWatch:
    """The seconds since a process gave its last sign of life; too many of them, and it hangs."""

    def __init__(self, limit: float) -> None:
        """`limit`: seconds that may pass between two signs."""
        self._limit = limit
        self.started()

    def started(self) -> None:
        """Count from now on: the process has just been started."""
        self._seconds, self._allowed = 0.0, max(FIRST_WITHIN, self._limit)

    def beat(self) -> None:
        """Note that the process has given a sign of life."""
        self._seconds, self._allowed = 0.0, self._limit

    def missed(self, seconds: float) -> bool:
        """Count further seconds without a sign; True if there have been too many."""
        self._seconds += seconds
        return self._seconds > self._allowed


class WatchTimer:
    """Times to look for signs of life, and the seconds to count for each.

    Time in which the listener itself was stopped does not count: the processes that it listens to were perhaps stopped
    with it, and get a chance to be heard. So a machine that wakes up, or a job that is continued, loses no process.
    """

    def __init__(self) -> None:
        self._next = self._last = time.monotonic()

    def due(self) -> float:
        """The seconds to count, if it is time again; else 0."""
        now = time.monotonic()
        if now < self._next:
            return 0.0
        seconds, self._last = min(now - self._last, 2 * INTERVAL), now
        self._next = now + INTERVAL
        return seconds
