"""RQ's way to carry out a job, with fewer writes for each job.

RQ sends the queue's server about 27 requests for each job, so that a move of a cheap bot is a small part of its job's
cost. Most of these report the state of the job; here the game's own stream does that, and the sweeper finds lost jobs.
Of RQ's worker, this class uses the time limit, the registry of failed jobs, the registration and the maintenance. It
leaves out the loop, and what three of the methods below would write (docs/adr/0018).
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

TTL: Final = 20  # seconds; RQ keeps the key of a worker without signs of life for TTL + 60 s
MAINTENANCE: Final = 60  # seconds between two cleanings of RQ's registries


def new_name() -> str:
    """A name for a worker of this process, with its machine and process, because the queue's server may lose the
    worker's record.

    It has no space, because RQ gives it to its connection as a name.
    """
    return f"{socket.gethostname()}/{os.getpid()}/{uuid4().hex}"


def is_dead(worker: str | None) -> bool:
    """True if the worker of this name was a process of this machine that no longer exists."""
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
        """Keep the worker registered, even on a server that lost its memory. Raises RedisError."""
        with self.connection.pipeline() as pipeline:
            self.heartbeat(pipeline=pipeline)
            pipeline.hset(self.key, mapping=self.serialize())
            worker_registration.register(self, pipeline)
            pipeline.sadd(Queue.redis_queues_keys, *(queue.key for queue in self.queues))  # for `rq info`
            pipeline.execute()

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log how the job failed: in one line if the event store did not answer, because the sweeper then repeats the
        job.
        """
        if isinstance(exc_info[1], StoreUnavailable):
            log.warning("%s: %s The job will be put in line again.", job.id, exc_info[1])
        else:
            super().handle_exception(job, *exc_info)

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        """Do nothing: the worker and the time were recorded when the job was fetched."""

    def handle_execution_ended(self, job: Job, queue: Queue, heartbeat_ttl: int) -> None:
        """Set the time of the end, for the record of a job that failed."""
        job.ended_at = now()

    def handle_job_success(self, job: Job, queue: Queue, started_job_registry: StartedJobRegistry) -> None:
        """Do nothing: the job is deleted when the next one is fetched, and its result is elsewhere."""
