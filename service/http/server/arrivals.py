# compiled into serving
"""Waits for bytes of a connection, with one watcher and one timer for all of its waits.

gevent's sockets create a timer and an exception, and make a system call or two, for every wait, which costs more than
the reading.
"""

import time
from typing import Any

import gevent  # type: ignore[import-untyped]


class Arrivals:
    """Lets one greenlet wait for bytes of its connection."""

    def __init__(self, sock: Any, seconds: float) -> None:
        """`seconds`: the longest wait. Close this before the connection is closed."""
        self._hub = gevent.get_hub()
        self._seconds = seconds
        self._watcher = self._hub.loop.io(sock.fileno(), 1)
        self._timer = self._hub.loop.timer(seconds)
        self._greenlet: Any = None  # the one that waits
        self._since = 0.0
        self._came = self._over = False

    def wait(self) -> bool:
        """Wait until there is something to read, or the client has hung up; False if nothing comes in time."""
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
        """Stop the watcher and the timer."""
        self._watcher.stop()
        self._watcher.close()
        self._timer.stop()
        self._timer.close()

    def _look(self) -> None:
        if self._greenlet is None:  # the greenlet is still busy with the request before
            self._watcher.stop()
        else:
            self._came = True
            self._greenlet.switch()

    def _look_at_the_clock(self) -> None:
        """Called when the timer has run down; it is then set for the rest of the present wait, so a wait need not set
        it.
        """
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
