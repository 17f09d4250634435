"""Long work in slices, one at a time in a process: whatever work is done, others wait only for milliseconds.

Greenlets share one thread, so one that computes keeps all others waiting. Work that grows with a game is therefore
written as a generator that stops after every small piece, and is run here: for some milliseconds, then others get the
thread, then on. Only one slice runs between two looks at the sockets, whether it belongs to one long piece of work or
to many short ones. Only a few long pieces of work are under way; the others wait in a line, for a limited time.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, TypeVar

from events.errors import Busy

T = TypeVar("T")
Steps = Generator[None, None, T]

SLICE: Final = 0.003  # seconds of work between two pauses
AT_ONCE: Final = 4  # pieces of long work under way, each with its memory
FEW: Final = 16  # callers that read something short, and hold it in memory while they wait for their turn
# seconds that a caller waits in the line, or for another caller that does the same work
PATIENCE: Final = 10.0


def no_pause() -> None:
    """Do nothing: the pause of a process in which nothing else waits."""


def drained(steps: Steps[T]) -> T:
    """Do all of the work at once. Returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]


class Slices:
    """Runs the long work of a process. Safe among threads and greenlets."""

    def __init__(
        self,
        pause: Callable[[], object] = no_pause,
        *,
        at_once: int = AT_ONCE,
        patience: float = PATIENCE,
        seconds: float = SLICE,
    ) -> None:
        """`pause` lets all other greenlets run, and returns after a look at the sockets."""
        self._pause = pause
        self._patience = patience
        self._seconds = seconds
        self._same: dict[str, tuple[threading.Lock, int]] = {}
        self._lock = threading.Lock()
        self._line = threading.BoundedSemaphore(at_once)
        self._turn = threading.Lock()
        self._holder: int | None = None
        self._few = threading.BoundedSemaphore(FEW)
        self._spent = seconds  # seconds used of the slice since the last pause; the first work pauses at once
        self._began = 0.0  # when the holder's part of that slice began

    def finish(self, steps: Steps[T], *, in_line: bool = False) -> T:
        """Do all of the work, in slices. Returns its result. Work may be finished within other work.

        `in_line`: the work is so much that only a few such pieces may be under way; then it may not be within other
        work. Busy.
        """
        if in_line:
            with self._under_way():
                return self.finish(steps)
        nested = self.has_turn()
        try:
            if not nested:
                self._begin()
            while True:
                try:
                    next(steps)
                except StopIteration as done:
                    return done.value  # type: ignore[no-any-return]
                if self._spent + time.perf_counter() - self._began >= self._seconds:
                    self._end()
                    self._begin()
        finally:
            if not nested:
                self._end()

    def each(self, things: Iterator[T]) -> Iterator[T]:
        """The same things, each made in a slice of its own; other work runs between them."""
        while made := self.finish(_next_of(things)):
            yield made[0]

    def has_turn(self) -> bool:
        """True if the caller is doing long work, so that others wait for it."""
        return self._holder == threading.get_ident()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Wait in this block: a caller that has the turn gives it away, and continues when it has the turn again.

        For other callers nothing happens. Use it only for blocks that compute nothing.
        """
        had_turn = self.has_turn()
        self._end()
        try:
            yield
        finally:
            if had_turn:
                self._begin()

    def acquired(self, what: "threading.Lock | threading.Semaphore", seconds: float | None = None) -> bool:
        """True if the lock or semaphore was acquired, within the time if there is a limit.

        Meanwhile others have the turn: the present holder may need it.
        """
        acquired = what.acquire(blocking=False)
        try:
            if not acquired:
                with self.aside():
                    acquired = what.acquire() if seconds is None else what.acquire(timeout=seconds)
        except BaseException:  # whatever stops a greenlet or a job, wherever it waits
            if acquired:
                what.release()
            raise
        return acquired

    @contextmanager
    def singly(self, name: str) -> Iterator[None]:
        """Let only one of several callers do this work: the others wait, and then use its result. Busy."""
        with self._lock:
            lock, count = self._same.get(name) or (threading.Lock(), 0)
            self._same[name] = (lock, count + 1)
        try:
            with self._alone(lock):
                yield
        finally:
            with self._lock:
                lock, count = self._same.pop(name)
                if count > 1:
                    self._same[name] = (lock, count - 1)

    @contextmanager
    def among_few(self) -> Iterator[None]:
        """Let only a few callers into this block at a time; the others wait, and compute nothing meanwhile."""
        self.acquired(self._few)
        try:
            yield
        finally:
            self._few.release()

    @contextmanager
    def _alone(self, lock: threading.Lock) -> Iterator[None]:
        at_once = lock.acquire(blocking=False)
        if not at_once and not self.acquired(lock, self._patience):
            raise Busy
        try:
            if not at_once:
                self._pause()  # otherwise all that waited would run at once
            yield
        finally:
            lock.release()

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        if not self.acquired(self._line, self._patience):
            raise Busy
        try:
            yield
        finally:
            self._line.release()

    def _begin(self) -> None:
        """Take the turn with the rest of the present slice, so that many short pieces share one slice."""
        self._turn.acquire()
        self._holder = threading.get_ident()
        try:
            if self._spent >= self._seconds:
                self._pause()  # by the one whose turn it is, so that there is one slice between two pauses
                self._spent = 0.0
        except BaseException:  # whatever stops a greenlet or a job while it waits
            self._end()
            raise
        self._began = time.perf_counter()

    def _end(self) -> None:
        if self.has_turn():
            self._spent += time.perf_counter() - self._began
            self._holder = None
            self._turn.release()


class Undivided(Slices):
    """Work that is not divided, in a process of one thread that does one thing after another: nothing waits."""

    def finish(self, steps: Steps[T], *, in_line: bool = False) -> T:
        """Do all of the work. Returns its result."""
        return drained(steps)

    @contextmanager
    def singly(self, name: str) -> Iterator[None]:
        """Do nothing: there is no other caller."""
        yield

    @contextmanager
    def among_few(self) -> Iterator[None]:
        """Do nothing: there is one caller at a time."""
        yield


def _next_of(things: Iterator[T]) -> Steps[tuple[T, ...]]:
    """The next one of the things, or none."""
    yield
    return tuple(islice(things, 1))
