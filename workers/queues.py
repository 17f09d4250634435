"""The job queue: RQ, told to forget quickly. It may lose jobs (see the sweeper); it must never keep one for good."""

import logging
import os
import socket
from dataclasses import dataclass
from enum import Enum
from math import ceil

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from events.games.bot_decision import LONGEST
from events.games.pending_action import GAME_QUEUE, PENDING, REMOTE_QUEUE
from events.redis.queue_keys import REMOTE_WAITING
from workers.job_fetching import TAKEN_AT

log = logging.getLogger("migrato.queue")

TIMEOUT = (
    int(LONGEST) + 4
)  # seconds that a bot may think, and a margin; then RQ raises JobTimeoutException in it
QUEUED_TTL = 300  # a job that nobody took in so long is gone; the sweeper has long played on
REMOTE_MARGIN = 3  # seconds that the job of a call may take beyond the call itself
FAILURE_TTL = 3600  # seconds in which a failed job can be looked at


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be done for a game at one version: a bot moves, or a score is confirmed.

    `kind` is one of `PENDING`. Once the game has moved on from `version`, by whatever means, the
    task is done.
    """

    kind: str
    game_id: str
    version: int

    @property
    def job_id(self) -> str:
        """The same work has the same job, however often it is asked for (RQ allows letters, digits, - and _)."""
        return f"{self.kind}-{self.game_id}-{self.version}"


class JobState(Enum):
    """What the queue knows of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    ABSENT = "absent"  # done, failed, lost, or never heard of


class JobQueue:
    """Where work waits for a worker."""

    def __init__(self, redis: Redis, remote_seconds: float = 5.0) -> None:
        """`redis`: the server of MIGRATO_QUEUE_URL; `remote_seconds`: how long a call of a remote bot may take."""
        self.rq = Queue(GAME_QUEUE, connection=redis, serializer=JSONSerializer, default_timeout=TIMEOUT)
        self.remote = Queue(REMOTE_QUEUE, connection=redis, serializer=JSONSerializer)
        self.remote_timeout = ceil(remote_seconds) + REMOTE_MARGIN

    def enqueue(self, work: Task) -> None:
        """Ask for the work to be done, once: it stays as it is if the same work is in the queue already."""
        queue = self._queue_of(work)
        try:
            with queue.connection.pipeline() as unsent:  # RQ's list of all queues, which nobody asks for
                queue.enqueue_call(
                    PENDING[work.kind].function,
                    args=[work.game_id, work.version],
                    job_id=work.job_id,
                    unique=True,
                    timeout=self.limit(work),
                    ttl=QUEUED_TTL,
                    result_ttl=0,
                    failure_ttl=FAILURE_TTL,
                    description=work.job_id,
                    pipeline=unsent,
                )
        except DuplicateJobError:
            pass
        except RedisError as error:  # the sweeper asks again, and in the end does without
            log.warning("%s could not be enqueued: %s", work.job_id, error)

    def limit(self, work: Task) -> int:
        """Seconds that the work's job may take."""
        return self.remote_timeout if self._queue_of(work) is self.remote else TIMEOUT

    def enqueue_again(self, work: Task) -> None:
        """Ask for lost work: whatever the queue still believes of the job is forgotten first."""
        try:
            Job.fetch(work.job_id, connection=self.rq.connection, serializer=JSONSerializer).delete()
        except NoSuchJobError:
            pass
        except RedisError as error:
            log.warning("%s could not be deleted: %s", work.job_id, error)
        self.enqueue(work)

    def state(self, work: Task) -> JobState:
        """Whether the job can still be hoped for.

        A worker that was killed leaves its job "running": lost where the worker is known to be dead, and in any case
        once its time is over. All times are the queue's server's; one that was set back says nothing, so whoever
        hopes for a job had better measure for how long (see `workers.sweeper`).
        """
        try:
            job = Job.fetch(work.job_id, connection=self.rq.connection, serializer=JSONSerializer)
            status = job.get_status(refresh=False)
            if status == JobStatus.QUEUED and self._is_in_line(work):
                return JobState.WAITING
            if status == JobStatus.QUEUED:  # a worker may have taken it in between
                job.refresh()  # type: ignore[no-untyped-call]
                status = job.get_status(refresh=False)
            if status == JobStatus.STARTED and self._has_time(job) and not self._is_dead(job.worker_name):
                return JobState.RUNNING
        except (NoSuchJobError, RedisError):
            pass
        return JobState.ABSENT

    def _queue_of(self, work: Task) -> Queue:
        return self.remote if PENDING[work.kind].queue == REMOTE_QUEUE else self.rq

    def _is_in_line(self, work: Task) -> bool:
        """Whether the job is in its queue, or in a lane; both are looked up at one moment, for it moves."""
        with self.rq.connection.pipeline() as both:
            both.lpos(self._queue_of(work).key, work.job_id)
            both.hexists(REMOTE_WAITING, work.job_id)
            position, in_lane = both.execute()
        return position is not None or bool(in_lane)

    def _has_time(self, job: Job) -> bool:
        noted = self.rq.connection.hget(job.key, TAKEN_AT)
        if noted is not None:
            began = float(noted)
        elif job.started_at is not None:
            began = job.started_at.timestamp()
        else:
            return False
        seconds, _ = self.rq.connection.time()
        return bool(seconds < began + int(job.timeout or TIMEOUT))

    def _is_dead(self, worker: str | None) -> bool:
        """Whether the worker was a process of this machine that does not exist any more."""
        host, pid = self.rq.connection.hmget(f"rq:worker:{worker}", "hostname", "pid")
        if pid is None or host != socket.gethostname().encode():
            return False
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False
