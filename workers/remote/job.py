"""The job of a remote seat's turn: ask its bot, and play the answer, or else a fallback move with the reason."""

import logging
import time
from functools import cache
from typing import Final

import orjson
from gevent.lock import BoundedSemaphore  # type: ignore[import-untyped]

from domain.errors import DomainError
from events.errors import EngineError
from events.features.bots.remote_play import RemoteQuestion
from events.features.registered_bots.health import ANSWERED
from events.runtime import bootstrap
from workers.bootstrap import application, settings
from workers.jobs import patiently, traced
from workers.remote.client import NoMove, RemoteBotClient

log = logging.getLogger("migrato.remote")

SILENT: Final = ("timeout", "unreachable")
STAND_INS: Final = BoundedSemaphore(
    2
)  # fallback moves made at the same time: they take thinking time, and calls are waiting


@cache
def caller() -> RemoteBotClient:
    """The client with which this process calls bots."""
    return RemoteBotClient(bootstrap.guard(settings()), settings().remote_seconds)


def play(game_id: str, version: int) -> str:
    """Let the remote bot that is to move at `version` move. A job may run twice, late, or without need.

    The game goes on, whatever the bot does; RQ's time limit for the job is an exception, too. Returns the bot's
    behaviour: "answered", "silent", or "" if nothing is known.
    """
    with traced("remote", game_id):
        return _play(game_id, version)


def _play(game_id: str, version: int) -> str:
    question = patiently(lambda: application().remote.question(game_id, version, caller().seconds))
    if question is None:
        return ""
    began = time.monotonic()
    try:
        _ask(question, game_id, version)
        _note(question, ANSWERED, time.monotonic() - began)
        return ANSWERED
    except EngineError:
        raise
    except Exception as error:
        why, detail = _what_is_wrong(error)
        about = {"game_id": game_id}
        log.info("version %d: the remote bot gets the fallback move: %s", version, detail, extra=about)
        if why == "failed":
            log.exception("the call of the remote bot failed", extra=about)
        patiently(lambda: application().bot_turns.fallback_move(game_id, version, why))
        _note(question, why, time.monotonic() - began)
        return "" if why == "failed" else "silent" if why in SILENT else ANSWERED


def stand_in(game_id: str, version: int) -> None:
    """Move in the place of a remote bot that is suspended, because it did not answer again and again."""
    with STAND_INS, traced("stand-in", game_id):
        bot = patiently(lambda: application().remote.bot_at(game_id, version))
        patiently(lambda: application().bot_turns.fallback_move(game_id, version, "suspended"))
        if bot is not None:
            application().bots.note(*bot, "suspended", 0.0)


def _note(question: RemoteQuestion, outcome: str, seconds: float) -> None:
    if question.bot is not None:
        application().bots.note(question.app, question.bot, outcome, seconds)


def _ask(question: RemoteQuestion, game_id: str, version: int) -> None:
    if question.remote is None:
        raise NoMove("unreachable", "its app has removed it")
    body = orjson.dumps(question.position)
    move = caller().move(question.remote, f"{game_id}-{version}", body)
    patiently(lambda: application().remote.play(game_id, version, move))


def _what_is_wrong(error: Exception) -> tuple[str, str]:
    """The reason for the event, and a text for the log, without anything that the bot has written."""
    match error:
        case NoMove():
            return error.why, str(error)
        case DomainError(code="illegal-move"):
            return "illegal-move", error.code
        case DomainError():
            return "bad-answer", error.code
        case _:
            return "failed", type(error).__name__
