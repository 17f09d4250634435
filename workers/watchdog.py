"""A watchdog for a process whose greenlets share one thread: whoever never gives way holds up all the others.

No timeout of gevent's can end such a greenlet, for they all fire in the loop that does not turn. So a thread of the
system's own counts (faulthandler's, which needs neither the loop nor Python's lock), and ends the process with a
traceback unless the loop tells it again and again that it turns. Whoever supervises the process starts another.
"""

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import gevent  # type: ignore[import-untyped]

STUCK_AFTER: Final = 10.0  # seconds without a turn of the loop, which is thousands of times its usual one
BEAT: Final = 1.0


@contextmanager
def watchdog(limit: float = STUCK_AFTER) -> Iterator[None]:
    """Ends the process (exit code 1) if the loop does not turn for `limit` seconds in here."""
    beating = gevent.spawn(_beat, limit)
    try:
        yield
    finally:
        beating.kill()
        faulthandler.cancel_dump_traceback_later()


def _beat(limit: float) -> None:
    while True:
        faulthandler.dump_traceback_later(limit, exit=True)
        gevent.sleep(BEAT)
