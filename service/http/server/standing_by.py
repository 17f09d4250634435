"""Places of the web workers that take connections: a worker without one stands by until a place is free.

A place is a lock on a byte of a file. The kernel frees it when its process ends, however it ends, and the thread of a
worker that stands by has it at once: callers wait at the same socket all the while. A worker that has a place and
hangs gives no sign of life; those that stand by help then, until it does or is replaced.
"""

import fcntl
import signal
import tempfile
import time
from collections.abc import Callable
from mmap import mmap
from typing import Any, Final

import gevent  # type: ignore[import-untyped]
from gevent.monkey import get_original  # type: ignore[import-untyped]

PLACES: Final = 256  # as many as there can be workers
LATE: Final = (
    3.0  # seconds without a sign of life, of which one a second comes, after which a worker seems to hang
)
NONE: Final = 0.0  # in place of the time of a sign: nobody who takes connections

_start_thread = get_original("_thread", "start_new_thread")


class AcceptingPlaces:
    """Places for some of the workers that one process forks, in a file and in memory that they share."""

    def __init__(self) -> None:
        self.number: int | None = None  # of places; None: every worker has one
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process, as no lock outlives a close)
        self._signs = memoryview(mmap(-1, 8 * PLACES)).cast("d")

    def take(self, place: int) -> bool:
        """Take the place for this process, unless another has it."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            return False
        return True

    def wait_for(self, place: int) -> None:
        """Wait in a thread until this process has the place. Raises OSError."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, 1, place)

    def leave(self, place: int) -> None:
        """Let another have this process's place."""
        self._signs[place] = NONE
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)

    def sign(self, place: int) -> None:
        """Give a sign of life of who has the place."""
        self._signs[place] = time.monotonic()

    def is_late(self) -> bool:
        """True if one who has a place has given no sign of life for long."""
        now = time.monotonic()
        return any(sign != NONE and now - sign > LATE for sign in self._signs[: self.number])


class Turn:
    """Turn of one worker to take connections; it calls `begin` in the loop when it comes, and `end` when it goes."""

    def __init__(self, places: AcceptingPlaces, begin: Callable[[], None], end: Callable[[], None]) -> None:
        """Begin at once if there is a place; otherwise stand by."""
        self._places = places
        self._begin, self._end = begin, end
        self._place: int | None = None
        self._helps = self._left = False
        self._looked = time.monotonic()
        self._freed: Any = None
        if places.number is None:
            begin()
            return
        own = next(filter(places.take, range(places.number)), None)
        if own is None:
            self._stand_by()
        else:
            self._have(own)

    def look(self) -> None:
        """Give a sign of life, or look for others'; to be called once a second."""
        now = time.monotonic()
        was_stopped, self._looked = now - self._looked > LATE, now
        if self._place is not None:
            self._places.sign(self._place)
        elif self._freed is not None and not self._left and not was_stopped:  # or they were stopped together
            late = self._places.is_late()
            if late != self._helps:
                self._helps = late
                (self._begin if late else self._end)()

    def leave(self) -> None:
        """Take no connections any more, and let another take them."""
        self._left = True
        if self._place is not None:
            self._places.leave(self._place)
            self._place = None

    def _have(self, place: int) -> None:
        self._place, self._helps = place, False
        self._places.sign(place)
        self._begin()

    def _stand_by(self) -> None:
        assert self._places.number is not None
        found: list[int] = []  # filled by threads: a list's methods are one step each
        self._freed = gevent.get_hub().loop.async_()
        self._freed.start(self._take_one_of, found)
        for place in range(self._places.number):
            _start_thread(self._wait, (place, found))

    def _wait(self, place: int, found: list[int]) -> None:
        """Wait for the place; runs in a thread of the operating system."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are to wake the loop
        try:
            self._places.wait_for(place)
        except OSError:  # each waits for what the other has: both have a place, and need no other
            return
        found.append(place)
        self._freed.send()

    def _take_one_of(self, found: list[int]) -> None:
        while found:
            place = found.pop()
            if self._place is None and not self._left:
                self._have(place)
            else:
                self._places.leave(place)
