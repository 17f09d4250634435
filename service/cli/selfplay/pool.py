"""Work spread over processes."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import compiled
from service.cli import interrupts

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
    with interrupts.held_back():
        pool = multiprocessing.Pool(jobs, _begin)
    with pool:
        yield pool.imap_unordered(work, tasks, at_once)


def _begin() -> None:
    interrupts.leave_to_parent()
    compiled.prefer()
