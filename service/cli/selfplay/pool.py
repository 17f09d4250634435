"""Work spread over processes."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import compiled

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def spread(work: Callable[[T], R], tasks: Sequence[T], jobs: int, at_once: int = 1) -> Iterator[Iterator[R]]:
    """The results as they come, in any order; `jobs` processes take `at_once` tasks at a time, in their order.

    One job works in this process. Interrupts are the caller's: leaving ends the processes, however it is left.
    """
    if jobs == 1:
        yield map(work, tasks)
        return
    with _without_interrupts():
        pool = multiprocessing.Pool(jobs, _begin)
    with pool:
        yield pool.imap_unordered(work, tasks, at_once)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Interrupts wait; the processes that begin now never get one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    compiled.prefer()
