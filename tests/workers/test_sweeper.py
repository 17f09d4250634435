"""The sweeper: whatever the queue loses, the game goes on."""

from dataclasses import dataclass
from typing import Any

import pytest
from redis import Redis

from events.application import Application
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.ports import Feed
from tests.support.clock import Clock
from tests.support.sure import sure
from tests.workers.conftest import BOTS, Run
from workers.job_queue.queue import JobQueue, JobState, Task
from workers.reactions.sweeper import GRACE, PATIENCE, Sweeper


@dataclass
class Round:
    """A sweeper, and what it looks after."""

    sweeper: Sweeper
    queue: JobQueue
    application: Application
    _redis: Redis
    _clock: Clock

    def sweep(self, later: float = 0.0) -> None:
        """Sweep after so many seconds."""
        self._clock.now += later
        self.sweeper.sweep()

    def loses_all(self) -> None:
        self._redis.delete(*self._redis.keys("rq:*"))

    def version(self, game_id: str) -> int:
        """Up to where the game has come."""
        return self.application.views.snapshot(game_id).version

    def new_games(self, number: int) -> list[str]:
        create = self.application.creation.create
        return [create("club", NewGame(seats=BOTS)).snapshot.game_id for _ in range(number)]


@pytest.fixture
def round_(sweeper: Sweeper, queue: JobQueue, application: Application, redis: Redis, clock: Clock) -> Round:
    return Round(sweeper, queue, application, redis, clock)


def test_work_that_is_missing_twice_is_done_by_the_sweeper(round_: Round, bots_game: str) -> None:
    """The first time the queue gets another chance; then the game gets a fallback move rather than wait for it."""
    round_.sweep()
    assert round_.queue.rq.job_ids == [f"bot-{bots_game}-2"]
    round_.loses_all()
    round_.sweep()
    assert round_.version(bots_game) == 2  # there is some time between the two
    round_.sweep(GRACE)
    assert round_.version(bots_game) > 2


def test_a_game_that_goes_on_begins_anew(round_: Round, bots_game: str) -> None:
    """Each version is watched for itself: its first miss is a first one."""
    round_.sweep()
    round_.application.bot_turns.bot_move(bots_game, 2)
    version = round_.version(bots_game)
    round_.loses_all()
    round_.sweep(GRACE)
    assert round_.version(bots_game) == version
    assert round_.queue.rq.job_ids == [f"bot-{bots_game}-{version}"]


def test_waiting_work_is_left_in_the_queue(round_: Round, bots_game: str) -> None:
    """A long queue is no loss, up to a point."""
    round_.queue.enqueue(Task("bot", bots_game, 2))
    round_.sweep()
    for _ in range(int(PATIENCE / GRACE)):
        assert round_.version(bots_game) == 2
        round_.sweep(GRACE)
    assert round_.version(bots_game) == 2
    round_.sweep(GRACE)
    assert round_.version(bots_game) > 2


def test_running_work_is_left_to_its_worker(
    round_: Round, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that thinks within its time is not disturbed."""
    monkeypatch.setattr(round_.queue, "state", lambda work: JobState.RUNNING)
    for _ in range(3):
        round_.sweep(GRACE)
    assert round_.version(bots_game) == 2
    assert round_.queue.rq.job_ids == []


def test_an_unscored_game_is_scored(round_: Round) -> None:
    """A finished game waits for its confirmation like another for a bot."""
    game_id = round_.application.creation.create("club", NewGame()).snapshot.game_id
    round_.application.moves.play(game_id, 0, {"type": "resign"})
    round_.sweep()
    assert round_.queue.rq.job_ids == [f"score-{game_id}-{round_.version(game_id)}"]
    round_.loses_all()
    round_.sweep(GRACE)
    result = sure(round_.application.views.snapshot(game_id).status.result)
    assert result.scored


def test_two_sweepers_do_no_harm(round_: Round, clock: Clock, bots_game: str) -> None:
    """Two sweepers both play the fallback move, and it happens once."""
    other = Sweeper(round_.sweeper._due, round_.application, round_.queue, clock)
    round_.sweep()
    other.sweep()
    round_.loses_all()
    round_.sweep(GRACE)
    version = round_.version(bots_game)
    other._do(Task("bot", bots_game, 2))
    assert round_.version(bots_game) == version


def test_reconciliation_enqueues_all_that_is_due(round_: Round) -> None:
    """The start of a dispatcher finds everything that was in flight, and no people's turns."""
    games = round_.new_games(5)
    round_.application.creation.create("club", NewGame())
    for _ in range(2):
        assert round_.sweeper.reconcile() == 5
        assert sorted(round_.queue.rq.job_ids) == sorted(f"bot-{game_id}-2" for game_id in games)


def test_one_broken_game_does_not_stop_the_others(round_: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that cannot be played on is logged; the rest is done. A silent store ends the sweep: it is waited for."""
    games, turns = round_.new_games(3), round_.application.bot_turns
    fallback, failure = turns.fallback_move, [StoreUnavailable("gone"), KeyError("broken")]

    def breaks_on_the_first(game_id: str, version: int, why: str) -> Any:
        if game_id == games[0] or isinstance(failure[0], StoreUnavailable):
            raise failure[0]
        return fallback(game_id, version, why)

    monkeypatch.setattr(turns, "fallback_move", breaks_on_the_first)
    round_.sweep()
    round_.loses_all()
    with pytest.raises(StoreUnavailable):
        round_.sweep(GRACE)
    failure.pop(0)
    round_.sweep(GRACE)
    assert [round_.version(game_id) > 2 for game_id in games] == [False, True, True]


def test_a_job_that_was_enqueued_again_is_carried_out(
    round_: Round, redis: Redis, bots_game: str, run_jobs: Run
) -> None:
    """One whose worker was killed in the middle of it is done by the next one."""
    round_.queue.enqueue(Task("bot", bots_game, 2))
    redis.delete(round_.queue.rq.key)
    job = f"rq:job:bot-{bots_game}-2"
    redis.hset(job, mapping={"status": "started", "started_at": "2020-01-01T00:00:00.000000Z"})
    round_.sweep()
    assert run_jobs() == 1
    assert round_.version(bots_game) > 2


def test_work_that_was_done_meanwhile_is_not_missing(
    round_: Round, feed: Feed, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep over many games takes its time, and they go on."""
    stale = feed.overdue(0)
    round_.application.bot_turns.bot_move(bots_game, 2)
    monkeypatch.setattr(feed, "overdue", lambda seconds: stale)
    round_.sweep()
    assert round_.queue.rq.job_ids == []
