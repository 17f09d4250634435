"""Open streams as usage of apps: how many were opened, and for how long, recorded every few seconds."""

import time
from collections import Counter
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from threading import Lock
from typing import Final

from events.errors import StoreUnavailable
from events.features.usage.port import UsageNotes

EVERY: Final = (
    # seconds between two records, as long as a stream sends something, which each does at least that often
    15.0
)


class OpenStreams:
    """The open streams of a process, by their apps. Safe among threads and greenlets.

    Usage that is not recorded yet is lost if the process is killed, or if the queue's server does not accept it
    immediately.
    """

    def __init__(
        self,
        notes: UsageNotes,
        steady: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._notes = notes
        self._steady = steady
        self._clock = clock
        self._lock = Lock()
        self._open = Counter[str]()
        self._opened = Counter[str]()
        self._seconds = Counter[str]()  # in milliseconds
        self._looked = self._noted = steady()

    def metered(
        self, app: str, frames: Generator[bytes, None, None], leave: Callable[[], object]
    ) -> tuple[Generator[bytes, None, None], Callable[[], object]]:
        """The frames of a stream of that app ("" for none), and the function that ends it; both record its time."""
        if not app:
            return frames, leave
        with self._lock:
            self._look()
            self._open[app] += 1
            self._opened[app] += 1
        is_open = [True]

        def over() -> None:
            leave()
            with self._lock:
                if is_open.pop() if is_open else False:
                    self._look()
                    self._open[app] -= 1
                    if not self._open[app]:
                        del self._open[app]
            self._note(at_once=not self._open)

        return self._passed(frames), over

    def _passed(self, frames: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
        try:
            for frame in frames:
                self._note()
                yield frame
        finally:
            frames.close()

    def _look(self) -> None:
        now = self._steady()
        passed, self._looked = round(1000 * (now - self._looked)), now
        for app, number in self._open.items():
            self._seconds[app] += number * passed

    def _note(self, *, at_once: bool = False) -> None:
        """Record what is not recorded yet, if it is time."""
        if not at_once and self._steady() < self._noted + EVERY:
            return
        with self._lock:
            self._noted = self._steady()
            self._look()
            opened, self._opened = self._opened, Counter()
            seconds = Counter(
                {app: number // 1000 for app, number in self._seconds.items() if number >= 1000}
            )
            self._seconds.subtract({app: 1000 * number for app, number in seconds.items()})
            for app in [app for app, number in self._seconds.items() if not number and app not in self._open]:
                del self._seconds[app]
        day = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        for app in sorted(opened.keys() | seconds.keys()):
            counts = {"streams": opened[app], "stream-seconds": seconds[app]}
            try:
                self._notes.note(app, day, {name: number for name, number in counts.items() if number})
            except StoreUnavailable:  # the record may have been written; a second one might count twice
                continue
