"""Fixtures of the workers' tests: a queue and a feed on a real server, and jobs that use the test's application."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from signal import ITIMER_REAL, SIGALRM, getitimer, raise_signal
from typing import Any, NoReturn

import pytest
from redis import Redis

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.ports import Feed
from events.runtime import adapters
from events.runtime.settings import Settings
from tests.support.clock import Clock
from workers import jobs
from workers.bot_worker import BotWorker
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.job_queue.queue import JobQueue
from workers.reactions.sweeper import GRACE, Sweeper

BOTS = (Seat("bot", bot="greedy"), Seat("bot", bot="greedy"))
Run = Callable[[], int]


@pytest.fixture
def redis(redis_url: str) -> Redis:
    """The server of the job queue, empty."""
    return Redis.from_url(redis_url)


@pytest.fixture
def queue(redis: Redis) -> JobQueue:
    return JobQueue(redis)


@pytest.fixture
def feed(settings: Settings) -> Feed:
    """The dispatcher's way into the feed, whose group exists."""
    feed = adapters.feed(settings, GROUP, CONSUMER)
    feed.join()
    return feed


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dispatcher's step does not wait for entries of the feed that nobody writes, and puts nothing off."""
    for name, seconds in (("BLOCK", 0.001), ("IDLE", 0.001), ("SETTLE", 1e-6)):
        monkeypatch.setattr(f"workers.dispatcher.{name}", seconds)


@pytest.fixture
def dispatcher(feed: Feed, application: Application, queue: JobQueue, redis: Redis) -> Dispatcher:
    """A dispatcher that does one step at a time."""
    return Dispatcher(feed, application, queue, redis)


@pytest.fixture
def clock() -> Clock:
    """The sweeper's clock."""
    return Clock()


@dataclass(frozen=True, slots=True)
class Place:
    """An application, the queue of its jobs, and a dispatcher between the two."""

    settings: Settings
    application: Application
    feed: Feed
    queue: JobQueue
    redis: Redis
    dispatcher: Dispatcher

    def new_game(self, *seats: Seat, **options: Any) -> str:
        """A game of the club's; its id."""
        new = NewGame(seats=seats, **options) if seats else NewGame(**options)
        return self.application.creation.create("club", new).snapshot.game_id

    def version(self, game_id: str) -> int:
        """The version that the game has reached."""
        return self.application.views.snapshot(game_id).version

    def step(self) -> None:
        """Let the dispatcher do its next step."""
        self.dispatcher.step()


@pytest.fixture
def place(
    settings: Settings,
    application: Application,
    feed: Feed,
    queue: JobQueue,
    redis: Redis,
    dispatcher: Dispatcher,
) -> Place:
    """A place in which nothing has happened yet."""
    return Place(settings, application, feed, queue, redis, dispatcher)


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


def time_is_up(limit: int) -> NoReturn:
    """In a job: as when all of its time has passed, which must not be more than so many seconds."""
    assert 0 < getitimer(ITIMER_REAL)[0] <= limit
    while True:
        raise_signal(SIGALRM)


def waiting(redis: Redis) -> set[str]:
    """The connections on which somebody waits for a job."""
    return {c["id"] for c in redis.client_list() if "b" in c["flags"] and c["cmd"] == "blmove"}
