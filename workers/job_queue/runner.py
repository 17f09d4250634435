"""RQ's way to carry a job out, with less to write about each of them.

RQ sends the queue's server some 27 requests a job, so that a move of a cheap bot is a small part of what its job costs.
Most of these report the state of the job; here the game's own stream does that, and the sweeper finds lost jobs. Used
of RQ's worker are its time limit, its registry of failed jobs, its registration and its maintenance; left out are its
loop, and what three of the methods below would write (docs/adr/0018).
"""

import logging
import os
import socket
from typing import Any, Final
from uuid import uuid4

from redis import Redis
from rq import Queue, SimpleWorker, worker_registration
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.utils import now

from events.errors import StoreUnavailable

log = logging.getLogger("migrato.jobs")

TTL: Final = 20  # seconds; RQ keeps the key of a worker that went silent for TTL + 60 s
MAINTENANCE: Final = 60  # seconds between two cleanings of RQ's registries


def new_name() -> str:
    """A name for a worker of this process, with its machine and process, because the queue's server may forget the
    worker.

    It has no space, or RQ could not give it to its connection.
    """
    return f"{socket.gethostname()}/{os.getpid()}/{uuid4().hex}"


def is_dead(worker: str | None) -> bool:
    """True if the worker of this name was a process of this machine that does not exist any more."""
    host, _, rest = (worker or "").partition("/")
    pid = rest.partition("/")[0]
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


class JobRunner(SimpleWorker):
    """Carries out fetched jobs (`perform_job`), and is the worker that RQ knows."""

    def __init__(self, server: Redis, queue: Queue) -> None:
        super().__init__(
            [queue],
            name=new_name(),
            connection=server,
            serializer=JSONSerializer,
            worker_ttl=TTL,
            maintenance_interval=MAINTENANCE,
            log_job_description=False,
        )

    def sign_of_life(self) -> None:
        """Keep the worker known, also to a server that lost its memory. Raises RedisError."""
        with self.connection.pipeline() as pipeline:
            self.heartbeat(pipeline=pipeline)
            pipeline.hset(self.key, mapping=self.serialize())
            worker_registration.register(self, pipeline)
            pipeline.sadd(Queue.redis_queues_keys, *(queue.key for queue in self.queues))  # for `rq info`
            pipeline.execute()

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log how the job failed: in one line if the event store was away, for then it is the sweeper's."""
        if isinstance(exc_info[1], StoreUnavailable):
            log.warning("%s: %s The job will be put in line again.", job.id, exc_info[1])
        else:
            super().handle_exception(job, *exc_info)

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        """Do nothing: the worker and the time were noted when the job was fetched."""

    def handle_execution_ended(self, job: Job, queue: Queue, heartbeat_ttl: int) -> None:
        """Take the time, for the record of a job that failed."""
        job.ended_at = now()

    def handle_job_success(self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry) -> None:
        """Nothing: the job is deleted when the next one is fetched, and what came of it stands elsewhere."""
