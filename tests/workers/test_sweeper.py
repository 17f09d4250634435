"""The sweeper: whatever the queue loses, the game goes on."""

from typing import Any

import pytest
from redis import Redis

from events.errors import StoreUnavailable
from events.games.new_game import NewGame
from events.redis.feed import Feed
from events.use_cases.application import Application
from tests.workers.conftest import Clock, Run
from workers.job_queue.queue import JobQueue, JobState, Task
from workers.sweeper import GRACE, PATIENCE, Sweeper


def lose(queue: JobQueue, redis: Redis) -> None:
    """The queue forgets everything."""
    for key in redis.scan_iter("rq:*"):
        redis.delete(key)


def test_missing_work_is_enqueued_again(sweeper: Sweeper, queue: JobQueue, bots_game: str) -> None:
    """The first time the queue gets another chance."""
    sweeper.sweep()
    assert queue.rq.job_ids == [f"bot-{bots_game}-2"]


def test_work_missing_twice_is_done_by_the_sweeper(
    sweeper: Sweeper, clock: Clock, queue: JobQueue, redis: Redis, application: Application, bots_game: str
) -> None:
    """The game gets a fallback move rather than wait for a queue that loses everything."""
    sweeper.sweep()
    lose(queue, redis)
    sweeper.sweep()
    assert application.views.snapshot(bots_game).version == 2  # there is some time between the two
    clock.now += GRACE
    sweeper.sweep()
    assert application.views.snapshot(bots_game).version > 2


def test_a_game_that_goes_on_begins_anew(
    sweeper: Sweeper, clock: Clock, queue: JobQueue, redis: Redis, application: Application, bots_game: str
) -> None:
    """Each version is watched for itself: its first miss is a first one."""
    sweeper.sweep()
    application.bot_turns.bot_move(bots_game, 2)
    version = application.views.snapshot(bots_game).version
    lose(queue, redis)
    clock.now += GRACE
    sweeper.sweep()
    assert application.views.snapshot(bots_game).version == version
    assert queue.rq.job_ids == [f"bot-{bots_game}-{version}"]


def test_waiting_work_is_left_in_the_queue(
    sweeper: Sweeper, clock: Clock, queue: JobQueue, application: Application, bots_game: str
) -> None:
    """A long queue is no loss, up to a point."""
    queue.enqueue(Task("bot", bots_game, 2))
    for _ in range(int(PATIENCE / GRACE)):
        sweeper.sweep()
        clock.now += GRACE
    assert application.views.snapshot(bots_game).version == 2
    clock.now += GRACE
    sweeper.sweep()
    assert application.views.snapshot(bots_game).version > 2


def test_running_work_is_left_to_its_worker(
    sweeper: Sweeper,
    clock: Clock,
    queue: JobQueue,
    application: Application,
    bots_game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that thinks within its time is not disturbed."""
    monkeypatch.setattr(queue, "state", lambda work: JobState.RUNNING)
    for _ in range(3):
        sweeper.sweep()
        clock.now += GRACE
    assert application.views.snapshot(bots_game).version == 2
    assert queue.rq.job_ids == []


def test_an_unscored_game_is_scored(
    sweeper: Sweeper, clock: Clock, queue: JobQueue, redis: Redis, application: Application
) -> None:
    """A finished game waits for its confirmation like another for a bot."""
    game_id = application.creation.create("club", NewGame()).snapshot.game_id
    application.moves.play(game_id, 0, {"type": "resign"})
    sweeper.sweep()
    assert queue.rq.job_ids == [f"score-{game_id}-{application.views.snapshot(game_id).version}"]
    lose(queue, redis)
    clock.now += GRACE
    sweeper.sweep()
    result = application.views.snapshot(game_id).status.result
    assert result is not None
    assert result.scored


def test_two_sweepers_do_no_harm(
    sweeper: Sweeper, clock: Clock, queue: JobQueue, redis: Redis, application: Application, bots_game: str
) -> None:
    """Both play the fallback move, and it happens once."""
    other = Sweeper(sweeper._feed, application, queue, clock)
    for each in (sweeper, other):
        each.sweep()
    lose(queue, redis)
    clock.now += GRACE
    sweeper.sweep()
    version = application.views.snapshot(bots_game).version
    other._do(Task("bot", bots_game, 2))
    assert application.views.snapshot(bots_game).version == version


def test_reconciliation_enqueues_all_that_is_due(
    sweeper: Sweeper, queue: JobQueue, application: Application
) -> None:
    """The start of a dispatcher finds everything that was in flight, and no people's turns."""
    games = [application.creation.create("club", NewGame(seats=_bots())).snapshot.game_id for _ in range(5)]
    application.creation.create("club", NewGame())
    assert sweeper.reconcile() == 5
    assert sorted(queue.rq.job_ids) == sorted(f"bot-{game_id}-2" for game_id in games)
    assert sweeper.reconcile() == 5
    assert len(queue.rq.job_ids) == 5


def _bots() -> Any:
    from tests.workers.conftest import BOTS

    return BOTS


def test_one_broken_game_does_not_stop_the_others(
    sweeper: Sweeper,
    clock: Clock,
    queue: JobQueue,
    redis: Redis,
    application: Application,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game that cannot be played on is logged; the rest is done."""
    games = [application.creation.create("club", NewGame(seats=_bots())).snapshot.game_id for _ in range(3)]
    fallback = application.bot_turns.fallback_move

    def breaks_on_the_first(game_id: str, version: int, why: str) -> Any:
        if game_id == games[0]:
            raise KeyError(game_id)
        return fallback(game_id, version, why)

    monkeypatch.setattr(application.bot_turns, "fallback_move", breaks_on_the_first)
    sweeper.sweep()
    lose(queue, redis)
    clock.now += GRACE
    sweeper.sweep()
    assert [application.views.snapshot(game_id).version > 2 for game_id in games] == [False, True, True]


def test_a_silent_store_ends_the_sweep(
    sweeper: Sweeper,
    clock: Clock,
    queue: JobQueue,
    redis: Redis,
    application: Application,
    bots_game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The dispatcher waits for the store; there is no point in trying the next game."""

    def silent(*_: Any) -> None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(application.bot_turns, "fallback_move", silent)
    sweeper.sweep()
    lose(queue, redis)
    clock.now += GRACE
    with pytest.raises(StoreUnavailable):
        sweeper.sweep()


def test_what_was_enqueued_again_is_carried_out(
    sweeper: Sweeper, queue: JobQueue, redis: Redis, application: Application, bots_game: str, run_jobs: Run
) -> None:
    """A job whose worker was killed in the middle of it is done by the next one."""
    queue.enqueue(Task("bot", bots_game, 2))
    redis.delete(queue.rq.key)
    redis.hset(
        f"rq:job:bot-{bots_game}-2",
        mapping={"status": "started", "started_at": "2020-01-01T00:00:00.000000Z"},
    )
    sweeper.sweep()
    assert run_jobs() == 1
    assert application.views.snapshot(bots_game).version > 2


def test_work_that_was_done_meanwhile_is_not_missing(
    sweeper: Sweeper,
    feed: Feed,
    queue: JobQueue,
    application: Application,
    bots_game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sweep over many games takes its time, and they go on."""
    stale = feed.overdue(0)
    application.bot_turns.bot_move(bots_game, 2)
    monkeypatch.setattr(feed, "overdue", lambda seconds: stale)
    sweeper.sweep()
    assert queue.rq.job_ids == []
