"""The job queue: RQ with short times of expiry. It may lose jobs (see the sweeper), and must keep none forever."""

import logging
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from math import ceil
from typing import Any, Final

import orjson
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

from domain.bot import LONGEST
from events.engine.pending_action import GAME_QUEUE, PENDING, REMOTE_QUEUE
from events.store.connections.refusals import unavailable
from events.store.queues.keys import REMOTE_WAITING
from events.warning_throttle import WarningThrottle
from workers.job_queue.fetching import ALONE, TAKEN_AT
from workers.job_queue.runner import is_dead

log = logging.getLogger("migrato.job_queue")

TIMEOUT = (
    int(LONGEST) + 4
)  # seconds that a bot may think, and a margin; then RQ raises JobTimeoutException in the job
QUEUED_TTL = 300  # a job that nobody took in so long is gone; the sweeper has long played on
REMOTE_MARGIN = 3  # seconds that the job of a call may take beyond the call itself
FAILURE_TTL = 3600  # seconds for which a failed job can be inspected
ENQUEUED_AT_ONCE = 100  # jobs in one request
NOT_ENQUEUED: Final = "%s and %d other jobs could not be enqueued: the queue's server %s"

# Stores and queues jobs, except those that are there already; like RQ's `save_unique_job`, for several jobs.
# KEYS: the queue
# ARGV: prefix of jobs' keys, seconds until a job expires, number of what follows: fields and values that all of them
#       have; then of each its id and its data
ENQUEUE: Final = """
local first = 4 + tonumber(ARGV[3])
for at = first, #ARGV, 2 do
  local id, key = ARGV[at], ARGV[1] .. ARGV[at]
  if redis.call('EXISTS', key) == 0 then
    redis.call('HSET', key, 'data', ARGV[at + 1], 'description', id, unpack(ARGV, 4, first - 1))
    redis.call('EXPIRE', key, ARGV[2])
    redis.call('RPUSH', KEYS[1], id)
  end
end
"""


@dataclass(frozen=True, slots=True)
class Task:
    """Work for a game at one version: a bot's move, or the confirmation of a score.

    `kind` is one of `PENDING`. Once the game has left `version`, in any way, the task is done.
    """

    kind: str
    game_id: str
    version: int

    @property
    def job_id(self) -> str:
        """The id of the task's job, always the same for the same task. (RQ allows letters, digits, - and _.)"""
        return f"{self.kind}-{self.game_id}-{self.version}"

    @classmethod
    def of(cls, job_id: str) -> "Task":
        """The task of the job with that id. Raises ValueError for an id of no task."""
        kind, game_id, version = job_id.split("-")
        return cls(kind, game_id, int(version))


class JobState(Enum):
    """State of a job in the queue."""

    WAITING = "waiting"
    RUNNING = "running"
    ABSENT = "absent"  # done, failed, lost, or never queued


