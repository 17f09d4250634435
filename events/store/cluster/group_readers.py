"""Many streams read as one consumer of a group: those of one server in one request that waits for the first entry.

The streams of a cluster are of many slots, which no request may name together. So its servers are asked again and again
whether there is anything new, for all their streams in one send. The requests to all servers are under way at the same
time, each on a connection of its own: a server that is silent holds up no other. What a read leaves under way, the
next one gets.
"""

import logging
import select
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from redis.exceptions import AskError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from events.errors import StoreUnavailable
from events.store.cluster.client import RedisCluster
from events.store.connections.client import RedisClient, ServerClient, packed
from events.store.connections.direct import DirectConnection
from events.store.connections.refusals import is_forbidden, is_not_now, unavailable
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.feed")

SILENCE: Final = 5.0  # seconds after which a server that says nothing counts as gone
MOST_PACKED: Final = 64
PAUSE: Final = 0.3  # seconds before a server that does not answer is asked again
SOON: Final = (
    0.02  # seconds from one look at a cluster to the next, at first; where nothing is new they become more
)
RARELY: Final = 0.1


class GroupReader(Protocol):
    """Reads streams as one consumer of a group."""

    def read(self, streams: tuple[str, ...], block_ms: int, count: int) -> Sequence[Any]:
        """New entries of some of the streams, at most `count` of each; waits for the first, but no longer.

        Raises StoreUnavailable, and ResponseError where there is no such group or no such stream.
        """


def group_reader(link: RedisClient, group: str, consumer: str) -> GroupReader:
    """Reader over this link; a link to a server must wait longer for an answer than is read for."""
    if isinstance(link, RedisCluster):
        return ClusterGroupReader(link, group, consumer)
    (server,) = link.servers()
    return ServerGroupReader(server, group, consumer)


class ServerGroupReader:
    """Reads streams of one server."""

    def __init__(self, server: ServerClient, group: str, consumer: str) -> None:
        self._server = server
        self._names = (group, consumer)
        self._packed, self._packed_for = b"", (tuple[str, ...](), 0, 0)

    def read(self, streams: tuple[str, ...], block_ms: int, count: int) -> Sequence[Any]:
        """New entries, as the protocol says. Some hundred keys are named, which are packed once."""
        asked = (streams, block_ms, count)
        if asked != self._packed_for:
            reading = ("XREADGROUP", "GROUP", *self._names, "COUNT", count, "BLOCK", block_ms)
            self._packed = packed((*reading, "STREAMS", *streams, *[">"] * len(streams)))
            self._packed_for = asked
        return self._server.wait(self._packed) or ()


class _Look:
    """A look at a server: one connection, and the replies that are to come."""

    def __init__(self, server: ServerClient) -> None:
        self.connection = DirectConnection(server.connection())
        self.deadline = 0.0
        self.replies = 0

    def begin(self, request: bytes, replies: int) -> None:
        """Ask; raises where there is no connection."""
        self.deadline, self.replies = time.monotonic() + SILENCE, replies
        self.connection.send_packed_command([request])

    def end(self) -> list[Any]:
        """The replies, refusals among them."""
        found = list[Any]()
        for _ in range(self.replies):
            try:
                found.append(self.connection.read_response(disconnect_on_error=False))
            except ResponseError as refusal:
                found.append(refusal)
        return found


