"""The jobs. Each calls a use case with ids; a job may run twice, late, or for a game that has moved on."""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from rq.timeouts import JobTimeoutException

from events.engine.pending_action import SCORE
from events.errors import EngineError, StoreUnavailable
from events.features.bots.turns import TakesTime
from workers import bootstrap
from workers.bootstrap import application
from workers.job_queue.queue import Task

log = logging.getLogger("migrato.jobs")

STORE_PATIENCE = 3.0  # seconds that a job waits for a store that does not answer, before it fails
PAUSE = 0.1

T = TypeVar("T")


def traced(name: str, game_id: str) -> AbstractContextManager[None]:
    """A span for the time of a job, if this process has traces."""
    traces = bootstrap.traces()
    return nullcontext() if traces is None else traces.job(name, game_id)


def bot(game_id: str, version: int) -> None:
    """Let the bot that is to move do so; a bot that raises an error or takes too long gets the fallback move instead.

    RQ also ends the thinking with an exception (JobTimeoutException).
    """
    with traced("bot", game_id):
        _bot(game_id, version)


def _bot(game_id: str, version: int) -> None:
    try:
        patiently(lambda: application().bot_turns.bot_move(game_id, version))
    except EngineError:
        raise
    except Exception as error:
        about = {"game_id": game_id}
        log.exception("the bot failed at version %d; it gets the fallback move", version, extra=about)
        why = "overran" if isinstance(error, JobTimeoutException) else "failed"
        patiently(lambda: application().bot_turns.fallback_move(game_id, version, why))


def score(game_id: str, version: int) -> None:  # noqa: ARG001 (the version makes the job's id unique)
    """Confirm the result of a game that has ended."""
    with traced("score", game_id):
        patiently(lambda: application().bot_turns.score_game(game_id))


def at_once(task: Task) -> bool:
    """Do the task if it takes no time; True if it is done. Raises every error, after which the task's own
    job does it.
    """
    with traced(task.kind, task.game_id):
        return _at_once(task)


def _at_once(task: Task) -> bool:
    turns = application().bot_turns
    try:
        if task.kind == SCORE:
            turns.score_game(task.game_id)
        else:
            turns.prompt_move(task.game_id, task.version)
    except TakesTime:
        return False
    return True


def patiently(act: Callable[[], T]) -> T:
    """The act's result, once the store answers; StoreUnavailable if it does not within STORE_PATIENCE."""
    deadline = time.monotonic() + STORE_PATIENCE
    while True:
        try:
            return act()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise  # the sweeper queues the job again
            time.sleep(PAUSE)
