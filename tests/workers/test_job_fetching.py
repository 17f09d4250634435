"""How jobs are taken: with little to say about each, and none lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.events.proxy import BadConnection
from workers.bot_worker import BotWorker
from workers.job_fetching import JobFetcher
from workers.queues import JobQueue, JobState
from workers.task import Task

WORKS = [Task("score", f"2epPYkrvB6K2mBjFE6M6h{number}", 9) for number in range(9)]


@pytest.fixture
def taking(queue: JobQueue, redis: Redis) -> JobFetcher:
    """A worker's way to its jobs."""
    return JobFetcher(redis, queue.rq, "a worker")


@pytest.fixture
def counted(redis_url: str, short_path: Path) -> Iterator[BadConnection]:
    """A connection that counts."""
    connection = BadConnection(redis_url, short_path)
    yield connection
    connection.close()


def test_what_was_asked_for_first_is_taken_first(queue: JobQueue, taking: JobFetcher) -> None:
    """And is being done from then on."""
    for work in WORKS[:2]:
        queue.enqueue(work)
    job = taking.take()
    assert job is not None
    assert (job.id, job.func_name, job.args) == (WORKS[0].job_id, "workers.jobs.score", [WORKS[0].game_id, 9])
    assert [queue.state(work) for work in WORKS[:2]] == [JobState.RUNNING, JobState.WAITING]


def test_a_job_that_is_done_is_forgotten_with_the_next_look(
    queue: JobQueue, taking: JobFetcher, redis: Redis
) -> None:
    """Also where there is no next job."""
    queue.enqueue(WORKS[0])
    job = taking.take()
    assert job is not None
    taking.done(job)
    assert taking.take() is None
    assert redis.keys("rq:job:*") == []


def test_a_job_that_has_expired_is_passed_over(queue: JobQueue, taking: JobFetcher, redis: Redis) -> None:
    """Its name is still in the list."""
    for work in WORKS[:2]:
        queue.enqueue(work)
    redis.delete(f"rq:job:{WORKS[0].job_id}")
    job = taking.take()
    assert job is not None
    assert job.id == WORKS[1].job_id
    assert queue.rq.count == 0


def test_a_job_that_waits_costs_one_request(
    queue: JobQueue, counted: BadConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the queue's server, from taking it to having forgotten it."""
    monkeypatch.setattr("workers.jobs.score", lambda game_id, version: None)
    requests = []
    for number in (3, 9):
        for work in WORKS[:number]:
            queue.enqueue(work)
        counted.requests = 0
        BotWorker(Redis.from_url(counted.url)).work(burst=True, max_jobs=number, logging_level=None)
        requests.append(counted.requests)
    assert requests[1] - requests[0] == 6


def test_what_fails_can_be_looked_at(queue: JobQueue, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed job is kept for a while, in RQ's own way."""
    monkeypatch.delattr("workers.jobs.score")
    queue.enqueue(WORKS[0])
    BotWorker(redis).work(burst=True, logging_level=None)
    assert queue.rq.failed_job_registry.get_job_ids() == [WORKS[0].job_id]
