"""Asks a bot on another server for its move: one signed POST, repeated if that may help, within one deadline.

The requests are those of Standard Webhooks (https://www.standardwebhooks.com): `webhook-id` stays the same in all
repeats. `workers.remote.poster` sends them, and protects the engine against malicious servers.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Final

import gevent  # type: ignore[import-untyped]
import orjson

from domain.lifecycle import Json
from events.errors import UrlRefused
from events.features.signing_secrets import signature
from events.log.game_secrets import Remote
from events.url_guard import Guard
from workers.remote.connection import DeadlineExceeded, ResponseTooLarge
from workers.remote.http import LARGEST, MOST, Answer, MalformedResponse, NoAnswer
from workers.remote.poster import Poster

PAUSE: Final = 0.1  # seconds before the first repeat; doubled for each further one
BUSY: Final = 429
JSON: Final = "application/json"
HEADERS: Final = {"Content-Type": JSON, "Accept": JSON, "User-Agent": "Migrato-Engine"}


class NoMove(Exception):
    """The bot has given no move: `why` is "unreachable", "timeout" or "bad-answer"; the message is for the log."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(detail)
        self.why = why


class AttemptFailed(Exception):
    """An attempt that failed, while another one may succeed; `pause` is the least number of seconds that the server
    asks for.
    """

    def __init__(self, detail: str, pause: float = 0.0) -> None:
        super().__init__(detail)
        self.pause = pause


class RemoteBotClient:
    """Calls bots. Each call belongs to one greenlet; any number of them may wait at the same time."""

    def __init__(self, guard: Guard, seconds: float, sleep: Callable[[float], object] = gevent.sleep) -> None:
        """`seconds`: how long a call may take, including its repeats."""
        self._poster = Poster(guard, seconds)
        self.seconds = seconds
        self._sleep = sleep

    def move(self, remote: Remote, message: str, body: bytes) -> Json:
        """The move in the bot's answer; `message` is the id of the request. Raises NoMove."""
        deadline = time.monotonic() + self.seconds
        failure = late = NoMove("timeout", f"no answer within {self.seconds:g} s")
        with gevent.Timeout(self.seconds, False):
            for pause in _pauses():
                try:
                    failure = late
                    return _move_of(self._post(remote, message, body, deadline))
                except DeadlineExceeded:
                    break
                except UrlRefused as refusal:
                    raise NoMove("unreachable", "it is not where bots may be called") from refusal
                except AttemptFailed as refusal:
                    failure = NoMove("unreachable", str(refusal))
                    pause = max(pause, refusal.pause)
                if time.monotonic() + pause >= deadline:
                    break
                self._sleep(pause)
        raise failure

    def once(self, remote: Remote, message: str, body: bytes, deadline: float) -> Answer:
        """The answer to a single attempt, whatever its status; raises the errors of `Poster.post`. The caller limits
        the time.
        """
        signed = signature((remote.secret, *remote.more), message, body, datetime.now(UTC))
        return self._poster.post(remote.url, HEADERS | signed, body, deadline)

    def _post(self, remote: Remote, message: str, body: bytes, deadline: float) -> Answer:
        try:
            return self.once(remote, message, body, deadline)
        except ResponseTooLarge as error:
            raise NoMove("bad-answer", f"more than {MOST} bytes in all") from error
        except MalformedResponse as error:
            raise NoMove("bad-answer", str(error)) from error
        except (OSError, NoAnswer) as error:
            # the error's own text may show where the bot is
            raise AttemptFailed(type(error).__name__) from error


def _move_of(answer: Answer) -> Json:
    """The answer's move. Raises AttemptFailed, NoMove."""
    if answer.status == BUSY or answer.status >= 500:
        raise AttemptFailed(f"status {answer.status}", answer.pause)
    if answer.status != 200:
        raise NoMove("bad-answer", f"status {answer.status}")
    if len(answer.body) > LARGEST:
        raise NoMove("bad-answer", f"more than {LARGEST} bytes")
    try:
        document = orjson.loads(answer.body)
    except orjson.JSONDecodeError as error:
        raise NoMove("bad-answer", "not JSON") from error
    move = document.get("move") if isinstance(document, dict) else None
    if not isinstance(move, dict):
        raise NoMove("bad-answer", "no move in it")
    return move


def _pauses() -> Iterator[float]:
    return (PAUSE * 2**repeat for repeat in count())
