"""The jobs, as a worker carries them out."""

from typing import Any

import pytest
from rq.utils import import_attribute

from events.application import Application
from events.engine.pending_action import PENDING
from events.errors import StoreUnavailable
from events.features.bots.redis.questions import JOB
from tests.workers.test_measurements import value
from workers import jobs


@pytest.fixture(autouse=True)
def _in_this_process(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "application", lambda: application)


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


def test_every_name_by_which_a_job_is_queued_is_known() -> None:
    """Whatever the dispatcher queues, a worker imports by its name."""
    for name in (
        "workers.jobs.bot",
        "workers.jobs.score",
        JOB,
        *(kind.function for kind in PENDING.values()),
    ):
        assert callable(import_attribute(name))
