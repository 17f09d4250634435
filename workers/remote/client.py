"""Asks somebody else's bot for its move: one signed POST, repeated where that may help, within one deadline.

The requests are those of Standard Webhooks (https://www.standardwebhooks.com): `webhook-id` stays the same over all
repeats. A connection goes to an address that the guard has checked and to no other: there are no redirects, no proxies,
and nothing is looked up a second time. Whatever a server sends, and however it keeps us waiting, there is an end to it
(`workers.remote.http`), and everybody else's calls go on meanwhile.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Final

import gevent  # type: ignore[import-untyped]
import orjson
from gevent import socket, ssl
from gevent.local import local  # type: ignore[import-untyped]
from standardwebhooks import Webhook

from domain.lifecycle import Json
from events.errors import UrlRefused
from events.log.game_secrets import Remote
from events.runtime.url_guard import Guard, Target, target_of
from workers.remote.connection import Connection, DeadlineExceeded, ResponseTooLarge, TlsConnection
from workers.remote.http import LARGEST, MOST, Answer, MalformedResponse, NoAnswer, exchange

PAUSE: Final = 0.1  # seconds before the first repeat; doubled for each further one
BUSY: Final = 429
JSON: Final = "application/json"
LOOKUPS: Final = local()  # `current`: the greenlet that looks a name up for this one
HEADERS: Final = {"Content-Type": JSON, "Accept": JSON, "User-Agent": "Migrato-Engine"}


class NoMove(Exception):
    """The bot has given no move: `why` is "unreachable", "timeout" or "bad-answer"; the message is for the log."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(detail)
        self.why = why


class AttemptFailed(Exception):
    """This attempt has failed, another may not; `pause` is the least number of seconds that the server asks for."""

    def __init__(self, detail: str, pause: float = 0.0) -> None:
        super().__init__(detail)
        self.pause = pause


class RemoteBotClient:
    """Calls bots. Every call is a greenlet's own; any number of them may wait at once."""

    def __init__(self, guard: Guard, seconds: float, sleep: Callable[[float], object] = gevent.sleep) -> None:
        """`seconds`: how long a call may take, with all its repeats."""
        self._guard = guard
        self.seconds = seconds
        self._sleep = sleep
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # verifies certificates and names
        self._tls.load_default_certs()

    def move(self, remote: Remote, message: str, body: bytes) -> Json:
        """The move that the bot answers; `message` is the request's identity. Raises NoMove."""
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

    def _post(self, remote: Remote, message: str, body: bytes, deadline: float) -> Answer:
        target = target_of(remote.url)
        signed = signature(remote.secret, message, body, datetime.now(UTC))
        try:
            connected = self._connected(target)
            try:
                connection = self._connection(connected, target, deadline)
                return exchange(connection, target, HEADERS | signed, body)
            finally:
                connected.close()
        except ResponseTooLarge as error:
            raise NoMove("bad-answer", f"more than {MOST} bytes in all") from error
        except MalformedResponse as error:
            raise NoMove("bad-answer", str(error)) from error
        except (OSError, NoAnswer) as error:
            raise AttemptFailed(type(error).__name__) from error  # its text may tell where the bot is

    def _connection(self, connected: socket.socket, target: Target, deadline: float) -> Connection:
        if target.scheme == "https":
            return TlsConnection(connected, deadline, MOST, self._tls, target.host)
        return Connection(connected, deadline, MOST)

    def _connected(self, target: Target) -> socket.socket:
        """A connection to one of the target's addresses, each of which gets its share of the time."""
        addresses = _looked_up(self._guard, target)
        failure = OSError()
        for address in addresses:
            try:
                connected = socket.create_connection((address, target.port), self.seconds / len(addresses))
            except OSError as error:
                failure = error
            else:
                connected.settimeout(None)  # the deadline of the call is enough
                return connected
        raise failure


def end_of_lookup() -> None:
    """Wait until the last name that this greenlet had looked up is found or given up: longer than a call may take.

    No deadline ends that; the system's resolver keeps a thread until its own patience is over.
    """
    lookup = getattr(LOOKUPS, "current", None)
    if lookup is not None:
        lookup.join()


def _looked_up(guard: Guard, target: Target) -> list[str]:
    """The target's addresses that the guard allows, found in a greenlet of its own, which a deadline does not end."""

    def look() -> list[str] | OSError | UrlRefused:
        try:
            return guard.addresses(target)
        except (OSError, UrlRefused) as error:
            return error

    LOOKUPS.current = gevent.spawn(look)
    found: list[str] | OSError | UrlRefused = LOOKUPS.current.get()
    if isinstance(found, list):
        return found
    raise found


def signature(secret: str, message: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers by which the bot knows that it is asked by us, and just now; `at` is in UTC."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(message, at, body.decode()),
    }


def _move_of(answer: Answer) -> Json:
    """The answer's move. Raises AttemptFailed, NoMove."""
    if answer.status == BUSY or answer.status >= 500:
        raise AttemptFailed(f"status {answer.status}", _seconds(answer.retry_after))
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


def _seconds(retry_after: str | None) -> float:
    """What a Retry-After in seconds asks for; one with a date counts as none."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else 0.0


def _pauses() -> Iterator[float]:
    return (PAUSE * 2**repeat for repeat in count())