class JobQueue:
    """The queue in which tasks wait for a worker."""

    def __init__(self, redis: Redis, remote_seconds: float = 5.0) -> None:
        """`redis`: the server of MIGRATO_QUEUE_URL; `remote_seconds`: how long the call of a remote bot may take."""
        self.rq = Queue(GAME_QUEUE, connection=redis, serializer=JSONSerializer, default_timeout=TIMEOUT)
        self.remote = Queue(REMOTE_QUEUE, connection=redis, serializer=JSONSerializer)
        self.remote_timeout = ceil(remote_seconds) + REMOTE_MARGIN
        self._script = redis.register_script(ENQUEUE)
        self._warnings = WarningThrottle(log)
        self._common = {queue.name: _common_fields(queue) for queue in (self.rq, self.remote)}

    def enqueue(self, *tasks: Task, alone: bool = False) -> None:
        """Queue tasks, each once: a task whose job is in the queue already is not queued again.

        All of them are queued in one request. `alone`: none of them may be done together with others.
        """
        for queue in (self.rq, self.remote):
            wanted = [task for task in tasks if self._queue_of(task) is queue]
            for at in range(0, len(wanted), ENQUEUED_AT_ONCE):
                self._enqueue(queue, wanted[at : at + ENQUEUED_AT_ONCE], alone=alone)

    def _enqueue(self, queue: Queue, tasks: Sequence[Task], *, alone: bool) -> None:
        time = utcformat(now())
        times = {"created_at": time, "enqueued_at": time, "timeout": self.limit(tasks[0])}
        common = self._common[queue.name] | times
        if alone:
            common[ALONE] = "1"
        jobs = [(task.job_id, _data(task)) for task in tasks]
        sent = [Job.key_for(""), QUEUED_TTL, 2 * len(common), *chain(*common.items()), *chain(*jobs)]
        try:
            self._script([queue.key], sent)
        except RedisError as error:  # the sweeper queues the tasks again, or finally does them itself
            away = unavailable(error)
            self._warnings.warning(NOT_ENQUEUED, jobs[0][0], len(jobs) - 1, away.said, kind=away.kind)
        else:
            self._warnings.over(NOT_ENQUEUED, "jobs can be enqueued again")

    def limit(self, task: Task) -> int:
        """Seconds that the task's job may take."""
        return self.remote_timeout if self._queue_of(task) is self.remote else TIMEOUT

    def enqueue_again(self, task: Task) -> None:
        """Queue a lost task again: first everything that the queue has of its job is deleted."""
        try:
            Job.fetch(task.job_id, connection=self.rq.connection, serializer=JSONSerializer).delete()
        except NoSuchJobError:
            pass
        except RedisError as error:
            said = unavailable(error).said
            self._warnings.warning("%s could not be deleted: the queue's server %s", task.job_id, said)
        self.enqueue(task, alone=True)  # if the job ends its worker again, no other jobs must be lost with it

    def state(self, task: Task) -> JobState:
        """The state of the task's job; ABSENT once the job can no longer be expected to be done.

        A worker that was killed leaves its job "running": lost if the worker is known to be dead, and in any case once
        its time is over. All times are the queue server's. If its clock was set back they mean nothing, so a caller
        that waits for a job should measure the time itself (see `workers.reactions.sweeper`).
        """
        try:
            job = Job.fetch(task.job_id, connection=self.rq.connection, serializer=JSONSerializer)
            status = job.get_status(refresh=False)
            if status == JobStatus.QUEUED and self._is_in_line(task):
                return JobState.WAITING
            if status == JobStatus.QUEUED:  # a worker may have taken it in between
                job.refresh()  # type: ignore[no-untyped-call]
                status = job.get_status(refresh=False)
            if status == JobStatus.STARTED and self._has_time(job) and not is_dead(job.worker_name):
                return JobState.RUNNING
        except (NoSuchJobError, RedisError):
            pass
        return JobState.ABSENT

    def _queue_of(self, task: Task) -> Queue:
        return self.remote if PENDING[task.kind].queue == REMOTE_QUEUE else self.rq

    def _is_in_line(self, task: Task) -> bool:
        """True if the job is in its queue, or in a lane; both are looked up in one step, because it moves
        between them.
        """
        with self.rq.connection.pipeline() as both:
            both.lpos(self._queue_of(task).key, task.job_id)
            both.hexists(REMOTE_WAITING, task.job_id)
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


def _common_fields(queue: Queue) -> dict[str, Any]:
    """The fields that RQ writes for every job of the queue, without its times."""
    job = queue.create_job("", ttl=QUEUED_TTL, result_ttl=0, failure_ttl=FAILURE_TTL)
    fields = {name: value for name, value in job.to_dict().items() if value != ""}
    del fields["data"], fields["description"]
    return fields | {"status": JobStatus.QUEUED.value}


def _data(task: Task) -> bytes:
    """The call that RQ makes for the task, in RQ's form."""
    call = orjson.dumps((PENDING[task.kind].function, None, [task.game_id, task.version], {}))
    return zlib.compress(call)
