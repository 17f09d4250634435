"""The jobs, as a worker carries them out."""

from typing import Any

import pytest
from rq.utils import import_attribute

from events.application import Application
from events.engine.new_game import NewGame
from events.engine.pending_action import PENDING
from events.errors import StoreUnavailable
from events.features.bots.redis.questions import JOB
from tests.support.sure import sure
from tests.workers.conftest import Run, time_is_up
from tests.workers.test_measurements import value
from workers import jobs
from workers.job_queue.queue import TIMEOUT, JobQueue, Task


@pytest.fixture(autouse=True)
def _in_this_process(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "application", lambda: application)


def test_a_bot_plays_its_turn(application: Application, bots_game: str) -> None:
    """The job makes the bot's moves until it is another's turn, as a command that can only happen once."""
    before = application.views.snapshot(bots_game)
    jobs.bot(bots_game, before.version)
    after = application.views.snapshot(bots_game)
    assert (before.status.to_act, after.status.to_act) == (0, 1)
    caused = application.views.history(bots_game, before.version)
    assert {event.command for event in caused} == {f"bot:{before.version}"}
    assert [event.type for event in caused].count("move_chosen") == 2


def test_a_game_that_moved_on_is_left_alone(application: Application, bots_game: str) -> None:
    """A job that comes late or twice does nothing, nor does one for a human's turn."""
    people = application.creation.create("club", NewGame()).snapshot.game_id
    for game_id in (bots_game, people):
        jobs.bot(game_id, 2)
        after = application.views.snapshot(game_id).version
        for version in (2, after + 100):
            jobs.bot(game_id, version)
        assert application.views.snapshot(game_id).version == after
        assert (after > 2) is (game_id == bots_game)


def test_a_bot_that_raises_gets_the_fallback_move(
    application: Application,
    bots_game: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The game goes on, the log tells why, and each move is counted, once however often it is asked for."""
    before = application.views.snapshot(bots_game)
    counted = value("migrato_fallback_moves_total", reason="failed")

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a bot's mistake")

    monkeypatch.setattr("events.features.bots.turns.think", fail)
    jobs.bot(bots_game, before.version)
    moves = {event.command for event in application.views.history(bots_game, before.version)}
    jobs.bot(bots_game, before.version)
    assert value("migrato_fallback_moves_total", reason="failed") == counted + len(moves)
    chosen = application.views.history(bots_game, before.version)[0].data
    assert (chosen["fallback"], chosen["replaces"], chosen["seed"]) == ("failed", "greedy", None)
    assert "a bot's mistake" in caplog.text


def test_a_bot_that_overruns_gets_the_fallback_move(
    application: Application, bots_game: str, queue: JobQueue, run_jobs: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RQ's time limit interrupts the thinking."""
    before = application.views.snapshot(bots_game)
    monkeypatch.setattr("events.features.bots.turns.think", lambda *_, **__: time_is_up(TIMEOUT))
    queue.enqueue(Task("bot", bots_game, before.version))
    assert run_jobs() == 1
    assert application.views.history(bots_game, before.version)[0].data["fallback"] == "overran"


def test_a_silent_store_is_waited_for(
    application: Application, bots_game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that restarts costs a moment and not the job; one that stays silent fails it.

    No fallback move could be recorded either: the sweeper has the job tried again.
    """
    silent, moved = [True, True], list[int]()

    def bot_move(game_id: str, version: int) -> None:
        if silent and silent.pop():
            raise StoreUnavailable("restarting")
        moved.append(version)

    monkeypatch.setattr(jobs, "PAUSE", 0.001)
    monkeypatch.setattr(application.bot_turns, "bot_move", bot_move)
    jobs.bot(bots_game, 2)
    assert moved == [2]
    silent += [True] * 1_000_000
    monkeypatch.setattr(jobs, "STORE_PATIENCE", 0.05)
    with pytest.raises(StoreUnavailable):
        jobs.bot(bots_game, 2)
    assert moved == [2]


def test_a_finished_game_is_scored_once(application: Application) -> None:
    """The result is confirmed by an event of its own, and not a second time."""
    created = application.creation.create("club", NewGame())
    game_id = created.snapshot.game_id
    jobs.score(game_id, 2)
    assert application.views.snapshot(game_id).status.result is None
    application.moves.play(game_id, 0, {"type": "resign"})
    for _ in range(2):
        jobs.score(game_id, application.views.snapshot(game_id).version)
    result = sure(application.views.snapshot(game_id).status.result)
    assert result.scored
    assert [event.type for event in application.views.history(game_id)].count("game_scored") == 1


def test_every_name_by_which_a_job_is_queued_is_known() -> None:
    """Whatever the dispatcher queues, a worker imports by its name."""
    for name in (
        "workers.jobs.bot",
        "workers.jobs.score",
        JOB,
        *(kind.function for kind in PENDING.values()),
    ):
        assert callable(import_attribute(name))
