"""How a worker gets its next job: in one request where jobs wait, which also deletes those that it has done before."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

TAKEN_AT: Final = "taken_at"  # when a job was begun, in seconds, by the clock of the queue's server

# What RQ does by five requests: delete the finished job, pop the next from the list, read it, note who does it since
# when. A job whose hash has expired is passed over. Atomic, so no job is ever neither waiting nor being done.
# KEYS: the queue, the list of what was popped by waiting for it, then what is to be deleted
# ARGV: prefix of jobs' keys, worker, time, the id of the job that was popped by waiting for it, or ""
FETCH: Final = """
local function start(id)
  local key = ARGV[1] .. id
  if redis.call('EXISTS', key) == 0 then return false end
  redis.call('HSET', key, 'status', 'started', 'worker_name', ARGV[2], 'started_at', ARGV[3],
             'taken_at', redis.call('TIME')[1])
  return {id, redis.call('HGETALL', key)}
end
for at = 3, #KEYS do redis.call('DEL', KEYS[at]) end
local id = ARGV[4]
if id ~= '' then redis.call('LREM', KEYS[2], 1, id) else id = redis.call('LPOP', KEYS[1]) end
while id do
  local found = start(id)
  if found then return found end
  id = redis.call('LPOP', KEYS[1])
end
return false
"""


class FetchedJob(Job):
    """A job that is marked as being done, and expires when it was to expire: nobody needs to keep it for longer."""

    def perform(self) -> Any:
        """Call the job's function with its arguments."""
        return self.func(*self.args, **self.kwargs)


class JobFetcher:
    """Fetches jobs for one worker. Every method but `close` may raise RedisError."""

    def __init__(self, server: Redis, queue: Queue, worker: str) -> None:
        self._server = server
        self._queue = queue
        self._worker = worker
        self._script = server.register_script(FETCH)
        self._done: list[str] = []

    def forget(self, job: Job) -> None:
        """The job is done: delete it with the next `fetch`."""
        self._done.append(job.key)

    def close(self) -> None:
        """No more jobs will be fetched."""
        if self._done:
            with suppress(RedisError):  # it expires
                self._server.delete(*self._done)

    def fetch(self, patience: int = 0) -> FetchedJob | None:
        """The next job, marked as being done; None if none comes within `patience` seconds.

        A job that is waited for goes into RQ's intermediate queue first. Should this process die before it is marked,
        the sweeper misses it, and RQ's maintenance tidies up.
        """
        job = self._fetch("")
        if job is not None or patience == 0:
            return job
        came: Any = self._server.blmove(
            self._queue.key, self._queue.intermediate_queue_key, patience, "LEFT", "RIGHT"
        )
        return None if came is None else self._fetch(came.decode())

    def _fetch(self, popped: str) -> FetchedJob | None:
        done = tuple(self._done)
        found = self._script(
            [self._queue.key, self._queue.intermediate_queue_key, *done],
            [Job.key_for(""), self._worker, utcformat(now()), popped],
        )
        del self._done[: len(done)]
        return None if found is None else self._restored(*found)

    def _restored(self, job_id: bytes, flat: Sequence[bytes]) -> FetchedJob:
        job = FetchedJob(job_id.decode(), connection=self._server, serializer=JSONSerializer)
        job.restore(dict(zip(flat[::2], flat[1::2], strict=True)))
        return job
