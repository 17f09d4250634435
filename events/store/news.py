"""News for all waiting callers of a process, heard on one connection.

Everything that can be waited for has a number that grows: a game its version. The script that adds to it publishes the
new number, on a channel with the name of its key. A process subscribes to the channels of what it waits for, looks at
the numbers once it is subscribed, and from then on gets messages, so nothing is missed in between. It looks again after
every loss of the connection, and every few seconds in any case, for publishing promises nothing. If the server's user
may not listen, the process only looks.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple
from uuid import uuid4

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import MovedError, NoPermissionError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from events.errors import StoreForbids, StoreUnavailable
from events.store.cluster.slots import slot_of
from events.store.connections.client import RedisClient, Request, ServerClient, packed
from events.store.connections.direct import Connection
from events.store.connections.refusals import unavailable
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.news")

AWAY: Final = "the server that %d callers wait for %s"
DEAF: Final = "callers are told of news every %g seconds, for nobody may listen: %s"

TICK: Final = 5.0  # seconds between two looks at everything; so long may the connection be silent, too
LINGER: Final = 10.0  # seconds for which something is listened for after the last who waited for it has gone
PAUSE: Final = 0.5  # seconds before a server that went away is asked again
AT_ONCE: Final = 256  # channels or keys in one request, so that nobody else has to wait for long


class Verbs(NamedTuple):
    """Commands of news: on a server's channels, or on those of one shard of a cluster."""

    publish: str
    subscribe: str
    unsubscribe: str
    message: bytes
    subscribed: bytes
    at_once: int  # channels in one request


PLAIN: Final = Verbs("PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE", b"message", b"subscribe", AT_ONCE)
# Of a shard's channels one request may name only those of one slot.
SHARDED: Final = Verbs("SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE", b"smessage", b"ssubscribe", 1)

AskFor = Callable[[str], Request]  # the request that tells a key's number
NumberIn = Callable[[Any], int]  # the number in its reply


class Watched:
    """Something that is waited for: its number as far as it is known, how many wait, since when nobody does."""

    __slots__ = ("changed", "known", "left_at", "number", "waiting")

    def __init__(self, lock: threading.Lock) -> None:
        self.changed = threading.Condition(lock)
        self.known = False
        self.number = 0
        self.waiting = 0
        self.left_at = 0.0


class News:
    """News that one process waits for on one server; safe among threads, greenlets and forks.

    It listens while somebody waits, on one connection and in one thread of its own.
    """

    def __init__(
        self,
        link: RedisClient,
        listening: ServerClient,
        ask_for: AskFor,
        number_in: NumberIn,
        verbs: Verbs = PLAIN,
        own: str = "migrato:news:",
    ) -> None:
        """`link` carries what is answered at once; `listening` tells how to connect, and how long silence may last.

        `own`: what the name of the channel begins with by which this process wakes its own listener.
        """
        self._verbs = verbs
        self.own_prefix = own
        self._link = link
        self._listening = listening
        self._ask_for = ask_for
        self._number_in = number_in
        self._warnings = WarningThrottle(log)
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._watched: dict[str, Watched] = {}
        self._wanted: list[str] = []
        self._own = self.own_prefix + uuid4().hex
        self._listens = False

    def wait(self, key: str, after: int, seconds: float) -> int:
        """Wait until the key's number is more than `after`, at most so long; the number it has then.

        A server that goes away meanwhile is waited for. Raises StoreUnavailable where nothing was heard at all.
        """
        if seconds <= 0:
            return self._look([key])[0]
        watched = self._enter(key)
        try:
            with self._lock:
                watched.changed.wait_for(lambda: watched.known and watched.number > after, seconds)
                if watched.known:
                    return watched.number
        finally:
            self._leave(watched)
        return self._look([key])[0]

    def _enter(self, key: str) -> Watched:
        if self._pid != os.getpid():  # forked: who listens, listens for the parent
            self._begin()
        wake = False
        with self._lock:
            watched = self._watched.get(key)
            if watched is None:
                watched = self._watched[key] = Watched(self._lock)
                wake = self._listens and not self._wanted
                self._wanted.append(key)
            watched.waiting += 1
            if not self._listens:
                self._listens = True
                threading.Thread(target=self._listen, name="news", daemon=True).start()
        if wake:
            self._wake(watched)
        return watched

    def _wake(self, watched: Watched) -> None:
        try:
            self._link.call(self._verbs.publish, self._own, "")
        except StoreForbids:  # the listener notices with its next look
            return
        except BaseException as error:
            if isinstance(error, StoreUnavailable) and watched.known:
                return  # the listener has looked meanwhile: it waits for the server
            self._leave(watched)
            raise

    def _leave(self, watched: Watched) -> None:
        with self._lock:
            watched.waiting -= 1
            watched.left_at = time.monotonic()

    # In the thread that listens

    def _listen(self) -> None:
        """Listen for as long as anybody waits; a server that goes away is asked again until it is back."""
        while True:
            connection = self._listening.connection()
            try:
                listener = _Listener(connection, self._heard, self._subscribed, self._verbs)
                listens = self._start_over(listener)
                self._warnings.over(
                    AWAY, "the server that %d callers wait for answers again", self._waiting()
                )
                if self._until_nobody_waits(listener) if listens else self._nobody_waits(LINGER):
                    return
                time.sleep(TICK)  # nobody may listen: all that is left is to look now and then
            except Exception as error:  # noqa: BLE001 -- for any error: the waiting callers have nobody else
                if self._nobody_waits(linger=0.0):
                    return
                away = error if isinstance(error, StoreUnavailable) else unavailable(error)
                self._warnings.warning(AWAY, self._waiting(), away.said, kind=away.kind)
                time.sleep(PAUSE)
            finally:
                connection.disconnect()

    def _waiting(self) -> int:
        with self._lock:
            return sum(watched.waiting for watched in self._watched.values())

    def _start_over(self, listener: "_Listener") -> bool:
        """Listen for all that is waited for, and look at it; whether listening is allowed."""
        with self._lock:
            self._wanted = []
            everything = list(self._watched)
        try:
            listener.subscribe([self._own, *everything])
            listener.finish_subscribing()
        except NoPermissionError as refusal:
            self._warnings.warning(DEAF, TICK, refusal)
            self._subscribed(everything)
            self._forgotten()
            return False
        self._warnings.over(DEAF, "callers are told of news at once again")
        return True

    def _until_nobody_waits(self, listener: "_Listener") -> bool:
        look_at = time.monotonic() + TICK
        while True:
            with self._lock:
                wanted, self._wanted = self._wanted, []
            listener.subscribe(wanted)
            if time.monotonic() >= look_at:
                if self._nobody_waits(LINGER):
                    return True
                listener.unsubscribe(self._forgotten())
                with self._lock:
                    known = [key for key, watched in self._watched.items() if watched.known]
                self._subscribed(known)
                look_at = time.monotonic() + TICK
            listener.hear()
            time.sleep(0)  # much news must not keep everybody else waiting

    def _nobody_waits(self, linger: float) -> bool:
        """True if nobody waits any more; then the state is cleared, and the next caller who waits begins anew."""
        with self._lock:
            now = time.monotonic()
            for watched in self._watched.values():
                if watched.waiting or now - watched.left_at < linger:
                    return False
            self._watched, self._wanted, self._listens = {}, [], False
            return True

    def _forgotten(self) -> list[str]:
        with self._lock:
            now = time.monotonic()
            gone = [
                key
                for key, watched in self._watched.items()
                if watched.known and not watched.waiting and now - watched.left_at >= LINGER
            ]
            for key in gone:
                del self._watched[key]
            return gone

    def _heard(self, key: str, number: int) -> None:
        with self._lock:
            watched = self._watched.get(key)
            if watched is not None and number > watched.number:
                watched.number = number
                watched.changed.notify_all()

    def _subscribed(self, keys: Sequence[str]) -> None:
        """Note that changes of these keys are heard from now on, and look for earlier ones."""
        for at in range(0, len(keys), AT_ONCE):
            some = [key for key in keys[at : at + AT_ONCE] if key != self._own]
            numbers = self._look(some)
            with self._lock:
                for key, number in zip(some, numbers, strict=True):
                    watched = self._watched.get(key)
                    if watched is not None and not (watched.known and watched.number == number):
                        watched.known, watched.number = True, number
                        watched.changed.notify_all()

    def _look(self, keys: Sequence[str]) -> list[int]:
        """The keys' numbers; 0 for a key that has none, or is of a wrong type: the others must not wait for it."""
        replies = self._link.calls([self._ask_for(key) for key in keys])
        return [0 if isinstance(reply, ResponseError) else self._number_in(reply) for reply in replies]


