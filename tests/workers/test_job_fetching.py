"""Fetching jobs: with little to say about each, and none lost."""

import threading

import pytest
from redis import Redis

from tests.support.proxy import BadConnection
from tests.support.sure import sure
from tests.support.waiting import LIMIT, until
from tests.workers.conftest import waiting
from workers.bot_worker import BotWorker
from workers.job_queue.fetching import FetchedJob, JobFetcher
from workers.job_queue.queue import JobQueue, JobState, Task

TASKS = [Task("score", f"2epPYkrvB6K2mBjFE6M6h{number}", 9) for number in range(9)]


@pytest.fixture
def fetcher(queue: JobQueue, redis: Redis) -> JobFetcher:
    """A worker's way to its jobs."""
    return JobFetcher(redis, queue.rq, "a worker")


def fetched(fetcher: JobFetcher, patience: int = 0) -> FetchedJob:
    """The next job; there must be one."""
    return sure(fetcher.fetch(patience) if patience else fetcher.fetch())


def test_the_first_job_that_was_asked_for_is_fetched_first(
    queue: JobQueue, fetcher: JobFetcher, redis: Redis
) -> None:
    """It is being done from then on. A done job is deleted with the next look, also where there is no job."""
    for task in TASKS[:2]:
        queue.enqueue(task)
    job = fetched(fetcher)
    assert (job.id, job.func_name, job.args) == (TASKS[0].job_id, "workers.jobs.score", [TASKS[0].game_id, 9])
    assert [queue.state(task) for task in TASKS[:2]] == [JobState.RUNNING, JobState.WAITING]
    fetcher.forget(job.id)
    fetcher.forget(fetched(fetcher).id)
    assert fetcher.fetch() is None
    assert redis.keys("rq:job:*") == []


def test_a_job_that_has_expired_is_passed_over(queue: JobQueue, fetcher: JobFetcher, redis: Redis) -> None:
    """A job that has expired is passed over, though its name is still in the list."""
    for task in TASKS[:2]:
        queue.enqueue(task)
    redis.delete(f"rq:job:{TASKS[0].job_id}")
    assert fetched(fetcher).id == TASKS[1].job_id
    assert queue.rq.count == 0


def test_a_job_that_is_waited_for_is_fetched_when_it_comes(
    queue: JobQueue, fetcher: JobFetcher, redis: Redis
) -> None:
    """It stands nowhere else any more, like one that was waiting."""
    before = waiting(redis)

    def enqueue_once_somebody_waits() -> None:
        until(lambda: waiting(redis) - before)
        queue.enqueue(TASKS[0])

    threading.Thread(target=enqueue_once_somebody_waits).start()
    assert fetched(fetcher, patience=int(LIMIT)).id == TASKS[0].job_id
    assert queue.state(TASKS[0]) is JobState.RUNNING
    assert queue.rq.intermediate_queue.get_job_ids() == []


def test_a_job_whose_worker_died_before_it_began_is_missed(
    queue: JobQueue, fetcher: JobFetcher, redis: Redis
) -> None:
    """It was popped and not marked; asked for again, it is done once, and is left nowhere."""
    queue.enqueue(TASKS[0])
    redis.lmove(queue.rq.key, queue.rq.intermediate_queue_key, "LEFT", "RIGHT")
    assert queue.state(TASKS[0]) is JobState.ABSENT
    queue.enqueue_again(TASKS[0])
    job = fetched(fetcher)
    assert job.id == TASKS[0].job_id
    fetcher.forget(job.id)
    assert fetcher.fetch() is None
    queue.rq.intermediate_queue.cleanup(BotWorker(redis).runner, queue.rq)
    assert redis.keys("rq:job:*") == []
    assert queue.rq.intermediate_queue.get_job_ids() == []


def test_a_job_that_waits_costs_one_request(
    queue: JobQueue, counted: BadConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the queue's server, from fetching it to having deleted it."""
    monkeypatch.setattr("workers.jobs.score", lambda game_id, version: None)
    for task in TASKS:
        queue.enqueue(task)
    worker = BotWorker(Redis.from_url(counted.url))
    worker.step()
    counted.requests = 0
    assert all(worker.step() for _ in TASKS[1:])
    assert counted.requests == len(TASKS) - 1
