"""How a worker takes a job that waits: in one request, which also forgets the job done before."""

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
# Notes that too. KEYS: the job
TAKEN: Final = "redis.call('HSET', KEYS[1], 'taken_at', redis.call('TIME')[1])"

# What RQ does by five requests: forget the finished job, take the next from the list, read it, note who does it since
# when. A job whose hash has expired is passed over. Atomic, so no job is ever neither waiting nor being done.
# KEYS: the queue, then what is to be forgotten
# ARGV: prefix of jobs' keys, worker, time
TAKE: Final = """
for at = 2, #KEYS do redis.call('DEL', KEYS[at]) end
while true do
  local id = redis.call('LPOP', KEYS[1])
  if not id then return false end
  local key = ARGV[1] .. id
  if redis.call('EXISTS', key) == 1 then
    redis.call('HSET', key, 'status', 'started', 'worker_name', ARGV[2], 'started_at', ARGV[3],
               'taken_at', redis.call('TIME')[1])
    return {id, redis.call('HGETALL', key)}
  end
end
"""


class TakenJob(Job):
    """A job that is marked as being done, and expires when it was to expire: nobody needs to keep it for longer."""

    def perform(self) -> Any:
        """Call the function."""
        return self._execute()


class JobFetcher:
    """Takes jobs for one worker."""

    def __init__(self, server: Redis, queue: Queue, worker: str) -> None:
        self._server = server
        self._queue = queue
        self._worker = worker
        self._script = server.register_script(TAKE)
        self._done: list[str] = []

    def done(self, job: Job) -> None:
        """The job can be forgotten, by the next `take`."""
        self._done.append(job.key)

    def end(self) -> None:
        """No more jobs will be taken."""
        if self._done:
            with suppress(RedisError):
                self._server.delete(*self._done)

    def take(self) -> TakenJob | None:
        """The next job that waits, marked as being done; None if there is none, or the server does not answer."""
        forgotten = tuple(self._done)
        try:
            found = self._script(
                [self._queue.key, *forgotten], [Job.key_for(""), self._worker, utcformat(now())]
            )
        except RedisError:
            return None  # who waits for a job next, will say so
        del self._done[: len(forgotten)]
        return None if found is None else self._restored(*found)

    def _restored(self, job_id: bytes, flat: Sequence[bytes]) -> TakenJob:
        job = TakenJob(job_id.decode(), connection=self._server, serializer=JSONSerializer)
        job.restore(dict(zip(flat[::2], flat[1::2], strict=True)))
        return job
