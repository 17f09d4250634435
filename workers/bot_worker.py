"""The worker that carries jobs out: RQ's, without a fork for each job, and stubborn about its connection."""

import faulthandler
import logging
import time
from collections.abc import Callable

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer

from workers.queues import TIMEOUT, JobQueue

log = logging.getLogger("migrato.worker")

TTL = 20  # seconds; RQ keeps the key of a worker that went silent for TTL + 60 s
LOOK = 1  # seconds that the worker waits for a job at a time, and so also the longest that a stop takes it
BEAT = 5.0  # seconds between two signs of life; RQ's own six a job would double what is written
MAINTENANCE = 60  # seconds between two cleanings of RQ's registries
HANGS_AFTER = 3  # seconds beyond its time limit after which a job will not come back any more
PAUSE = 0.5  # seconds before a server that went away is asked again


class BotWorker(SimpleWorker):
    """Runs jobs in its own process: a fork costs more than a cheap bot's move, and jobs here leave nothing behind.

    RQ's timeout (SIGALRM) works without a fork too. Remote commands are of no use here, so there is no subscription
    to them, which saves a thread and a connection.
    """

    max_connection_wait_time = 1.0  # seconds between two tries to reach the server
    log_result_lifespan = False

    def __init__(self, server: Redis, stopping: Callable[[], bool] = lambda: False) -> None:
        """`server` keeps the job queue; `stopping` is asked between jobs."""
        super().__init__(
            [JobQueue(server).rq],
            connection=server,
            serializer=JSONSerializer,
            worker_ttl=TTL,
            maintenance_interval=MAINTENANCE,
            log_job_description=False,
        )
        self._stopping = stopping
        self._next_beat = 0.0

    @property
    def dequeue_timeout(self) -> int:
        """Seconds that one look for a job takes at most."""
        return LOOK

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Keep the worker known, also to a server that lost its memory. RQ calls this between any two steps."""
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
            return
        if self._stopping():
            raise StopRequested
        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + BEAT
            with self.connection.pipeline() as registration:
                super().heartbeat(timeout, registration)
                registration.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, registration)
                registration.execute()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Carry the job out.

        RQ's time limit cannot interrupt code that never comes back to Python. For that there is a second limit,
        which ends the whole process, so that it is started again.
        """
        faulthandler.dump_traceback_later(int(job.timeout or TIMEOUT) + HANGS_AFTER, exit=True)
        try:
            super().execute_job(job, queue)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def subscribe(self) -> None:
        """No remote commands."""

    def unsubscribe(self) -> None:
        """No remote commands."""

    def _install_signal_handlers(self) -> None:
        """The process has its own: RQ's raise an exception wherever they hit, which the wrong code may catch."""


def work(
    connect: Callable[[], Redis], stopping: Callable[[], bool], pause: Callable[[float], None] = time.sleep
) -> None:
    """Work until told to stop; a server that goes away is waited for."""
    silent = False
    while not stopping():
        try:
            server = connect()
            server.ping()
            log.info("the job queue's server answers again" if silent else "working")
            silent = False
            BotWorker(server, stopping).work(logging_level=None)
        except RedisError as error:
            if not silent:
                log.warning(
                    "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) does not answer: %s",
                    error,
                )
            silent = True
            pause(PAUSE)
    log.info("stopped")