class ClusterGroupReader:
    """Reads streams of the servers of a cluster; for one thread."""

    def __init__(self, link: RedisCluster, group: str, consumer: str) -> None:
        self._link = link
        self._names = (group, consumer)
        self._idle: dict[ServerClient, _Look] = {}
        self._under_way: dict[ServerClient, _Look] = {}
        self._silent_until: dict[ServerClient, float] = {}
        self._packed: dict[tuple[str, ...], bytes] = {}
        self._packed_count = 0
        self._warnings = WarningThrottle(log)

    def read(self, streams: tuple[str, ...], block_ms: int, count: int) -> Sequence[Any]:
        """New entries, as the protocol says. Raises StoreUnavailable where no server answers."""
        deadline = time.monotonic() + block_ms / 1000
        pause = SOON
        while True:
            self._begin(streams, count)
            left = max(0.0, deadline - time.monotonic())
            found = self._answers(min(left, RARELY))
            if found or left <= pause:
                return found
            time.sleep(pause)
            pause = min(2 * pause, RARELY)

    def _begin(self, streams: tuple[str, ...], count: int) -> None:
        """Ask all servers that are not being asked. Raises StoreUnavailable where none of them can be."""
        servers = self._link.by_server(streams)
        self._drop({server for server, _ in servers})
        failure: Exception | None = None
        for server, own in servers:
            if server in self._under_way or time.monotonic() < self._silent_until.get(server, 0.0):
                continue
            look = self._idle.pop(server, None) or _Look(server)
            self._under_way[server] = look
            try:
                look.begin(self._request(tuple(own), count), len(own))
            except RedisError as error:
                failure = error
                self._failed(server, error)
        if not self._under_way:
            time.sleep(PAUSE)
            raise unavailable(failure) if failure else StoreUnavailable("no server of the cluster answers")

    def _answers(self, seconds: float) -> list[Any]:
        """Entries of the servers that answer within that time; it ends with the first one that does."""
        by_socket = {look.connection.sock: server for server, look in self._under_way.items()}
        ready, _, _ = select.select(list(by_socket), [], [], seconds)
        found: list[Any] = []
        refusal: ResponseError | None = None
        for server in [by_socket[sock] for sock in ready]:
            look = self._under_way[server]
            try:
                replies = look.end()
            except RedisError as error:
                self._failed(server, error)
                continue
            self._idle[server] = self._under_way.pop(server)
            self._silent_until.pop(server, None)
            for reply in replies:
                if isinstance(reply, ResponseError):
                    refusal = reply
                elif reply:
                    found += reply
        for server, look in list(self._under_way.items()):
            if time.monotonic() > look.deadline:
                self._failed(server, RedisTimeoutError("no answer in time"))
        if refusal is not None:
            self._refused(refusal, found)
        return found

    def _refused(self, refusal: ResponseError, found: list[Any]) -> None:
        """Handle a refusal: some streams are on another server, cannot be read now, or do not exist."""
        if isinstance(refusal, AskError) or is_not_now(refusal):
            self._refresh()
        elif is_forbidden(refusal):
            raise unavailable(refusal)
        elif not found:
            raise refusal

    def _failed(self, server: ServerClient, error: Exception) -> None:
        """Give the server up for now; entries that it still gives out are claimed later, like a dead reader's."""
        if server not in self._silent_until:
            self._warnings.warning("a server of the cluster %s", unavailable(error).said)
        self._silent_until[server] = time.monotonic() + PAUSE
        self._under_way.pop(server).connection.disconnect()
        self._refresh()

    def _refresh(self) -> None:
        with suppress(StoreUnavailable):  # the next look tries again
            self._link.refresh()

    def _drop(self, known: set[ServerClient]) -> None:
        """Forget servers that have none of the streams any more."""
        for looks in (self._under_way, self._idle):
            for server in [server for server in looks if server not in known]:
                looks.pop(server).connection.disconnect()

    def _request(self, streams: tuple[str, ...], count: int) -> bytes:
        """The packed requests for all these streams: some hundred, which are packed once and kept."""
        if count != self._packed_count or len(self._packed) > MOST_PACKED:
            self._packed, self._packed_count = {}, count
        if streams not in self._packed:
            reading = ("XREADGROUP", "GROUP", *self._names, "COUNT", count, "STREAMS")
            self._packed[streams] = b"".join([packed((*reading, stream, ">")) for stream in streams])
        return self._packed[streams]
