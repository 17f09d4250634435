"""The job queue: asked twice it does once, and it never keeps anything for good."""

import json
import os
import subprocess
import time
import zlib

from redis import Redis
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from workers.bootstrap import client_of
from workers.job_queue.queue import FAILURE_TTL, QUEUED_TTL, TIMEOUT, JobQueue, JobState, Task
from workers.job_queue.runner import new_name

TASK = Task("bot", "2epPYkrvB6K2mBjFE6M6hT", 9)


def job(queue: JobQueue) -> Job:
    """The job for TASK as RQ has it."""
    return Job.fetch(TASK.job_id, connection=queue.rq.connection, serializer=JSONSerializer)


def begun(queue: JobQueue, worker: str) -> None:
    """Let a worker take the job, as a former release did."""
    queue.rq.connection.delete(queue.rq.key)
    with queue.rq.connection.pipeline() as pipeline:
        job(queue).prepare_for_execution(worker, pipeline)
        pipeline.execute()


def test_work_that_is_asked_for_twice_is_queued_once(queue: JobQueue, redis: Redis) -> None:
    """By two dispatchers, or one that sees an entry twice: the same work has the same id, in letters that RQ allows.

    The job is plain JSON, and has a time limit, and an end to how long it is kept.
    """
    assert queue.state(TASK) is JobState.ABSENT
    for _ in range(2):
        queue.enqueue(TASK)
    assert queue.rq.job_ids == [TASK.job_id] == ["bot-2epPYkrvB6K2mBjFE6M6hT-9"]
    assert queue.state(TASK) is JobState.WAITING
    stored, arguments = job(queue), ["2epPYkrvB6K2mBjFE6M6hT", 9]
    assert (stored.func_name, stored.args) == ("workers.jobs.bot", arguments)
    assert (stored.timeout, stored.failure_ttl) == (TIMEOUT, FAILURE_TTL)
    assert 0 < redis.ttl(f"rq:job:{TASK.job_id}") <= QUEUED_TTL
    data = redis.hget(f"rq:job:{TASK.job_id}", "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == ["workers.jobs.bot", None, arguments, {}]
    redis.delete(queue.rq.key)
    assert queue.state(TASK) is JobState.ABSENT  # as when its worker died between taking and starting it


def test_a_started_job_runs_until_its_time_is_over(queue: JobQueue, redis: Redis) -> None:
    """With a living worker and with a killed one: after the time limit it is lost."""
    queue.enqueue(TASK)
    begun(queue, "a worker")
    assert queue.state(TASK) is JobState.RUNNING
    long_ago = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() - TIMEOUT - 1))
    redis.hset(f"rq:job:{TASK.job_id}", "started_at", long_ago)
    assert queue.state(TASK) is JobState.ABSENT


def test_a_job_of_a_dead_worker_is_lost_at_once(queue: JobQueue, redis: Redis) -> None:
    """If it was a process of this machine, nobody needs to wait for the time limit.

    Nor need the queue's server know the worker, which may have come back with nothing since.
    """
    with subprocess.Popen(["true"]) as process:
        process.wait()
    queue.enqueue(TASK)
    ours = new_name()
    for worker, state in (
        (ours.replace(f"/{os.getpid()}/", f"/{process.pid}/"), JobState.ABSENT),
        (ours, JobState.RUNNING),
        (f"elsewhere/{process.pid}/x", JobState.RUNNING),
    ):
        begun(queue, worker)
        assert queue.state(TASK) is state
    assert redis.client_setname(ours)


def test_lost_work_is_queued_again(queue: JobQueue, redis: Redis) -> None:
    """Lost work is queued again, whatever is left of the old job."""
    for status in (JobStatus.FAILED, JobStatus.STARTED, JobStatus.FINISHED):
        queue.enqueue(TASK)
        redis.delete(queue.rq.key)
        job(queue).set_status(status)
        queue.enqueue(TASK)
        assert queue.rq.job_ids == []
        queue.enqueue_again(TASK)
        assert queue.rq.job_ids == [TASK.job_id]
        assert queue.state(TASK) is JobState.WAITING


def test_a_queue_that_does_not_answer_is_no_failure() -> None:
    """RQ is treated as lossy, and this is the same: the sweeper goes on without it."""
    queue = JobQueue(client_of("unix:///nonexistent/redis.sock"))
    queue.enqueue(TASK)
    queue.enqueue_again(TASK)
    assert queue.state(TASK) is JobState.ABSENT
