"""Clocks that are set back: nothing that was lost is hidden by them."""

import threading
import time

import pytest
from redis import Redis

from events.application import Application
from events.ports import Feed
from events.runtime import adapters
from events.store import keys
from tests.support.clock import Clock
from tests.support.waiting import LIMIT, until
from tests.workers.conftest import BOTS, Place, waiting
from workers import jobs
from workers.bot_worker import BotWorker
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.job_queue.fetching import JobFetcher
from workers.job_queue.queue import TIMEOUT, JobQueue, JobState, Task
from workers.reactions.sweeper import GRACE, OVERTIME, Sweeper
from workers.reactions.takeover import CLAIM_AFTER

HOUR = 3600


@pytest.fixture
def sweeper(feed: Feed, application: Application, queue: JobQueue, clock: Clock) -> Sweeper:
    """A sweeper whose own clock goes on as the test says."""
    return Sweeper(feed, application, queue, clock)


def set_back(redis: Redis, game_id: str) -> None:
    """The store's clock is an hour behind what it was when the game began to wait."""
    index = keys.due(keys.partition_of(game_id))
    what, version, since = str(redis.hget(index, game_id), "ascii").split(":")  # type: ignore[arg-type]
    redis.hset(index, game_id, f"{what}:{version}:{int(since) + HOUR * 1000}")


def test_a_lost_job_is_found_by_a_clock_that_was_set_back(
    place: Place, sweeper: Sweeper, clock: Clock, bots_game: str
) -> None:
    """It is missed after the usual time, for its dispatcher may not have come to it yet; missed again, it is done."""
    set_back(place.redis, bots_game)
    sweeper.sweep()
    clock.now += GRACE / 2
    sweeper.sweep()
    assert place.queue.rq.job_ids == []
    clock.now += GRACE / 2
    sweeper.sweep()
    assert place.queue.rq.job_ids == [f"bot-{bots_game}-2"]
    place.redis.delete(place.queue.rq.key, f"rq:job:bot-{bots_game}-2")
    clock.now += GRACE
    sweeper.sweep()
    assert place.version(bots_game) > 2


def test_a_killed_workers_job_does_not_run_for_an_hour(
    place: Place, sweeper: Sweeper, clock: Clock, bots_game: str
) -> None:
    """Whatever the clock of the queue's server says of when it began."""
    task = Task("bot", bots_game, 2)
    place.queue.enqueue(task)
    assert JobFetcher(place.redis, place.queue.rq, "a worker of another machine").fetch() is not None
    place.redis.hset(f"rq:job:{task.job_id}", "taken_at", int(time.time()) + HOUR)
    for _ in range(int((TIMEOUT + OVERTIME) / GRACE) + 1):
        clock.now += GRACE
        sweeper.sweep()
        assert place.queue.state(task) is JobState.RUNNING
    clock.now += 2 * GRACE
    sweeper.sweep()
    assert place.queue.state(task) is JobState.WAITING


def test_the_clocks_of_machines_may_differ(
    place: Place, monkeypatch: pytest.MonkeyPatch, bots_game: str
) -> None:
    """One server is asked when a job began, and what time it is."""
    task, ours = Task("bot", bots_game, 2), time.time
    for ahead in (HOUR, -HOUR):
        place.queue.enqueue_again(task)
        assert JobFetcher(place.redis, place.queue.rq, "a worker").fetch() is not None
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda ahead=ahead: ours() + ahead)
            assert place.queue.state(task) is JobState.RUNNING
            place.redis.hincrby(f"rq:job:{task.job_id}", "taken_at", -TIMEOUT - 1)
            assert place.queue.state(task) is JobState.ABSENT


def test_a_worker_that_waited_notes_the_servers_time_too(
    place: Place, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker notes the server's time for a job that it waited for, too, in either way to get it."""
    noted: list[object] = []
    before = waiting(place.redis)

    def look(game_id: str, version: int) -> None:
        noted.append(place.redis.hget(f"rq:job:bot-{game_id}-{version}", "taken_at"))

    def enqueue_once_somebody_waits() -> None:
        until(lambda: waiting(place.redis) - before)
        place.queue.enqueue(Task("bot", bots_game, 2))

    monkeypatch.setattr(jobs, "application", lambda: place.application)
    monkeypatch.setattr(place.application.bot_turns, "bot_move", look)
    threading.Thread(target=enqueue_once_somebody_waits).start()
    assert BotWorker(place.redis).step(patience=int(LIMIT))
    (taken_at,) = noted
    assert taken_at is not None


def test_entries_of_a_dead_dispatcher_are_claimed_by_ones_own_clock(place: Place, clock: Clock) -> None:
    """Entries of a dead dispatcher are claimed in time, though a server that was set back calls them just read."""
    dispatcher = Dispatcher(place.feed, place.application, place.queue, place.redis, clock)
    game_id = place.new_game(*BOTS)
    assert len(adapters.feed(place.settings, GROUP, CONSUMER).read(block_ms=1)) == 1
    link = adapters.patient_link(place.settings)
    (pending,) = link.call("XPENDING", keys.feed(keys.partition_of(game_id)), GROUP, "-", "+", 1)
    later = int(time.time() + HOUR) * 1000
    link.call("XCLAIM", keys.feed(keys.partition_of(game_id)), GROUP, CONSUMER, 0, pending[0], "TIME", later)
    dispatcher._takeover.look()
    assert place.queue.rq.job_ids == []
    clock.now += CLAIM_AFTER
    dispatcher._takeover.look()
    assert place.queue.rq.job_ids == [f"bot-{game_id}-2"]
    assert place.feed.oldest_pending() == {}
