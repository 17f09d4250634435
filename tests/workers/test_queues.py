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


def test_the_job_id_names_game_and_version() -> None:
    """The same work has the same id, in the letters that RQ allows."""
    assert TASK.job_id == "bot-2epPYkrvB6K2mBjFE6M6hT-9"


def test_asked_twice_is_queued_once(queue: JobQueue) -> None:
    """Two dispatchers, or one that sees an entry twice, make one job."""
    queue.enqueue(TASK)
    queue.enqueue(TASK)
    assert queue.rq.job_ids == [TASK.job_id]
    assert queue.state(TASK) is JobState.WAITING


def test_what_a_job_is_like(queue: JobQueue, redis: Redis) -> None:
    """Plain JSON, a time limit, and an end to how long it is kept."""
    queue.enqueue(TASK)
    stored = job(queue)
    assert (stored.func_name, stored.args) == ("workers.jobs.bot", ["2epPYkrvB6K2mBjFE6M6hT", 9])
    assert (stored.timeout, stored.failure_ttl) == (TIMEOUT, FAILURE_TTL)
    assert 0 < redis.ttl(f"rq:job:{TASK.job_id}") <= QUEUED_TTL
    data = redis.hget(f"rq:job:{TASK.job_id}", "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [
        "workers.jobs.bot",
        None,
        ["2epPYkrvB6K2mBjFE6M6hT", 9],
        {},
    ]


def test_unknown_work_is_absent(queue: JobQueue) -> None:
    """A job that nobody knows of cannot be hoped for."""
    assert queue.state(TASK) is JobState.ABSENT


def test_a_job_that_fell_out_of_the_queue_is_absent(queue: JobQueue, redis: Redis) -> None:
    """As when its worker died between taking and starting it."""
    queue.enqueue(TASK)
    redis.delete(queue.rq.key)
    assert queue.state(TASK) is JobState.ABSENT


def test_a_started_job_runs_until_its_time_is_over(queue: JobQueue, redis: Redis) -> None:
    """Whether its worker lives or was killed: after the time limit it is lost."""
    queue.enqueue(TASK)
    redis.delete(queue.rq.key)
    with redis.pipeline() as pipeline:
        job(queue).prepare_for_execution("a worker", pipeline)
        pipeline.execute()
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
        redis.delete(queue.rq.key)
        with redis.pipeline() as pipeline:
            job(queue).prepare_for_execution(worker, pipeline)
            pipeline.execute()
        assert queue.state(TASK) is state


def test_a_workers_name_is_one_that_a_connection_takes(redis: Redis) -> None:
    assert redis.client_setname(new_name())


def test_lost_work_is_queued_again(queue: JobQueue, redis: Redis) -> None:
    """Whatever is left of the old job does not stand in the way."""
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
