"""The way to Redis: a lean client whose every request may safely be sent twice.

redis-py's connections do the talking; its client around them (retries by its own rules, telemetry, reply callbacks)
costs more than a whole append and is left out. Whoever calls here sends only what does no harm when it is done twice:
reads, and scripts that know their command ids. So a request that got no answer is sent once more on a fresh connection,
and an answer of any kind means that it was done.
"""

import os
from collections import deque
from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from typing import Any, Protocol

from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from events.errors import StoreUnavailable

Argument = str | bytes | int
Request = Sequence[Argument]

ATTEMPTS = 2
IDLE_CONNECTIONS = 64
NOT_NOW = {
    "BUSY",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "MISCONF",
    "NOREPLICAS",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "UNBLOCKED",
}


class Connection(Protocol):
    """What is used of redis-py's connections."""

    def send_packed_command(self, command: list[bytes]) -> None:
        """Send requests; connects first where need be."""

    def read_response(self) -> Any:
        """The next reply; raises it where it is an error."""

    def disconnect(self) -> None:
        """Close the socket; the next request opens another."""


class RedisLink:
    """Connections to one Redis, each for one request at a time; safe among threads, greenlets and forks."""

    def __init__(self, pool: ConnectionPool) -> None:
        """`pool` tells how to connect; it hands out no connections itself."""
        self._pool = pool
        self._idle: deque[Connection] = deque()
        self._pid = os.getpid()

    @classmethod
    def to(cls, url: str, timeout: float) -> "RedisLink":
        """A link to the server at `url`; no answer within `timeout` seconds counts as none."""
        options = {"protocol": 2, "retry": Retry(NoBackoff(), 0), "driver_info": None}
        return cls(
            ConnectionPool.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout, **options)
        )

    def call(self, *request: Argument) -> Any:
        """The reply to one request. Raises StoreUnavailable; ResponseError where the request itself is wrong."""
        (reply,) = self.calls([request])
        if isinstance(reply, ResponseError):
            raise reply
        return reply

    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests sent at once, in order; a refused one has its ResponseError for a reply."""
        failure: Exception | None = None
        for _ in range(ATTEMPTS):
            connection = self._take()
            try:
                replies = _exchange(connection, requests)
            except (RedisConnectionError, RedisTimeoutError) as error:
                failure = error
                connection.disconnect()
                self._idle.clear()  # what broke this connection has most likely broken them all
            else:
                self._give_back(connection)
                return replies
        raise StoreUnavailable(str(failure)) from failure

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """The reply of a script, which the server may have forgotten (a restart, a flush) or never seen."""
        try:
            return self.call("EVALSHA", _digest(source), len(keys), *keys, *arguments)
        except NoScriptError:
            return self.call("EVAL", source, len(keys), *keys, *arguments)

    def close(self) -> None:
        """Close what is idle; the link can still be used."""
        while self._idle:
            self._idle.pop().disconnect()

    def _take(self) -> Connection:
        if self._pid != os.getpid():  # forked: those connections are the parent's
            self._idle, self._pid = deque(), os.getpid()
        try:
            return self._idle.pop()
        except IndexError:
            connection: Connection = self._pool.connection_class(**self._pool.connection_kwargs)
            return connection

    def _give_back(self, connection: Connection) -> None:
        if len(self._idle) < IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.disconnect()


@cache
def _digest(source: str) -> str:
    """By which the server knows a script; there are a dozen of them."""
    return sha1(source.encode(), usedforsecurity=False).hexdigest()


def _exchange(connection: Connection, requests: Sequence[Request]) -> list[Any]:
    connection.send_packed_command([b"".join([_packed(request) for request in requests])])
    return [_reply(connection) for _ in requests]


def _packed(request: Request) -> bytes:
    """The request in the Redis protocol; four times as fast as redis-py's own, which must take more kinds of things."""
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in request]
    return b"*%d\r\n%b" % (len(parts), b"".join([b"$%d\r\n%b\r\n" % (len(part), part) for part in parts]))


def _reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        if (refusal.status_code or str(refusal).partition(" ")[0]) in NOT_NOW:
            raise RedisConnectionError(str(refusal)) from refusal
        return refusal
