# compiled into serving
"""Requests of many greenlets in one send, made by their loop: a caller only waits for its replies.

What is asked before the loop looks at its sockets again goes in one send, and while that is under way whatever comes
waits for the next; the replies are read in the loop, which lets each caller go on with its own. So a call costs its
greenlet two switches, and no lock, no timer and no watcher. Slower work is done by a greenlet of its own: to connect,
to repeat calls without an answer, to send bytes that the system does not take at once.
"""

import os
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Protocol

import gevent  # type: ignore[import-untyped]
from gevent import get_hub, getcurrent
from gevent.monkey import is_module_patched  # type: ignore[import-untyped]
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from events.store.connections import batching
from events.store.connections.batching import Call, Wakeup
from events.store.connections.direct import AT_ONCE, MORE, DirectConnection
from events.store.connections.refusals import is_forbidden, is_not_now, not_now

TICK: Final = (
    0.01  # seconds after which the loop looks at who has waited for too long, while any wait to be sent
)
NEVER: Final = float("inf")
READ: Final = 1  # events of a socket


def among_greenlets() -> bool:
    """True if this process's callers are greenlets: they are once gevent has patched `threading`."""
    return bool(is_module_patched("threading"))


class Connections(Protocol):
    """The connections of a link."""

    def take_connected(self) -> DirectConnection | None:
        """A connection that can be used without waiting; None if there is none."""

    def give_back(self, connection: DirectConnection) -> None:
        """Give a connection back that can be used again."""

    def give_up(self, connection: DirectConnection) -> None:
        """Drop a broken connection, and all idle ones, which most likely are broken, too."""

    def exchange(self, batch: Sequence[Call], failure: Exception | None = None) -> None:
        """Settle the calls, by whatever waiting that takes; `failure`: why they got no answer the first time."""

    def seconds(self) -> float:
        """Seconds that an answer may take."""


class Line:
    """A connection that the loop reads from."""

    def __init__(self, connection: DirectConnection, watcher: Any) -> None:
        self.connection = connection
        self.watcher = watcher
        self.recv: Any = connection.plain_socket.recv
        self.send: Any = connection.plain_socket.send
        self.reader: Any = connection.reader
        self.batch: Batch | None = None


class Batch:
    """Calls under way, answered in their order; without a `line` a greenlet of its own sees to them."""

    def __init__(self, calls: list[Call], deadline: float) -> None:
        self.calls = calls
        self.deadline = deadline
        self.line: Line | None = None
        self.answered = 0
        self.replies: list[Any] = []  # of the next call
        self.hindrance: ResponseError | None = None  # why that cannot be done now
        self.forbidden: ResponseError | None = None  # why it cannot be done at all, by this user
        self.refusal: ResponseError | None = None  # why some call could not

    def take(self, reply: Any) -> Call | None:
        """The next reply; the call that it settles, if it does."""
        if isinstance(reply, ResponseError):
            if is_not_now(reply):
                self.hindrance = reply
            elif is_forbidden(reply):
                self.forbidden = reply
        self.replies.append(reply)
        call = self.calls[self.answered]
        if len(self.replies) < call.count:
            return None
        replies, self.replies = self.replies, []
        self.answered += 1
        hindrance, forbidden, self.hindrance, self.forbidden = self.hindrance, self.forbidden, None, None
        if forbidden is not None:
            call.failure = forbidden
            return call
        if hindrance is None:
            call.replies = replies
            return call
        self.refusal = self.refusal or hindrance
        return None

    def left(self) -> list[Call]:
        """The unanswered calls for which a caller still waits."""
        return [call for call in self.calls if not (call.settled or call.gone)]


class Resumption(Wakeup):
    """Lets a caller go on whose call another greenlet has settled."""

    def __init__(self, batcher: "HubBatcher", call: Call) -> None:
        self._batcher = batcher
        self._call = call

    def wait(self, seconds: float) -> bool:
        """Callers wait in the loop."""
        raise NotImplementedError

    def wake(self) -> None:
        """Let the caller go on."""
        self._batcher.resume_soon(self._call)


