"""Fixtures of the workers' tests: a queue and a feed on a real server, and jobs that use the test's application."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from domain.lifecycle import Seat
from events.games.new_game import NewGame
from events.redis.feed import Feed
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.events.scripted_server import ScriptedServer, echo
from workers import jobs
from workers.bot_worker import BotWorker
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.job_queue.queue import JobQueue
from workers.sweeper import GRACE, Sweeper

BOTS = (Seat("bot", bot="greedy"), Seat("bot", bot="greedy"))
Run = Callable[[], int]


@pytest.fixture
def redis(redis_url: str) -> Redis:
    """The server of the job queue, empty."""
    return Redis.from_url(redis_url)


@pytest.fixture
def queue(redis: Redis) -> JobQueue:
    """The job queue, empty."""
    return JobQueue(redis)


@pytest.fixture
def feed(settings: Settings) -> Feed:
    """The dispatcher's way into the feed, whose group exists."""
    feed = bootstrap.feed(settings, GROUP, CONSUMER)
    feed.join()
    return feed


@pytest.fixture
def dispatcher(feed: Feed, application: Application, queue: JobQueue, redis: Redis) -> Dispatcher:
    """A dispatcher that does one step at a time."""
    return Dispatcher(feed, application, queue, redis)


class Clock:
    """A clock that a test puts forward."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The sweeper's clock."""
    return Clock()


@pytest.fixture
def sweeper(
    feed: Feed, application: Application, queue: JobQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Sweeper:
    """A sweeper for which everything that is due is overdue at once."""
    overdue = feed.overdue
    monkeypatch.setattr(feed, "overdue", lambda _: [replace(due, seconds=GRACE) for due in overdue(0)])
    return Sweeper(feed, application, queue, clock)


@pytest.fixture
def bots_game(application: Application) -> str:
    """A new game of two bots; nothing has been dispatched."""
    return application.creation.create("club", NewGame(seats=BOTS)).snapshot.game_id


@pytest.fixture
def run_jobs(
    application: Application, queue: JobQueue, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Carries out what is in the queue now, in this process; how many jobs that were."""
    monkeypatch.setattr(jobs, "application", lambda: application)

    def run() -> int:
        waiting, worker = queue.rq.count, BotWorker(Redis.from_url(redis_url))
        return sum(worker.step() for _ in range(waiting))

    return run


@pytest.fixture
def scripted(short_path: Path) -> Iterator[ScriptedServer]:
    """A server that says what it is asked."""
    server = ScriptedServer(short_path, echo)
    yield server
    server.close()


def waiting(redis: Redis) -> set[str]:
    """The connections on which somebody waits for a job."""
    return {c["id"] for c in redis.client_list() if "b" in c["flags"] and c["cmd"] == "blmove"}
