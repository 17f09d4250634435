"""Waiting until somebody else says so: among threads by a lock, among greenlets by a switch to their hub.

A lock of gevent's that is waited for with a timeout costs five times as much as the switch alone.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gevent import get_hub, getcurrent  # type: ignore[import-untyped]
from gevent.monkey import get_original, is_module_patched  # type: ignore[import-untyped]

# A lock between threads of the operating system. Greenlets may use it where nothing inside can switch to another.
ThreadLock: Callable[[], threading.Lock] = get_original("_thread", "allocate_lock")


class Wakeup:
    """What one caller, a thread, waits for, and others give."""

    def __init__(self) -> None:
        self._lock = ThreadLock()
        self._lock.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait until woken, at most so long; whether it was woken, now or since the wait before."""
        return self._lock.acquire(timeout=seconds)

    def wake(self) -> None:
        """Let the caller go on."""
        with suppress(RuntimeError):  # it has been woken already
            self._lock.release()


class GreenletWakeup(Wakeup):
    """The same for a caller that is a greenlet."""

    def __init__(self) -> None:
        self._hub: Any = get_hub()
        self._greenlet: Any = None  # while it waits
        self._woken = False

    def wait(self, seconds: float) -> bool:
        """As a thread does."""
        if not self._woken:
            timer = self._hub.loop.timer(seconds)
            timer.start(self._go_on, update=True)
            self._greenlet = getcurrent()
            try:
                self._hub.switch()
            finally:
                self._greenlet = None
                timer.stop()
                timer.close()
        woken, self._woken = self._woken, False
        return woken

    def wake(self) -> None:
        """Let the caller go on."""
        self._woken = True
        loop = self._hub.loop
        if get_hub() is self._hub:
            loop.run_callback(self._go_on)
        else:  # another thread beside the greenlets
            loop.run_callback_threadsafe(self._go_on)

    def _go_on(self) -> None:
        """In the hub: woken, or time is up; whoever went on already is left alone."""
        if self._greenlet is not None:
            self._greenlet.switch()


def wakeup_class() -> type[Wakeup]:
    """The wakeups of this process's callers: of greenlets once gevent has patched `threading`."""
    return GreenletWakeup if is_module_patched("threading") else Wakeup
