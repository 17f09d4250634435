"""The way to Redis: a lean client whose every request may safely be sent twice.

redis-py's connections do the talking; its client around them (retries by its own rules, telemetry, reply callbacks)
costs more than a whole append and is left out. Whoever calls here sends only what does no harm when it is done twice:
reads, and scripts that know their command ids. So a request that got no answer is sent once more on a fresh connection,
and an answer of any kind means that it was done.

Requests that come at the same time go in one send (`events.redis.connections.batching`); each keeps its own answer.
"""

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha1
from typing import Any, Final, Protocol

import hiredis
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.connection import DefaultParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from events.errors import StoreUnavailable
from events.redis.connections.batching import Batcher, Call, Exchange

Argument = str | bytes | int
Request = Sequence[Argument]
MORE = object()  # what a reader has of a reply that has not come as a whole

ATTEMPTS = 2
AT_ONCE = 65536  # bytes that are read at once
CONNECTIONS = 64  # of one link; whoever comes when all are taken waits until one is free
BLOCKING = {"BLMOVE", "BLPOP", "XREADGROUP"}  # nobody else can be made to wait for their answers
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


class Carrier(Protocol):
    """Carries calls out: a `Batcher`, or what a process of one thread has for that."""

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled; it need not be if that takes longer than so many seconds."""


CarrierOver = Callable[[Exchange], Carrier]


class DirectConnection:
    """A connection of redis-py's whose replies are read straight from its socket, in an eighth of the time."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._sock: Any = None
        self._reader: Any = None

    def send_packed_command(self, command: list[bytes]) -> None:
        """Send requests; connects first where need be."""
        self._connection.send_packed_command(command)
        sock = self._connection._sock  # noqa: SLF001 -- redis-py has no name for it
        if self._sock is not sock:
            self._sock = sock
            self._reader = hiredis.Reader(
                protocolError=InvalidResponse, replyError=DefaultParser.parse_error, notEnoughData=MORE
            )

    def read_response(self, *, disconnect_on_error: bool = True) -> Any:
        """The next reply; raises it where it is an error. It is for the caller to disconnect where there is none."""
        try:
            reply = self._reader.gets()
            while reply is MORE:
                data = self._sock.recv(AT_ONCE)
                if not data:
                    raise RedisConnectionError("the server closed the connection")
                self._reader.feed(data)
                reply = self._reader.gets()
        except TimeoutError as error:
            raise RedisTimeoutError("no answer in time") from error
        except OSError as error:
            raise RedisConnectionError(f"no answer: {error}") from error
        if isinstance(reply, RedisError):
            raise reply
        return reply

    def disconnect(self) -> None:
        """Close the socket; the next request opens another."""
        self._connection.disconnect()
        self._sock = self._reader = None


