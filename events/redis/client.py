"""The way to Redis: a lean client whose every request may safely be sent twice.

redis-py's connections do the talking; its client around them (retries by its own rules, telemetry, reply callbacks)
costs more than a whole append and is left out. Whoever calls here sends only what does no harm when it is done twice:
reads, and scripts that know their command ids. So a request that got no answer is sent once more on a fresh connection,
and an answer of any kind means that it was done.
"""

import os
import threading
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
CONNECTIONS = 64  # of one link; whoever comes when all are taken waits until one is free
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

    def read_response(self, *, disconnect_on_error: bool = True) -> Any:
        """The next reply; raises it where it is an error."""

    def disconnect(self) -> None:
        """Close the socket; the next request opens another."""


class RedisClient:
    """Connections to one Redis, each for one request at a time; safe among threads, greenlets and forks."""

    def __init__(self, pool: ConnectionPool, timeout: float = 10.0) -> None:
        """`pool` tells how to connect; it hands out no connections itself.

        A call that finds all connections taken for `timeout` seconds raises StoreUnavailable.
        """
        self._pool = pool
        self._timeout = timeout
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._idle: deque[Connection] = deque()
        self._free = threading.Semaphore(CONNECTIONS)

    @classmethod
    def to(cls, url: str, timeout: float) -> "RedisClient":
        """A link to the server at `url`; no answer within `timeout` seconds counts as none."""
        options = {"protocol": 2, "retry": Retry(NoBackoff(), 0), "driver_info": None}
        times = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
        return cls(ConnectionPool.from_url(url, **times, **options), timeout)

    def call(self, *request: Argument) -> Any:
        """The reply to one request. Raises StoreUnavailable; ResponseError where the request itself is wrong."""
        (reply,) = self.calls([request])
        return _accepted(reply)

    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests sent at once, in order; a refused one has its ResponseError for a reply.

        Raises StoreUnavailable.
        """
        if self._pid != os.getpid():  # forked: those connections are the parent's
            self._begin()
        free = self._free
        if not free.acquire(timeout=self._timeout):
            raise StoreUnavailable("all connections are taken")
        failure: Exception | None = None
        try:
            for _ in range(ATTEMPTS):
                connection, used = self._take()
                try:
                    connection.send_packed_command([b"".join([packed(request) for request in requests])])
                    replies = [_reply(connection) for _ in requests]
                except (RedisConnectionError, RedisTimeoutError) as error:
                    failure = error
                    connection.disconnect()
                    if used:  # what broke this connection has most likely broken them all
                        self._idle.clear()
                else:
                    self._idle.append(connection)
                    return replies
        finally:
            free.release()
        raise StoreUnavailable(str(failure)) from failure

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """The reply of a script, which the server may have forgotten (a restart, a flush) or never seen."""
        (reply,) = self.calls([("EVALSHA", _digest(source), len(keys), *keys, *arguments)])
        if isinstance(reply, NoScriptError):
            (reply,) = self.calls([("EVAL", source, len(keys), *keys, *arguments)])
        return _accepted(reply)

    def close(self) -> None:
        """Close what is idle; the link can still be used."""
        while self._idle:
            self._idle.pop().disconnect()

    def connection(self) -> Connection:
        """A connection for the caller alone, which is not counted."""
        connection: Connection = self._pool.connection_class(**self._pool.connection_kwargs)
        return connection

    def _take(self) -> tuple[Connection, bool]:
        """A connection, and whether it was used before.

        A new one that fails says nothing of the others: it may only have been one too many for the server.
        """
        try:
            return self._idle.pop(), True
        except IndexError:
            return self.connection(), False


@cache
def _digest(source: str) -> str:
    """By which the server knows a script; there are a dozen of them."""
    return sha1(source.encode(), usedforsecurity=False).hexdigest()


def packed(request: Request) -> bytes:
    """The request in the Redis protocol; four times as fast as redis-py's own, which must take more kinds of things."""
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in request]
    return b"*%d\r\n%b" % (len(parts), b"".join([b"$%d\r\n%b\r\n" % (len(part), part) for part in parts]))


def _accepted(reply: Any) -> Any:
    if isinstance(reply, ResponseError):
        raise reply
    return reply


def _reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        if (refusal.status_code or str(refusal).partition(" ")[0]) in NOT_NOW:
            raise RedisConnectionError(str(refusal)) from refusal
        return refusal
