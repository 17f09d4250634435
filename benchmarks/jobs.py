"""Cost of a job to its worker beside its own work: done together with others, alone, and by RQ's own worker.

And alone with each method of RQ's that is replaced given back. A job does nothing here. Jobs are either all there
beforehand, or come one by one while the worker waits. Counted are requests to the queue's server and processor time of
the worker's thread; the variants take turns.
"""

import faulthandler
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Final
from unittest.mock import patch

from redis import Redis
from redis.connection import AbstractConnection
from rq import SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

import workers.jobs
from events.runtime.embedded import EmbeddedServer
from workers.batch_worker import BatchWorker
from workers.bootstrap import client_of
from workers.bot_worker import BotWorker
from workers.job_queue.fetching import FetchedJob
from workers.job_queue.queue import JobQueue, Task
from workers.job_queue.runner import JobRunner

JOBS: Final = 500
ROUNDS: Final = 5
PAUSE: Final = 0.002  # seconds in which a worker that has done a job begins to wait for the next

STOCK: Final = "RQ's `SimpleWorker`"
TOGETHER: Final = "`BatchWorker`: jobs of games that take no time"
ALONE: Final = "`BotWorker`: other jobs, one by one"
# What RQ has of its own and is put back, by the name of the variant.
REPLACED: Final[dict[str, tuple[type, str, Any]]] = {
    f"without `{name}`": (ours, name, getattr(theirs, name))
    for ours, theirs, name in (
        (JobRunner, SimpleWorker, "prepare_job_execution"),
        (JobRunner, SimpleWorker, "handle_execution_ended"),
        (JobRunner, SimpleWorker, "handle_job_success"),
        (FetchedJob, Job, "perform"),
    )
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one job, on the average: requests to the queue's server, and microseconds of the processor."""

    requests: float
    microseconds: float


@contextmanager
def _requests() -> Iterator[list[int]]:
    """Number of requests that this thread has sent in here so far: a list of one number."""
    here, send, times = threading.get_ident(), AbstractConnection.send_packed_command, [0]

    def counting(connection: AbstractConnection, *args: Any, **kwargs: Any) -> None:
        if threading.get_ident() == here:
            times[0] += 1
        send(connection, *args, **kwargs)  # type: ignore[no-untyped-call]

    with patch.object(AbstractConnection, "send_packed_command", counting):
        yield times


def run() -> Iterator[tuple[str, Cost, Cost]]:
    """Each variant with what a job costs where jobs wait, and where it is waited for."""
    variants = (STOCK, TOGETHER, ALONE, *REPLACED)
    with EmbeddedServer(None, "no") as server:
        rounds = [
            [
                (_measured(server.url, name, waiting=True), _measured(server.url, name, waiting=False))
                for name in variants
            ]
            for _ in range(ROUNDS)
        ]
    for name, costs in zip(variants, zip(*rounds, strict=True), strict=True):
        waiting, coming = (
            Cost(median(c.requests for c in column), median(c.microseconds for c in column))
            for column in zip(*costs, strict=True)
        )
        yield name, waiting, coming


def _measured(url: str, name: str, *, waiting: bool) -> Cost:
    server = client_of(url)
    server.flushall()
    queue, done, counted = JobQueue(server), threading.Semaphore(JOBS if waiting else 0), [0]

    def enqueue() -> None:
        for number in range(JOBS):
            queue.enqueue(Task("score", f"2epPYkrvB6K2mBjFE{number:05d}", 9))
            done.acquire()
            if not waiting:
                time.sleep(PAUSE)

    def note(game_id: str, version: int) -> None:  # noqa: ARG001 (a job's arguments)
        counted[0] += 1
        done.release()

    asking = threading.Thread(target=enqueue)
    if waiting:
        enqueue()
    else:
        asking.start()

    def note_at_once(task: Task) -> bool:
        note(task.game_id, task.version)
        return True

    jobs = patch.multiple(workers.jobs, score=note, at_once=note_at_once)
    with _variant(name), jobs, _requests() as requests:
        began = time.thread_time()
        _work(client_of(url), name, lambda: counted[0] == JOBS)
        spent = time.thread_time() - began
    if not waiting:
        asking.join()
    return Cost(requests[0] / JOBS, spent / JOBS * 1e6)


def _work(server: Redis, name: str, all_done: Callable[[], bool]) -> None:
    if name == STOCK:
        worker = SimpleWorker(
            [JobQueue(server).rq], connection=server, serializer=JSONSerializer, log_job_description=False
        )
        worker.work(max_jobs=JOBS, logging_level="WARNING")
        return
    ours = BatchWorker(server) if name == TOGETHER else BotWorker(server)
    ours.runner.register_birth()  # type: ignore[no-untyped-call]
    while not all_done():
        ours.step(1)
    faulthandler.cancel_dump_traceback_later()  # a watch of `BatchWorker`, over the whole process


@contextmanager
def _variant(name: str) -> Iterator[None]:
    if name not in REPLACED:
        yield
        return
    with patch.object(*REPLACED[name]):
        yield
