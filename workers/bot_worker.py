"""The worker that carries jobs out: RQ's, without a fork for each job, with less to write about each of them, and
stubborn about its connection.

RQ sends the queue's server a dozen requests a job, so that a move of a cheap bot is a small part of what its job costs.
Most of them tell the world what becomes of the job; here the game's own stream does that, and the sweeper misses
whatever gets lost. One is left where jobs are waiting (`workers.job_fetching`), more where a worker waits for one.
"""

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
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.utils import now

from events.runtime import metrics
from workers.job_fetching import TAKEN, JobFetcher, TakenJob
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

    def __init__(
        self, server: Redis, stopping: Callable[[], bool] = lambda: False, queue: Queue | None = None
    ) -> None:
        """`server` keeps the job queue, which is another one than bots' if `queue` is given.

        `stopping` is asked between jobs.
        """
        super().__init__(
            [queue or JobQueue(server).rq],
            connection=server,
            serializer=JSONSerializer,
            worker_ttl=TTL,
            maintenance_interval=MAINTENANCE,
            log_job_description=False,
        )
        self._stopping = stopping
        self._next_beat = 0.0
        self._taking = JobFetcher(server, self.queues[0], self.name)

    @property
    def dequeue_timeout(self) -> int:
        """Seconds that one look for a job takes at most."""
        return LOOK

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """The next job: one that waits already, or else RQ's way of waiting for one."""
        self.heartbeat()
        job = self._taking.take()
        return (
            super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
            if job is None
            else (job, self.queues[0])
        )

    def teardown(self) -> None:
        """Leave nothing behind."""
        self._taking.end()
        super().teardown()  # type: ignore[no-untyped-call]

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
            self.perform_job(job, queue)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Carry the job out, and measure how long it waited and took."""
        began, labels = now(), (queue.name, str(job.func_name).rpartition(".")[2])
        if job.enqueued_at is not None:
            metrics.JOB_WAIT.labels(*labels).observe(max(0.0, (began - job.enqueued_at).total_seconds()))
        with metrics.JOB_SECONDS.labels(*labels).time():
            return super().perform_job(job, queue)

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        """Say that the job is being done, and by whom: what `JobQueue.state` asks for."""
        if isinstance(job, TakenJob):
            return
        with self.connection.pipeline(transaction=False) as pipeline:
            job.prepare_for_execution(self.name, pipeline)
            pipeline.eval(TAKEN, 1, job.key)
            if remove_from_intermediate_queue:
                pipeline.lrem(self.queues[0].intermediate_queue_key, 1, job.id)
            pipeline.execute()

    def handle_execution_ended(self, job: Job, queue: Queue, heartbeat_ttl: int) -> None:
        """Take the time."""
        job.ended_at = now()

    def handle_job_success(self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry) -> None:
        """Forget the job: what came of it stands elsewhere."""
        self._taking.done(job)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Known with the next sign of life."""
        self._state = state

    def check_for_suspension(self, burst: bool) -> None:
        """No suspension: whoever wants no work done stops the workers."""

    def subscribe(self) -> None:
        """No remote commands."""

    def unsubscribe(self) -> None:
        """No remote commands."""

    def _install_signal_handlers(self) -> None:
        """The process has its own: RQ's raise an exception wherever they hit, which the wrong code may catch."""


def work(
    connect: Callable[[], Redis],
    stopping: Callable[[], bool],
    pause: Callable[[float], None] = time.sleep,
    worker: Callable[[Redis], BotWorker] | None = None,
) -> None:
    """Work until told to stop, as bot worker unless another one is given; a server that goes away is waited for."""
    silent = False
    while not stopping():
        try:
            server = connect()
            server.ping()
            log.info("the job queue's server answers again" if silent else "working")
            silent = False
            (worker(server) if worker else BotWorker(server, stopping)).work(logging_level=None)
        except RedisError as error:
            if not silent:
                log.warning(
                    "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) does not answer: %s",
                    error,
                )
            silent = True
            pause(PAUSE)
    log.info("stopped")
