# compiled into serving
"""The way to Redis: a lean client; each of its requests may safely be sent twice.

What adapters are given is a `RedisClient`: a server's, or that of a whole cluster (`events.store.cluster`).

redis-py's connections do the talking; its client around them (retries by its own rules, telemetry, reply callbacks)
costs more than a whole append and is left out. Callers send only requests that do no harm when they are done twice:
reads, and scripts that know their command ids. So a request that got no answer is sent once more on a fresh connection,
and an answer of any kind means that it was done.

Requests that come at the same time go in one send (`events.store.connections.batching`); each keeps its own answer.
"""

import os
import queue
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha1
from typing import Any, Final, Protocol

from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from events.errors import StoreUnavailable
from events.store.connections.batching import Batcher, Call, Exchange
from events.store.connections.direct import Connection, DirectConnection
from events.store.connections.hub_batching import HubBatcher, among_greenlets
from events.store.connections.refusals import is_forbidden, is_not_now, not_now, unavailable

Argument = str | bytes | int
Request = Sequence[Argument]

ATTEMPTS = 2
FEW_KEYS = 12  # of a script that is called again and again for the same keys
CONNECTIONS = 64  # of one link; if all are taken, a caller waits until one is free
BLOCKING = {"BLMOVE", "BLPOP", "XREADGROUP"}  # nobody else can be made to wait for their answers


