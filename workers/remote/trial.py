"""The job of a trial: ask an app's bot for one move, once, and say in words what is wrong with the answer.

The words tell how the server answered. They repeat nothing that it wrote, except faults of a move. If the engine may
not call the server, the words say only that, and not whether the server's name exists.
"""

import time
from socket import gaierror
from typing import Final

import gevent  # type: ignore[import-untyped]
import orjson
from gevent import ssl

from domain.errors import DomainError
from domain.lifecycle import Json
from events.errors import UrlRefused
from events.features.bots.trials import Trial
from workers.bootstrap import bot_questions
from workers.jobs import patiently
from workers.remote import job
from workers.remote.client import BUSY, JSON
from workers.remote.connection import DeadlineExceeded, RemoteDisconnected, ResponseTooLarge
from workers.remote.http import LARGEST, MOST, Answer, MalformedResponse, NoAnswer

NOT_ALLOWED: Final = "The engine may not call this address: it is not found, or not on the public internet."
REMOVED: Final = "The version was removed."
LONGEST: Final = 200  # characters about a move that is not well formed


class Wrong(Exception):
    """Fault of an answer, in words; `fallback`: the reason that a fallback move in a game would have."""

    def __init__(self, fallback: str, words: str) -> None:
        super().__init__(words)
        self.fallback = fallback


def attempt(key: str) -> None:
    """Carry out a trial, and give the result to the caller. The bot's health and its suspension do not change."""
    trial = patiently(lambda: bot_questions().trials.trial(key))
    if trial is not None:
        answer = _made(trial, key)
        patiently(lambda: bot_questions().trials.tell(key, answer))


def _made(trial: Trial, key: str) -> Json:
    began, move, wrong = time.monotonic(), None, list[str]()
    fallback = milliseconds = None
    try:
        answer = _called(trial, key)
        milliseconds = _since(began)
        move = _judged(trial, answer)
        if answer.media_type != JSON:
            wrong.append(f"The Content-Type is not {JSON}. The engine accepts the answer anyway.")
    except Wrong as fault:
        fallback = fault.fallback
        wrong.append(str(fault))
        if milliseconds is None and str(fault) not in (NOT_ALLOWED, REMOVED):
            milliseconds = _since(began)
    return {"milliseconds": milliseconds, "move": move, "fallback": fallback, "wrong": wrong}


def _since(began: float) -> int:
    return round(1000 * (time.monotonic() - began))


def _called(trial: Trial, key: str) -> Answer:
    """The bot's answer. Raises Wrong if it gives none."""
    if trial.remote is None:
        raise Wrong("unreachable", REMOVED)
    caller, body = job.caller(), orjson.dumps(trial.question)
    late = Wrong("timeout", f"There was no complete answer within {caller.seconds:g} seconds.")
    with gevent.Timeout(caller.seconds, False):
        try:
            return caller.once(trial.remote, f"trial-{key}", body, time.monotonic() + caller.seconds)
        except DeadlineExceeded:
            raise late from None
        except UrlRefused:
            raise Wrong("unreachable", NOT_ALLOWED) from None
        except (OSError, ResponseTooLarge, MalformedResponse, NoAnswer) as error:
            raise _fault(error) from None
    raise late


def _fault(error: Exception) -> Wrong:
    match error:
        case gaierror():
            return Wrong("unreachable", NOT_ALLOWED)
        case ResponseTooLarge():
            return Wrong("bad-answer", f"The answer has more than {MOST} bytes, its headers included.")
        case MalformedResponse():
            return Wrong("bad-answer", f"The answer is malformed: {error}.")
        case ssl.SSLCertVerificationError():
            return Wrong("unreachable", f"The certificate is not valid: {error.verify_message}.")
        case ssl.SSLError():
            return Wrong(
                "unreachable", "There was no TLS connection: perhaps the server does not speak https."
            )
        case RemoteDisconnected() | NoAnswer():
            return Wrong("unreachable", "The server sent no HTTP response, or an incomplete one.")
        case _:
            return Wrong("unreachable", "There was no connection, or it broke.")


def _judged(trial: Trial, answer: Answer) -> Json:
    """The bot's move. Raises Wrong."""
    status = answer.status
    if status == BUSY or status >= 500:
        raise Wrong("unreachable", f"The status is {status}. In a game the engine asks again.")
    if 300 <= status < 400:
        raise Wrong("bad-answer", f"The status is {status}, a redirect, which the engine does not follow.")
    if status != 200:
        raise Wrong("bad-answer", f"The status is {status} and must be 200.")
    if len(answer.body) > LARGEST:
        raise Wrong("bad-answer", f"The body has more than {LARGEST} bytes.")
    try:
        document = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        other = "" if answer.media_type == JSON else f", and the Content-Type is not {JSON}"
        raise Wrong("bad-answer", f"The body is not JSON{other}.") from None
    move = document.get("move") if isinstance(document, dict) else None
    if not isinstance(move, dict):
        raise Wrong("bad-answer", "The body must be an object with a `move`, which is an object too.")
    try:
        return trial.judged(move)
    except DomainError as error:
        if error.code == "illegal-move":
            raise Wrong("illegal-move", "The `move` is none of the `legal_moves`.") from None
        faults = " ".join(f"{name}: {texts[0]}" for name, texts in error.data.get("errors", {}).items())
        raise Wrong("bad-answer", f"The `move` is not well formed. {faults}"[:LONGEST]) from None