class HubBatcher:
    """Carries out the calls of the greenlets of one loop in batches, even if greenlets die."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._hub: Any = get_hub()
        self._loop: Any = self._hub.loop
        self._waiting: deque[Call] = deque()
        self._under_way: list[Batch] = []
        self._lines: list[Line] = []
        self._is_to_send = False
        self._ticks = False
        self._clock: Any = self._loop.timer(TICK, TICK)
        self._alarm: Any = self._loop.timer(TICK)  # for those whose answer takes longer
        self._alarm_at = NEVER
        os.register_at_fork(after_in_child=self._forked)

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled; it is not if that takes longer than so many seconds."""
        caller = getcurrent()
        if caller.parent is not self._hub and get_hub() is not self._hub:  # a thread beside the greenlets
            self._connections.exchange([call])
            return
        call.caller = caller
        call.since = time.monotonic()
        call.deadline = call.since + seconds
        self._waiting.append(call)
        if not (self._under_way or self._is_to_send):
            self._is_to_send = True
            self._loop.run_callback(self._send)
        elif not self._ticks:
            self._ticks = True
            self._clock.start(self._tick)
        try:
            while call.caller is not None:
                self._hub.switch()
        finally:
            call.caller = None
            call.gone = True
            if not call.settled and call in self._waiting:
                self._waiting.remove(call)

    def resume_soon(self, call: Call) -> None:
        """Let its caller go on, when the loop comes to it."""
        self._loop.run_callback(self._resume, call)

    def close(self) -> None:
        """Close what is idle."""
        for line in [line for line in self._lines if line.batch is None]:
            self._give_up(line)

    def _resume(self, call: Call) -> None:
        caller = call.caller
        if caller is not None:
            call.caller = None
            caller.switch()

    def _send(self) -> None:
        self._is_to_send = False
        if not self._under_way:
            self._begin()

    def _begin(self) -> None:
        """Send the next batch."""
        calls: list[Call] = []
        while self._waiting and len(calls) < batching.BATCH:
            calls.append(self._waiting.popleft())
        if not calls:
            return
        batch = Batch(calls, time.monotonic() + self._connections.seconds())
        self._under_way.append(batch)
        self._look_at(batch.deadline)
        line = self._idle_line()
        if line is None:
            gevent.spawn(self._carry, batch, None)
            return
        line.batch, batch.line = batch, line
        data = calls[0].packed if len(calls) == 1 else b"".join([call.packed for call in calls])
        try:
            sent = line.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._broken(batch, RedisConnectionError(f"cannot be sent: {error}"))
            return
        if sent < len(data):
            gevent.spawn(self._send_rest, batch, line.connection.sock, data[sent:])

    def _send_rest(self, batch: Batch, sock: Any, data: bytes) -> None:
        """Send the rest of a batch, in a greenlet of its own, which has as long as the answer."""
        try:
            sock.sendall(data)
        except OSError as error:
            if batch.line is not None:
                self._broken(batch, RedisConnectionError(f"cannot be sent: {error}"))

    def _idle_line(self) -> Line | None:
        for line in self._lines:
            if line.batch is None:
                return line
        connection = self._connections.take_connected()
        if connection is None:
            return None
        line = Line(connection, self._loop.io(connection.sock.fileno(), READ))
        self._lines.append(line)
        line.watcher.start(self._read, line)
        return line

    def _read(self, line: Line) -> None:
        """Take what has come, in the loop."""
        batch = line.batch
        try:
            data = line.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(line, RedisConnectionError(f"no answer: {error}"))
            return
        if not data or batch is None:
            self._lost(line, RedisConnectionError("the server closed the connection"))
            return
        settled: list[Call] = []
        try:
            line.reader.feed(data)
            while batch.answered < len(batch.calls):
                reply = line.reader.gets()
                if reply is MORE:
                    break
                if isinstance(reply, RedisError) and not isinstance(reply, ResponseError):
                    raise reply  # it is about the connection, as while the server loads its data
                call = batch.take(reply)
                if call is not None:
                    settled.append(call)
        except RedisError as error:  # what came is no reply to a request
            self._lost(line, error)
        else:
            if batch.answered == len(batch.calls):
                self._answered(line, batch)
        for call in settled:  # their answers go out before the next batch
            self._resume(call)
        self._send()

    def _answered(self, line: Line, batch: Batch) -> None:
        """End a batch that has all its replies; ask again, on a fresh connection, for what could not be done now."""
        if batch.refusal is not None:
            self._broken(batch, not_now(batch.refusal))
            return
        line.batch = batch.line = None
        if len(self._lines) > 1:
            self._let_go(line)
            self._connections.give_back(line.connection)
        self._under_way.remove(batch)

    def _over(self, batch: Batch) -> None:
        self._under_way.remove(batch)
        if self._waiting and not self._under_way:
            self._begin()

    def _lost(self, line: Line, error: Exception) -> None:
        if line.batch is None:
            self._give_up(line)
        else:
            self._broken(line.batch, error)

    def _broken(self, batch: Batch, error: Exception) -> None:
        """Give up the connection of a batch: a greenlet repeats the calls without an answer."""
        line, batch.line = batch.line, None
        if line is not None:
            self._give_up(line)
        batch.calls = batch.left()
        if batch.calls:
            gevent.spawn(self._carry, batch, error)
        else:
            self._over(batch)

    def _carry(self, batch: Batch, failure: Exception | None) -> None:
        """Have a batch carried out, in a greenlet of its own, however long that takes."""
        for call in batch.calls:
            call.wakeup = Resumption(self, call)
        try:
            self._connections.exchange(batch.calls, failure)
        finally:
            for call in batch.left():
                call.fail(failure or RedisConnectionError("the request was given up"))
            self._over(batch)

    def _let_go(self, line: Line) -> None:
        self._lines.remove(line)
        line.watcher.stop()
        line.watcher.close()

    def _give_up(self, line: Line) -> None:
        self._let_go(line)
        self._connections.give_up(line.connection)

    def _tick(self) -> None:
        """End whatever takes too long; called in the loop as long as anybody waits."""
        if not (self._under_way or self._waiting):
            self._clock.stop()
            self._ticks = False
            return
        now = time.monotonic()
        for batch in list(self._under_way):
            if batch.line is not None and now > batch.deadline:
                self._broken(batch, RedisTimeoutError("no answer in time"))
        if self._waiting and now > self._waiting[0].since + batching.PATIENCE:
            self._begin()
        pending = list(self._waiting)
        for batch in self._under_way:
            pending += batch.calls
        for call in pending:
            if now > call.deadline:
                self._resume(call)
        if not self._waiting:
            self._clock.stop()
            self._ticks = False
            self._look_at(
                min([call.deadline for call in pending] + [one.deadline for one in self._under_way])
            )

    def _look_at(self, deadline: float) -> None:
        """Look for callers who have waited too long at the deadline at the latest; no tick is needed before it."""
        if deadline < self._alarm_at:
            self._alarm.stop()
            self._alarm_at = deadline
            self._alarm = self._loop.timer(max(TICK, deadline - time.monotonic()))
            self._alarm.start(self._ring)

    def _ring(self) -> None:
        self._alarm_at = NEVER
        self._tick()

    def _forked(self) -> None:
        """Drop the connections and their replies: both are the parent's."""
        for line in self._lines:
            line.watcher.stop()
        self._alarm.stop()
        self._clock.stop()
