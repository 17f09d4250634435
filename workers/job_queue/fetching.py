"""A worker's next jobs: fetched in one request if jobs wait, which also deletes the jobs that it has done before."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

# the field with the time at which a job began, in seconds, by the clock of the queue's server
TAKEN_AT: Final = "taken_at"
ALONE: Final = "alone"  # the field of a job that must not be done together with others
WORKERS: Final = "rq:workers:"  # RQ's set of a queue's workers

# In one request, RQ's five: delete finished jobs, pop the next one from the list, read it, record its worker and the
# time. A worker gets at most its share of the waiting jobs. A job whose hash has expired is skipped; one that is to be
# done alone comes alone. Atomic, so every job either waits or is being done.
# KEYS: the queue, the list of what was popped by waiting for it, the workers, then what is to be deleted
# ARGV: prefix of jobs' keys, worker, time, the id of the job that was popped by waiting for it, or "", most jobs
FETCH: Final = """
for at = 4, #KEYS do redis.call('DEL', KEYS[at]) end
local share = redis.call('LLEN', KEYS[1]) / math.max(1, redis.call('SCARD', KEYS[3]))
local most, found = math.max(1, math.min(ARGV[5], math.ceil(share))), {}
local id = ARGV[4]
if id ~= '' then redis.call('LREM', KEYS[2], 1, id) else id = redis.call('LPOP', KEYS[1]) end
while id do
  local key = ARGV[1] .. id
  if redis.call('EXISTS', key) == 1 then
    local alone = redis.call('HEXISTS', key, 'alone') == 1
    if alone and #found > 0 then
      redis.call('LPUSH', KEYS[1], id)
      break
    end
    redis.call('HSET', key, 'status', 'started', 'worker_name', ARGV[2], 'started_at', ARGV[3],
               'taken_at', redis.call('TIME')[1])
    found[#found + 1] = {id, redis.call('HGETALL', key)}
    if alone then break end
  end
  if #found >= most then break end
  id = redis.call('LPOP', KEYS[1])
end
return found
"""
# Puts jobs back to the head of the queue, to be done alone; one that has expired is left out.
# KEYS: the queue; ARGV: prefix of jobs' keys, then the ids, the last first
PUT_BACK: Final = """
for at = 2, #ARGV do
  local key = ARGV[1] .. ARGV[at]
  if redis.call('EXISTS', key) == 1 then
    redis.call('HSET', key, 'status', 'queued', 'alone', '1')
    redis.call('LPUSH', KEYS[1], ARGV[at])
  end
end
"""


class Taken(NamedTuple):
    """A job that this worker has to do: its id, and its hash."""

    id: str
    fields: dict[bytes, bytes]

    @property
    def is_alone(self) -> bool:
        """True if it is not to be done together with others."""
        return ALONE.encode() in self.fields


class FetchedJob(Job):
    """A job that is marked as being done. It keeps the expiry that it had: nobody needs it for longer."""

    def perform(self) -> Any:
        """Call the job's function with its arguments."""
        return self.func(*self.args, **self.kwargs)


class JobFetcher:
    """Fetches jobs for one worker. Every method except `close` may raise RedisError."""

    def __init__(self, server: Redis, queue: Queue, worker: str) -> None:
        self._server = server
        self._queue = queue
        self._worker = worker
        self._script = server.register_script(FETCH)
        self._put_back = server.register_script(PUT_BACK)
        self._done: list[str] = []
        self._is_idle = False  # True if nothing waited at the last look

    def forget(self, job_id: str) -> None:
        """Delete a job that is done, with the next look for jobs."""
        self._done.append(Job.key_for(job_id))

    def close(self) -> None:
        """Delete the jobs that are done; no more jobs are fetched."""
        if self._done:
            with suppress(RedisError):  # it expires
                self._server.delete(*self._done)

    def fetch(self, patience: float = 0.0) -> FetchedJob | None:
        """The next job, marked as being done; None if there is none within `patience` seconds."""
        return next(map(self.restored, self.take(1, patience)), None)

    def take(self, most: int, patience: float = 0.0) -> list[Taken]:
        """The next jobs, marked as being done: this worker's share of the waiting ones, and at most `most`.

        A job that had to be waited for goes into RQ's intermediate queue first. If this process dies before the job is
        marked, the sweeper misses the job, and RQ's maintenance removes it from there.
        """
        if self._done or not (self._is_idle and patience):
            taken = self._take(most, "")
            if taken or not patience:
                return taken
        came: Any = self._server.execute_command(  # type: ignore[no-untyped-call]
            "BLMOVE", self._queue.key, self._queue.intermediate_queue_key, "LEFT", "RIGHT", patience
        )
        self._is_idle = came is None
        return [] if came is None else self._take(most, came.decode())

    def put_back(self, jobs: Sequence[Taken]) -> None:
        """Put these jobs back before all others, for any worker, to be done alone."""
        if jobs:
            self._put_back([self._queue.key], [Job.key_for(""), *(job.id for job in reversed(jobs))])

    def restored(self, taken: Taken) -> FetchedJob:
        """The job as RQ knows it."""
        job = FetchedJob(taken.id, connection=self._server, serializer=JSONSerializer)
        job.restore(taken.fields)
        return job

    def _take(self, most: int, popped: str) -> list[Taken]:
        done = tuple(self._done)
        found = self._script(
            [self._queue.key, self._queue.intermediate_queue_key, WORKERS + self._queue.name, *done],
            [Job.key_for(""), self._worker, utcformat(now()), popped, most],
        )
        del self._done[: len(done)]
        return [
            Taken(job_id.decode(), dict(zip(flat[::2], flat[1::2], strict=True))) for job_id, flat in found
        ]
