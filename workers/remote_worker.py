"""The worker that calls remote bots: hundreds of them at once, for all that a call does is wait."""

from collections.abc import Callable
from copy import copy
from typing import Final

import gevent  # type: ignore[import-untyped]
from gevent.pool import Pool  # type: ignore[import-untyped]
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.timeouts import BaseDeathPenalty

from workers.bot_worker import BotWorker, work
from workers.queues import JobQueue

PARTING: Final = 6.0  # seconds that calls under way get when the worker stops; others then make them again


class GreenletTimeLimit(BaseDeathPenalty):
    """RQ's time limit for a job that is a greenlet among others: a signal would hit any of them."""

    def setup_death_penalty(self) -> None:
        """Begin to count."""
        over = self._exception(f"The job took more than {self._timeout} seconds.")
        self._timer = gevent.Timeout.start_new(self._timeout, over)

    def cancel_death_penalty(self) -> None:
        """The job was in time."""
        self._timer.close()


class RemoteWorker(BotWorker):
    """Carries out as many jobs at once as its pool holds, and takes no more from the queue than that."""

    death_penalty_class = GreenletTimeLimit

    def __init__(self, server: Redis, stopping: Callable[[], bool], calls: Pool) -> None:
        super().__init__(server, stopping, JobQueue(server).remote)
        self._calls = calls

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Carry the job out beside the others: by a copy, because RQ's worker knows of one job at a time."""
        self._calls.spawn(copy(self).perform_job, job, queue)


def work_remotely(connect: Callable[[], Redis], stopping: Callable[[], bool], at_once: int) -> None:
    """Call up to `at_once` bots at a time until told to stop."""
    gevent.get_hub().threadpool.maxsize = at_once  # for looking names up: one that hangs holds up no other
    calls = Pool(at_once)
    work(connect, stopping, worker=lambda server: RemoteWorker(server, stopping, calls))
    calls.join(PARTING)