class RedisClient:
    """Connections to one Redis, each for one batch of requests at a time; safe among threads, greenlets and forks."""

    def __init__(
        self,
        pool: ConnectionPool,
        timeout: float = 10.0,
        carrier: CarrierOver = Batcher,
        *,
        direct: bool = False,
    ) -> None:
        """`pool` tells how to connect; it hands out no connections itself. `direct`: they have sockets and no more.

        A call that finds all connections taken for `timeout` seconds raises StoreUnavailable. `carrier`
        makes what carries the calls out.
        """
        self._carrier = carrier
        self._pool = pool
        self._timeout = timeout
        self._direct = direct
        self._begin()

    def _begin(self) -> None:
        self._idle: deque[Connection] = deque()
        # A semaphore of greenlets may be killed while it is given back; nothing can come between in a queue.
        self._free: queue.SimpleQueue[None] = queue.SimpleQueue()  # looked up now: gevent's, among greenlets
        for _ in range(CONNECTIONS):
            self._free.put(None)
        self._batcher = self._carrier(self._exchange)
        self._pid = os.getpid()

    @classmethod
    def to(cls, url: str, timeout: float, carrier: CarrierOver = Batcher) -> "RedisClient":
        """A link to the server at `url`; no answer within `timeout` seconds counts as none."""
        options = {"protocol": 2, "retry": Retry(NoBackoff(), 0), "driver_info": None}
        times = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
        return cls(ConnectionPool.from_url(url, **times, **options), timeout, carrier, direct=True)

    def call(self, *request: Argument) -> Any:
        """The reply to one request. Raises StoreUnavailable; ResponseError where the request itself is wrong."""
        (reply,) = self.calls([request])
        return _accepted(reply)

    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests sent at once, in order; a refused one has its ResponseError for a reply.

        Raises StoreUnavailable.
        """
        if not requests:
            return []
        call = Call(b"".join([packed(request) for request in requests]), len(requests))
        return self._replies(call, alone=requests[0][0] in BLOCKING)

    def wait(self, request: bytes) -> Any:
        """The reply to one packed request that may wait for it: nobody else's goes with it. Raises as `call`."""
        (reply,) = self._replies(Call(request, 1), alone=True)
        return _accepted(reply)

    def _replies(self, call: Call, *, alone: bool) -> list[Any]:
        if self._pid != os.getpid():  # forked: those connections are the parent's
            self._begin()
        if alone:
            self._exchange([call])
        else:
            self._batcher.carry_out(call, ATTEMPTS * self._timeout)
        if call.replies is None:
            raise StoreUnavailable(str(call.failure or "no answer in time")) from call.failure
        return call.replies

    def _exchange(self, batch: Sequence[Call]) -> None:
        """Settle the calls; what got no answer is sent once more, on a fresh connection where that one broke."""
        free = self._free
        failure: Exception | None = None
        with suppress(queue.Empty):
            free.get(timeout=self._timeout)
            try:
                for _ in range(ATTEMPTS):
                    unanswered = [call for call in batch if call.replies is None and not call.gone]
                    failure = self._attempt(unanswered) if unanswered else None
                    if failure is None:
                        return
            finally:
                free.put(None)
        for call in batch:
            if call.replies is None:
                call.fail(failure or TimeoutError("all connections are taken"))

    def _attempt(self, batch: Sequence[Call]) -> Exception | None:
        """Send all calls at once and answer them one by one; why some of them got no answer, if so."""
        connection, used = self._take()
        try:
            connection.send_packed_command([b"".join([call.packed for call in batch])])
            _answer_all(batch, connection, time.monotonic() + self._timeout)
        except (RedisConnectionError, RedisTimeoutError) as error:
            connection.disconnect()
            if used:  # what broke this connection has most likely broken them all
                self._idle.clear()
            return error
        except BaseException:  # killed: what comes next on this connection is the answer to something else
            connection.disconnect()
            raise
        self._idle.append(connection)
        return None

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
            return DirectConnection(self.connection()) if self._direct else self.connection(), False


@cache
def _digest(source: str) -> str:
    """By which the server knows a script; there are a dozen of them."""
    return sha1(source.encode(), usedforsecurity=False).hexdigest()


def packed(request: Request) -> bytes:
    """The request in the Redis protocol; redis-py's own, which must take more kinds of things, takes much longer."""
    pieces = [b"*%d" % len(request)]
    for part in request:
        if isinstance(part, str):
            data = part.encode()
        elif isinstance(part, bytes):
            data = part
        else:
            data = b"%d" % part
        size = len(data)
        pieces.append(_SIZES[size] if size < MOST_SIZES else _size(size))
        pieces.append(data)
    pieces.append(b"\r\n")
    return b"".join(pieces)


def _size(size: int) -> bytes:
    """What stands in front of so many bytes, the end of the line before included."""
    return b"\r\n$%d\r\n" % size


MOST_SIZES: Final = 512
_SIZES: Final = [_size(size) for size in range(MOST_SIZES)]


def _accepted(reply: Any) -> Any:
    if isinstance(reply, ResponseError):
        raise reply
    return reply


def _answer_all(batch: Sequence[Call], connection: Connection, deadline: float) -> None:
    """Give the calls their replies. Raises where some got none: the server cannot do it now, or time is up."""
    refusal: ResponseError | None = None
    for call in batch:
        if time.monotonic() > deadline:
            raise RedisTimeoutError("the answers come too slowly")
        replies = [_reply(connection) for _ in range(call.count)]
        not_now: ResponseError | None = None
        for reply in replies:
            if isinstance(reply, ResponseError) and _is_not_now(reply):
                not_now = reply
        if not_now is None:
            call.answer(replies)
        refusal = refusal or not_now
    if refusal is not None:
        raise RedisConnectionError(str(refusal)) from refusal


def _is_not_now(refusal: ResponseError) -> bool:
    return (refusal.status_code or str(refusal).partition(" ")[0]) in NOT_NOW


def _reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        return refusal
