"""Jobs of RQ, requested by the dotted name of their function. Outside of the workers, only this module knows RQ (ADR
0006).
"""

from collections.abc import Callable
from math import ceil
from secrets import token_hex

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer

from events.engine.pending_action import QUESTION_QUEUE, REMOTE_QUEUE
from events.errors import NoAnswer
from events.features.bots.redis.questions import JOB, QUESTION_TTL, Enqueue
from events.features.bots.trials import job_of

LIMIT = (
    22  # seconds that a job may take, far beyond what bots that keep to their time do: it gives hints as well
)
TRIAL = "workers.remote.trial.attempt"  # the function that carries a trial out, with its key
TRIAL_MARGIN = 3  # seconds that a trial's job may take beyond the call itself
# seconds for which a failed job can be inspected; it holds the question's key, not the question
FAILED_TTL = 3600


def enqueuing(url: str, timeout: float) -> Enqueue:
    """A function that makes jobs on the queue's server at `url`; NoAnswer if that does not answer in
    `timeout` seconds.
    """
    queue = _queue(QUESTION_QUEUE, url, timeout)

    def make(job_id: str, key: str, urgent: bool) -> None:
        queue.enqueue_call(
            JOB,
            args=[key],
            job_id=job_id,
            unique=True,
            at_front=urgent,
            timeout=LIMIT,
            ttl=QUESTION_TTL,
            result_ttl=0,
            failure_ttl=FAILED_TTL,
            description=job_id,
        )

    def is_waiting(job_id: str) -> bool:
        """True if a job for the same key waits. RQ lists also jobs that run, have failed, or have lost their worker."""
        return any(waiting == job_id or waiting.startswith(f"{job_id}-") for waiting in queue.get_job_ids())

    def enqueue(key: str, urgent: bool) -> None:
        job_id = f"think-{key}"
        try:
            try:
                make(job_id, key, urgent)
            except DuplicateJobError:
                if not is_waiting(job_id):
                    make(f"{job_id}-{token_hex(8)}", key, urgent)
        except RedisError as error:
            raise NoAnswer(str(error)) from error

    return enqueue


def calling(url: str, timeout: float, seconds: float) -> Callable[[str], None]:
    """A function that makes jobs of trials, whose calls take at most so many `seconds`; otherwise as `enqueuing`."""
    queue = _queue(REMOTE_QUEUE, url, timeout)

    def call(key: str) -> None:
        try:
            queue.enqueue_call(
                TRIAL,
                args=[key],
                job_id=job_of(key),
                timeout=ceil(seconds) + TRIAL_MARGIN,
                ttl=QUESTION_TTL,
                result_ttl=0,
                failure_ttl=FAILED_TTL,
                description=job_of(key),
            )
        except RedisError as error:
            raise NoAnswer(str(error)) from error

    return call


def _queue(name: str, url: str, timeout: float) -> Queue:
    retry = Retry(NoBackoff(), 0)
    server = Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=retry)
    return Queue(name, connection=server, serializer=JSONSerializer)