class Carrier(Protocol):
    """Carries calls out: a `Batcher`, or its substitute in a process of one thread."""

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled; it need not be if that takes longer than so many seconds."""


CarrierOver = Callable[[Exchange], Carrier]


class RedisClient(ABC):
    """A link to what keeps the data, whether that is one server or a cluster of them."""

    guard: Sequence[Request]  # what is sent behind a script, so that its reply means what was asked for
    replicas: int

    def call(self, *request: Argument) -> Any:
        """The reply to one request. Raises StoreUnavailable; ResponseError where the request itself is wrong."""
        (reply,) = self.calls([request])
        return _accepted(reply)

    @abstractmethod
    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests sent at once, in order; a refused one has its ResponseError for a reply.

        Raises StoreUnavailable.
        """

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """The reply of a script, which the server may have forgotten (a restart, a flush) or never seen."""
        request: Request = ("EVALSHA", _digest(source), len(keys), *keys, *arguments)
        reply = self.guarded(request) if self.guard else self.calls([request])[0]
        if isinstance(reply, NoScriptError):
            request = ("EVAL", source, *request[2:])
            reply = self.guarded(request) if self.guard else self.calls([request])[0]
        return _accepted(reply)

    def guarded(self, request: Request) -> Any:
        """The reply to a request, once enough replicas have what it did; a refusal is its ResponseError.

        Raises StoreUnavailable, also where too few replicas have it in time: whether it is lasting is not known then.
        """
        reply, has_it = self.at_once([request, *self.guard])
        if not isinstance(reply, ResponseError) and (
            isinstance(has_it, ResponseError) or has_it < self.replicas
        ):
            raise StoreUnavailable(f"{has_it} replicas have it, and {self.replicas} must")
        return reply

    def settle(self, key: str) -> None:
        """Return once enough replicas have all that was ever done to this key. Raises StoreUnavailable."""
        if self.guard:
            tag = key[key.index("{") : key.index("}") + 1]
            _accepted(
                self.guarded(("SET", f"{tag}:fence", "", "PX", 1))
            )  # a write, so that there is one to wait for

    @abstractmethod
    def at_once(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to requests of which only the first has keys: over one connection, nothing in between."""

    @abstractmethod
    def servers(self) -> list["ServerClient"]:
        """Links to all servers that take writes. Raises StoreUnavailable."""

    @abstractmethod
    def by_server(self, keys: Sequence[str]) -> list[tuple["ServerClient", list[str]]]:
        """The servers that have these keys, each with its own, in their order. Raises StoreUnavailable."""

    @abstractmethod
    def refresh(self) -> None:
        """Look who has what, after something has failed. Raises StoreUnavailable."""

    @abstractmethod
    def close(self) -> None:
        """Close what is idle; the link can still be used."""


class ServerClient(RedisClient):
    """Connections to one Redis, each for one batch of requests at a time; safe among threads, greenlets and forks."""

    def __init__(
        self,
        pool: ConnectionPool,
        timeout: float = 10.0,
        carrier: CarrierOver | None = None,
        *,
        direct: bool = False,
    ) -> None:
        """`pool` tells how to connect; it hands out no connections itself. `direct`: they have sockets and no more.

        A call that finds all connections taken for `timeout` seconds raises StoreUnavailable. `carrier`
        makes what carries the calls out: left out, what suits the callers of this process.
        """
        self._carrier = carrier
        self._pool = pool
        self._timeout = timeout
        self._direct = direct
        self.guard = ()
        self.replicas = 0
        self._begin()

    def _begin(self) -> None:
        self._idle: deque[Connection] = deque()
        # A semaphore of greenlets may be killed while it is given back; nothing can come between in a queue.
        self._free: queue.SimpleQueue[None] = queue.SimpleQueue()  # looked up now: gevent's, among greenlets
        for _ in range(CONNECTIONS):
            self._free.put(None)
        self._batcher = self._made_carrier()
        self._pid = os.getpid()

    def _made_carrier(self) -> Carrier:
        if self._carrier is not None:
            return self._carrier(self.exchange)
        return HubBatcher(self) if among_greenlets() else Batcher(self.exchange)

    @classmethod
    def of(cls, url: str, timeout: float, carrier: CarrierOver | None = None) -> "ServerClient":
        """A link to the server at `url`; no answer within `timeout` seconds counts as none."""
        options = {"protocol": 2, "retry": Retry(NoBackoff(), 0), "driver_info": None}
        times = {"socket_timeout": timeout, "socket_connect_timeout": timeout}
        return cls(ConnectionPool.from_url(url, **times, **options), timeout, carrier, direct=True)

    def calls(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to several requests sent at once, in order; a refused one has its ResponseError for a reply.

        Raises StoreUnavailable.
        """
        if not requests:
            return []
        call = Call(b"".join([packed(request) for request in requests]), len(requests))
        return self._replies(call, alone=requests[0][0] in BLOCKING)

    def at_once(self, requests: Sequence[Request]) -> list[Any]:
        """The replies to the requests, which go over one connection in any case."""
        return self.calls(requests)

    def script(self, source: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """The reply of a script; the part of the request that depends on the keys alone is packed once and kept."""
        if not self.guard and len(keys) <= FEW_KEYS:
            head = b"*%d%b" % (3 + len(keys) + len(arguments), _script_head(source, tuple(keys)))
            (reply,) = self._replies(Call(_packed_parts([head], arguments), 1), alone=False)
            if not isinstance(reply, NoScriptError):
                return _accepted(reply)
        return super().script(source, keys, arguments)

    def wait(self, request: bytes) -> Any:
        """The reply to one packed request that may block, and so is sent without any other. Raises as `call`."""
        (reply,) = self._replies(Call(request, 1), alone=True)
        return _accepted(reply)

    def _replies(self, call: Call, *, alone: bool) -> list[Any]:
        if self._pid != os.getpid():  # forked: those connections are the parent's
            self._begin()
        if alone:
            self.exchange([call])
        else:
            self._batcher.carry_out(call, ATTEMPTS * self._timeout)
        if call.replies is None:
            raise unavailable(call.failure) from call.failure
        return call.replies

    def exchange(self, batch: Sequence[Call], failure: Exception | None = None) -> None:
        """Settle the calls. Calls without an answer are sent once more, on a fresh connection if this one broke.

        `failure`: why they got no answer the first time, if they were sent already.
        """
        free = self._free
        with suppress(queue.Empty):
            free.get(timeout=self._timeout)
            try:
                for _ in range(ATTEMPTS if failure is None else ATTEMPTS - 1):
                    unanswered = [call for call in batch if not (call.settled or call.gone)]
                    failure = self._attempt(unanswered) if unanswered else None
                    if failure is None:
                        return
            finally:
                free.put(None)
        for call in batch:
            if not call.settled:
                call.fail(failure or TimeoutError("all connections are taken"))

    def _attempt(self, batch: Sequence[Call]) -> Exception | None:
        """Send all calls at once and answer them one by one; return why some got no answer, or None."""
        connection, used = self._take()
        try:
            connection.send_packed_command([b"".join([call.packed for call in batch])])
            _answer_all(batch, connection, time.monotonic() + self._timeout)
        except RedisError as error:  # also of the server that it connects to: a database that is not there
            connection.disconnect()
            if used:  # what broke this connection has most likely broken them all
                self._idle.clear()
            return error
        except BaseException:  # killed: the next bytes on this connection are the answer to another call
            connection.disconnect()
            raise
        self._idle.append(connection)
        return None

    def servers(self) -> list["ServerClient"]:
        """This server alone."""
        return [self]

    def by_server(self, keys: Sequence[str]) -> list[tuple["ServerClient", list[str]]]:
        """This server with all the keys."""
        return [(self, list(keys))]

    def refresh(self) -> None:
        """Do nothing: one server has everything."""

    def close(self) -> None:
        """Close what is idle; the link can still be used."""
        if isinstance(self._batcher, HubBatcher):
            self._batcher.close()
        while self._idle:
            self._idle.pop().disconnect()

    def take_connected(self) -> DirectConnection | None:
        """A connection that can be used without waiting for anything; None where none is free, or none is there."""
        try:
            self._free.get_nowait()
        except queue.Empty:
            return None
        with suppress(IndexError):
            connection = self._idle.pop()
            if isinstance(connection, DirectConnection) and connection.plain_socket is not None:
                return connection
            self._idle.append(connection)
        self._free.put(None)
        return None

    def give_back(self, connection: DirectConnection) -> None:
        """Give a connection back that can be used again."""
        self._idle.append(connection)
        self._free.put(None)

    def give_up(self, connection: DirectConnection) -> None:
        """Drop a broken connection, and all idle ones: the same has most likely broken them."""
        connection.disconnect()
        self._idle.clear()
        self._free.put(None)

    def address(self) -> str:
        """The server's address: a host and port or a socket's path, and no password."""
        where = self._pool.connection_kwargs
        path = where.get("path")
        return str(path) if path else f"{where.get('host', 'localhost')}:{where.get('port', 6379)}"

    def seconds(self) -> float:
        """Seconds that an answer may take."""
        return self._timeout

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
    """The digest by which the server knows a script; there are a dozen of them."""
    return sha1(source.encode(), usedforsecurity=False).hexdigest()


def packed(request: Request) -> bytes:
    """The request in the Redis protocol; redis-py's own, which must take more kinds of things, takes much longer."""
    return _packed_parts([b"*%d" % len(request)], request)


@lru_cache(maxsize=4096)  # of a game, with each of its moves
def _script_head(source: str, keys: tuple[str, ...]) -> bytes:
    """The request for a script, from behind the number of its parts to the last key."""
    return _packed_parts([], ("EVALSHA", _digest(source), len(keys), *keys))[:-2]


def _packed_parts(pieces: list[bytes], request: Request) -> bytes:
    """The packed request: the `pieces`, which are packed already, and then the other parts."""
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
    """Length line before so many bytes, with the end of the line before it."""
    return b"\r\n$%d\r\n" % size


MOST_SIZES: Final = 512
_SIZES: Final = [_size(size) for size in range(MOST_SIZES)]


def _accepted(reply: Any) -> Any:
    if isinstance(reply, ResponseError):
        raise reply
    return reply


def _answer_all(batch: Sequence[Call], connection: Connection, deadline: float) -> None:
    """Give the calls their replies. Raises if some get none because the server cannot do it now, or time is up."""
    refusal: ResponseError | None = None
    for call in batch:
        if time.monotonic() > deadline:
            raise RedisTimeoutError("the answers come too slowly")
        replies = [_reply(connection) for _ in range(call.count)]
        hindrance: ResponseError | None = None
        forbidden: ResponseError | None = None
        for reply in replies:
            if isinstance(reply, ResponseError):
                hindrance = reply if is_not_now(reply) else hindrance
                forbidden = reply if is_forbidden(reply) else forbidden
        if forbidden is not None:
            call.fail(forbidden)
        elif hindrance is None:
            call.answer(replies)
        refusal = refusal or hindrance
    if refusal is not None:
        raise not_now(refusal) from refusal


def _reply(connection: Connection) -> Any:
    try:
        return connection.read_response()
    except ResponseError as refusal:
        return refusal
