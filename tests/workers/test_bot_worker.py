"""The loop around jobs: it is known while it works, leaves nothing behind, and outlives what goes wrong."""

import logging
from collections.abc import Callable

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as ServerGone

from events.errors import StoreUnavailable
from workers import bot_worker
from workers.bot_worker import BotWorker, work
from workers.job_queue.queue import JobQueue, JobState, Task

TASKS = [Task("score", f"2epPYkrvB6K2mBjFE6M6h{number}", 9) for number in range(3)]


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers wait only briefly for jobs that do not come."""
    monkeypatch.setattr(bot_worker, "LOOK", 0.001)


def test_a_worker_is_known_while_it_works(
    queue: JobQueue, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its first job to its last, which is deleted like all others."""
    known = []

    def score(game_id: str, version: int) -> None:
        known.append(redis.smembers("rq:workers:migrato"))

    monkeypatch.setattr("workers.jobs.score", score)
    for task in TASKS:
        queue.enqueue(task)
    BotWorker(redis, stopping=lambda: len(known) == len(TASKS)).run()

    assert [len(workers) for workers in known] == [1, 1, 1]
    assert redis.smembers("rq:workers:migrato") == set()
    assert redis.keys("rq:job:*") == []
    assert redis.smembers("rq:queues") == {b"rq:queue:migrato"}  # by which `rq info` finds it


def test_a_stop_leaves_the_jobs_that_wait(queue: JobQueue, redis: Redis) -> None:
    queue.enqueue(TASKS[0])
    BotWorker(redis, stopping=lambda: True).run()

    assert queue.state(TASKS[0]) is JobState.WAITING


def test_a_job_without_a_store_fails_in_one_line(
    queue: JobQueue, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is nobody's fault, so no traceback frightens anybody; the traceback of any other failure is kept."""
    failures: list[Exception] = [StoreUnavailable("gone"), RuntimeError("broken")]

    def score(game_id: str, version: int) -> None:
        raise failures.pop(0)

    monkeypatch.setattr("workers.jobs.score", score)
    for task in TASKS[:2]:
        queue.enqueue(task)
    with caplog.at_level(logging.WARNING):
        BotWorker(redis, stopping=lambda: not failures).run()

    away, broken = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert away == f"{TASKS[0].job_id}: {StoreUnavailable('gone')} The job will be put in line again."
    assert "RuntimeError: broken" in broken


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (
            ServerGone("gone"),
            "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) does not answer: gone",
        ),
        (RuntimeError("broken"), "the worker failed, and begins anew"),
    ],
)
def test_a_worker_that_fails_is_made_anew(
    redis: Redis, failure: Exception, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    """After a pause, as often as need be, and until it is told to stop."""
    made: list[Redis] = []

    class Failing(BotWorker):
        def run(self, worked: Callable[[], None] = lambda: None) -> None:
            raise failure

    def worker(server: Redis) -> BotWorker:
        made.append(server)
        return Failing(server)

    pauses: list[float] = []
    with caplog.at_level(logging.WARNING, "migrato.bot_worker"):
        work(lambda: redis, lambda: len(made) == 2, pauses.append, worker)

    assert pauses == [bot_worker.PAUSE] * 2
    assert line in caplog.messages