class _Listener:
    """A connection in the state of listening, for one thread."""

    def __init__(
        self,
        connection: Connection,
        heard: Callable[[str, int], None],
        subscribed: Callable[[Sequence[str]], None],
        verbs: Verbs,
    ) -> None:
        self._verbs = verbs
        self._connection = connection
        self._heard = heard
        self._subscribed = subscribed
        self._unconfirmed = set[str]()
        self._confirmed: list[str] = []
        self._pinged = False

    def subscribe(self, channels: Sequence[str]) -> None:
        """Subscribe; `subscribed` is called once all that was asked for is confirmed."""
        self._unconfirmed.update(channels)
        self._ask(self._verbs.subscribe, channels)

    def unsubscribe(self, channels: Sequence[str]) -> None:
        """Unsubscribe."""
        self._ask(self._verbs.unsubscribe, channels)

    def finish_subscribing(self) -> None:
        """Hear until all is confirmed."""
        while self._unconfirmed:
            self.hear()

    def hear(self) -> None:
        """Wait for the next message; a silent server is asked whether it is there."""
        try:
            reply = self._connection.read_response(disconnect_on_error=False)
        except RedisTimeoutError:
            if self._pinged:
                raise
            self._pinged = True
            self._connection.send_packed_command([packed(("PING",))])
            return
        except MovedError as moved:  # until it is asked for where it is now, it is only looked at
            self._confirm(channel for channel in self._unconfirmed if slot_of(channel) == moved.slot_id)
            return
        self._pinged = False
        if isinstance(reply, Exception):
            raise RedisConnectionError(str(reply)) from reply
        if isinstance(reply, list):  # else it is the answer to a PING where nothing is listened for
            self._take(*reply)

    def _take(self, kind: bytes, channel: bytes, about: Any = None) -> None:
        if kind == self._verbs.message and about.isdigit():
            self._heard(channel.decode(), int(about))
        elif kind == self._verbs.subscribed:
            self._confirm([channel.decode()])

    def _confirm(self, channels: Iterable[str]) -> None:
        """Note that these channels need no more waiting; report once none does. A refused unsubscription has none."""
        self._confirmed += channels
        self._unconfirmed.difference_update(self._confirmed)
        if not self._unconfirmed:
            confirmed, self._confirmed = self._confirmed, []
            self._subscribed(confirmed)

    def _ask(self, what: str, channels: Sequence[str]) -> None:
        at_once = self._verbs.at_once
        for at in range(0, len(channels), at_once):
            request = packed((what, *channels[at : at + at_once]))
            self._connection.send_packed_command([request])
