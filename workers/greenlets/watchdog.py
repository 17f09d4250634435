"""A watchdog for a process whose greenlets share one thread: one that never yields holds up all the others.

gevent's timeouts cannot end such a greenlet, because they fire in the loop, which then does not turn. So an operating
system thread counts the seconds, and ends the process with a traceback if the loop does not turn. The supervisor of the
process then starts another one. Seconds in which the whole process was stopped do not count, because the thread was
stopped, too.
"""

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gevent  # type: ignore[import-untyped]
from gevent.monkey import get_original  # type: ignore[import-untyped]

from events.rhythm import pause

STUCK_AFTER: Final = 10  # seconds without a turn of the loop, thousands of times the usual time of one
BEAT: Final = 1.0

_start_thread = get_original("_thread", "start_new_thread")
_sleep = get_original("time", "sleep")


class _Watch:
    """Counts seconds; each turn of the loop starts the count again."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seconds = 0
        self._ended = False

    def beat(self) -> None:
        """Start the count again; called in the loop."""
        while True:
            self._seconds = 0
            gevent.sleep(pause(BEAT))

    def end(self) -> None:
        """Stop counting."""
        self._ended = True

    def count(self) -> None:
        """End the process when the loop has not turned for too long; runs in an operating system thread."""
        while not self._ended:
            _sleep(1.0)
            self._seconds += 1
            if self._seconds > self._limit and not self._ended:
                os.write(2, b"The loop has not turned for %d seconds: this process ends.\n" % self._limit)
                faulthandler.dump_traceback()
                os._exit(1)


@contextmanager
def watchdog(limit: int = STUCK_AFTER) -> Iterator[None]:
    """Ends the process (exit code 1) if the loop does not turn for `limit` seconds in here."""
    watch = _Watch(limit)
    beating = gevent.spawn(watch.beat)
    _start_thread(watch.count, ())
    try:
        yield
    finally:
        beating.kill()
        watch.end()
