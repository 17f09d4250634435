"""Work spread over processes whose results come in the order of the tasks, few of which are held at a time."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, TypeVar

from service.cli import interrupts

T = TypeVar("T")
A = TypeVar("A")
R = TypeVar("R")

HELD: Final = 4  # tasks for each process, so that none waits for the next
_work: Callable[[Any], Any] | None = None  # the work of a worker process


class WorkerDied(Exception):
    """A process has ended in the middle of its task."""


def in_order(
    work: Callable[[A], R], tasks: Iterable[T], jobs: int, asked: Callable[[T], A]
) -> Iterator[tuple[T, R]]:
    """Every task with the result of `work(asked(task))`; `jobs` processes work at once, one job works in this process.

    Raises WorkerDied. The processes have ended when the iteration is left, by an interrupt too.
    """
    if jobs == 1:
        for task in tasks:
            yield task, work(asked(task))
        return
    # Forked: so they have the compiled code, the keys and the origin without being sent them.
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin, (work,))
    waiting: deque[tuple[T, Future[R]]] = deque()
    try:
        for task in tasks:
            one = asked(task)
            with interrupts.held_back():  # the first one starts the processes
                waiting.append((task, executor.submit(_do, one)))
            while waiting and (len(waiting) >= HELD * jobs or waiting[0][1].done()):
                yield _first(waiting)
        while waiting:
            yield _first(waiting)
    except BrokenProcessPool:
        raise WorkerDied("A process has died in the middle of its work; is there enough memory?") from None
    finally:
        if waiting:  # it was left before its end
            for process in multiprocessing.active_children():
                process.terminate()
        executor.shutdown(cancel_futures=True)


def _first(waiting: deque[tuple[T, Future[R]]]) -> tuple[T, R]:
    task, result = waiting[0]
    found = result.result()  # an interrupt here leaves the task in `waiting`
    waiting.popleft()
    return task, found


def _begin(work: Callable[[Any], Any]) -> None:
    global _work  # noqa: PLW0603 (what each process is for)
    _work = work
    interrupts.leave_to_parent()


def _do(asked: Any) -> Any:
    assert _work is not None
    return _work(asked)
