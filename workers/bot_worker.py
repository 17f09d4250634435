"""The worker that carries jobs out: RQ's, without a fork for each job, and stubborn about its connection."""

import logging
import time
from collections.abc import Callable

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import SimpleWorker, worker_registration
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from workers.queues import JobQueue

log = logging.getLogger("migrato.worker")

TTL = 20  # seconds; RQ looks for a job for TTL - 15 s at a time and keeps the worker's key TTL + 60 s
MAINTENANCE = 60  # seconds between two cleanings of RQ's registries
BEAT = (
    5.0  # seconds between two signs of life; RQ's own six a job would double the writes to a durable server
)
PAUSE = 0.5  # seconds before a server that went away is asked again


class BotWorker(SimpleWorker):
    """Runs jobs in its own process: a fork costs more than a cheap bot's move, and jobs here leave nothing behind.

    RQ's timeout (SIGALRM) works without a fork too. Remote commands are of no use here, so there is no subscription
    to them, which saves a thread and a connection.
    """

    max_connection_wait_time = 1.0  # seconds between two tries to reach the server
    log_result_lifespan = False

    _next_beat = 0.0

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Keep the worker known, but not more often than is of use; also to a server that lost its memory."""
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
        elif time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + BEAT
            with self.connection.pipeline() as registration:
                super().heartbeat(timeout, registration)
                registration.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, registration)
                registration.execute()

    def subscribe(self) -> None:
        """No remote commands."""

    def unsubscribe(self) -> None:
        """No remote commands."""

    @property
    def asked_to_stop(self) -> bool:
        """Whether a signal has asked for the end."""
        return self._shutdown_requested_date is not None


def work(connect: Callable[[], Redis], pause: Callable[[float], None] = time.sleep) -> None:
    """Work until SIGTERM or SIGINT; a server that goes away is waited for."""
    while True:
        worker: BotWorker | None = None
        try:
            worker = _worker(connect())
            log.info("working")
            worker.work(logging_level=None)
        except RedisError as error:
            log.warning("the job queue's server does not answer: %s", error)
        except StopRequested:
            return
        if worker is not None and worker.asked_to_stop:
            return
        pause(PAUSE)


def _worker(server: Redis) -> BotWorker:
    return BotWorker(
        [JobQueue(server).rq],
        connection=server,
        serializer=JSONSerializer,
        worker_ttl=TTL,
        maintenance_interval=MAINTENANCE,
        log_job_description=False,
    )
