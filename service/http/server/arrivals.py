# compiled into serving
"""Waits for bytes of a connection, with one watcher and one timer for all of the waits.

gevent's sockets make a timer, an error and a system call or two for every wait, which costs more than the reading.
"""

import time
from typing import Any

import gevent  # type: ignore[import-untyped]


class Arrivals:
    """Lets one greenlet wait for what comes over its connection."""

    def __init__(self, sock: Any, seconds: float) -> None:
        """`seconds`: the longest wait. To be closed before the connection is."""
        self._hub = gevent.get_hub()
        self._seconds = seconds
        self._watcher = self._hub.loop.io(sock.fileno(), 1)
        self._timer = self._hub.loop.timer(seconds)
        self._greenlet: Any = None  # who waits
        self._since = 0.0
        self._came = self._over = False

    def wait(self) -> bool:
        """Wait until there is something to read, or the other end has hung up; False if nothing comes in time."""
        self._greenlet = gevent.getcurrent()
        self._since = time.monotonic()
        self._came = self._over = False
        if not self._watcher.active:
            self._watcher.start(self._look)
        if not self._timer.active:
            self._timer.start(self._look_at_the_clock, update=True)
        try:
            while not (self._came or self._over):
                self._hub.switch()
        finally:
            self._greenlet = None
        return self._came

    def close(self) -> None:
        """Wait no more."""
        self._watcher.stop()
        self._watcher.close()
        self._timer.stop()
        self._timer.close()

    def _look(self) -> None:
        if self._greenlet is None:  # its greenlet is still at the request before
            self._watcher.stop()
        else:
            self._came = True
            self._greenlet.switch()

    def _look_at_the_clock(self) -> None:
        """The timer runs on while requests come, and is set anew when it has run down: a wait costs it nothing."""
        if self._greenlet is None:
            return
        left = self._since + self._seconds - time.monotonic()
        if left > 0:
            self._timer.close()
            self._timer = self._hub.loop.timer(left)
            self._timer.start(self._look_at_the_clock, update=True)
        else:
            self._over = True
            self._greenlet.switch()
