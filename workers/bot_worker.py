"""The worker that carries jobs out one after the other, in its own process: a fork costs more than a cheap bot's move.

A job leaves nothing behind, and RQ's time limit (SIGALRM) works without a fork, too.
"""

import faulthandler
import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.utils import now

from events.rhythm import block
from events.runtime import metrics
from events.store.connections.refusals import unavailable
from events.warning_throttle import WarningThrottle
from workers.job_queue.fetching import FetchedJob, JobFetcher
from workers.job_queue.queue import TIMEOUT, JobQueue
from workers.job_queue.runner import JobRunner

log = logging.getLogger("migrato.bot_worker")

LOOK: Final = 1  # seconds for which one look waits for a job, and so the longest time until a stop is noticed
BEAT: Final = 5.0  # seconds between two signs of life
HANGS_AFTER: Final = 3  # seconds beyond its time limit after which a job counts as hanging
PAUSE: Final = 0.5  # seconds before a server that went away is asked again
QUEUE_AWAY: Final = "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) %s"


def allow(seconds: float) -> None:
    """Give the present job so many seconds from now, in place of its own limit."""
    signal.setitimer(signal.ITIMER_REAL, seconds)  # RQ's limit is this alarm
    faulthandler.dump_traceback_later(seconds + HANGS_AFTER, exit=True)


class BotWorker:
    """Carries out the jobs of one queue. Every public method may raise RedisError."""

    runner_class = JobRunner

    def __init__(
        self, server: Redis, stopping: Callable[[], bool] = lambda: False, queue: Queue | None = None
    ) -> None:
        """`server` keeps the job queue: the bots' queue, or another one if `queue` is given.

        `stopping` is asked between jobs.
        """
        self._queue = queue or JobQueue(server).rq
        self._stopping = stopping
        self.runner = self.runner_class(server, self._queue)
        self._fetcher = JobFetcher(server, self._queue, self.runner.name)
        self._next_sign = 0.0

    def run(self, worked: Callable[[], None] = lambda: None) -> None:
        """Work until told to stop; `worked` is called again and again, as long as there is no error."""
        self.runner.register_birth()  # type: ignore[no-untyped-call]
        try:
            while not self._stopping():
                self._keep_up()
                self.step(block(LOOK))
                worked()
        finally:
            self._end()

    def step(self, patience: float = 0.0) -> bool:
        """Carry out the next job, for which this waits at most so many seconds. Returns True if there was one."""
        job = self._fetch(patience)
        if job is not None:
            self._carry_out(job)
        return job is not None

    def _keep_up(self) -> None:
        """Give signs of life, and let RQ clean its registries now and then."""
        if time.monotonic() >= self._next_sign:
            self._next_sign = time.monotonic() + BEAT
            self.runner.sign_of_life()
        if self.runner.should_run_maintenance_tasks:
            self.runner.run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def _fetch(self, patience: float) -> FetchedJob | None:
        return self._fetcher.fetch(patience)

    def _carry_out(self, job: FetchedJob) -> None:
        """Carry the job out. RQ's time limit cannot interrupt code that never returns to Python.

        So a second limit ends the whole process, which is then started again.
        """
        faulthandler.dump_traceback_later(int(job.timeout or TIMEOUT) + HANGS_AFTER, exit=True)
        try:
            if self._perform(job):
                self._fetcher.forget(job.id)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _perform(self, job: Job) -> bool:
        """Carry the job out, and measure how long it waited and took. Returns True if it went well."""
        labels = (self._queue.name, str(job.func_name).rpartition(".")[2])
        if job.enqueued_at is not None:
            waited = (now() - job.enqueued_at).total_seconds()
            metrics.JOB_WAIT.labels(*labels).observe(max(0.0, waited))
        with metrics.JOB_SECONDS.labels(*labels).time():
            return self.runner.perform_job(job, self._queue)

    def _end(self) -> None:
        """Deregister the worker."""
        self._fetcher.close()
        with suppress(RedisError):  # it is removed once its signs of life are missing
            self.runner.register_death()  # type: ignore[no-untyped-call]


def work(
    connect: Callable[[], Redis],
    stopping: Callable[[], bool],
    pause: Callable[[float], None] = time.sleep,
    worker: Callable[[Redis], BotWorker] | None = None,
) -> None:
    """Work until told to stop, as a bot worker unless another worker is given; wait for a server that does
    not answer.
    """
    warnings = WarningThrottle(log)
    began = False

    def worked() -> None:
        warnings.over(QUEUE_AWAY, "the job queue's server answers again")

    while not stopping():
        try:
            server = connect()
            server.ping()
            if not began:
                log.info("working")
            began = True
            (worker(server) if worker else BotWorker(server, stopping)).run(worked)
        except RedisError as error:
            away = unavailable(error)
            warnings.warning(QUEUE_AWAY, away.said, kind=away.kind)
            pause(PAUSE)
        except Exception as error:  # noqa: BLE001 -- bots move as long as this process works
            warnings.exception("the worker failed, and begins anew", error=error)
            pause(PAUSE)
    log.info("stopped")
