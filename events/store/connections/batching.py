# compiled into serving
"""Requests of many threads in one send: calls that arrive during a send go with the next batch.

No thread stands by for that. A caller who finds nobody at it leads: it takes the calls that wait, with its
own has them carried out as one batch, and leaves the next batch to the first who still waits. So one caller alone is
served as directly as ever. Leaders may be killed and callers may give up, at any moment: a killed leader's batch is
carried out by another, and the answers for callers who have left are dropped.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

LEADERS = 1  # batches under way at a time, as long as answers come
BATCH = 64  # calls in one batch at most
PATIENCE = 0.02  # seconds after which a caller whose call still waits leads a batch of its own


class Wakeup:
    """A sign that one caller waits for, and others give."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wait(self, seconds: float) -> bool:
        """Wait until woken, at most so long; whether it was woken, now or since the wait before."""
        return self._lock.acquire(timeout=seconds)

    def wake(self) -> None:
        """Let the caller go on."""
        with suppress(RuntimeError):  # it has been woken already
            self._lock.release()


class Call:
    """A caller's requests, as they are sent, and what came of them: replies, a failure, or nothing yet."""

    __slots__ = ("caller", "count", "deadline", "failure", "gone", "packed", "replies", "since", "wakeup")

    def __init__(self, packed: bytes, count: int) -> None:
        """`packed`: `count` requests in the Redis protocol."""
        self.packed = packed
        self.count = count
        self.replies: list[Any] | None = None
        self.failure: Exception | None = None
        self.gone = False  # nobody waits for it any more
        self.wakeup: Wakeup | None = None  # what its caller waits for, as long as it does not lead
        self.caller: Any = None  # the greenlet that waits for it in the loop, if one does
        self.since = self.deadline = 0.0  # when it came there, and how long its caller waits

    @property
    def settled(self) -> bool:
        """True if the call has replies or a failure."""
        return self.replies is not None or self.failure is not None

    def answer(self, replies: list[Any]) -> None:
        """Give its caller the replies."""
        self.replies = replies
        self.wake()

    def fail(self, failure: Exception) -> None:
        """Give its caller the reason why there are no replies."""
        self.failure = failure
        self.wake()

    def wake(self) -> None:
        """Wake its caller, if the caller waits."""
        if self.wakeup is not None:
            self.wakeup.wake()


Exchange = Callable[[Sequence[Call]], None]  # settles all calls of a batch


class Batcher:
    """Carries out calls in batches; safe among threads, even if they die."""

    def __init__(self, exchange: Exchange) -> None:
        """`exchange` settles every call that it is given, unless its thread is killed in it."""
        self._exchange = exchange
        self._lock = threading.Lock()  # the work under it is short, and never waits
        self._waiting: deque[Call] = deque()
        self._leading: set[Call] = set()
        self._crowded = False  # the last batch was of several: it pays to let others come

    def carry_out(self, call: Call, seconds: float) -> None:
        """Have the call settled; it is not if the batch that it is in takes longer than so many seconds."""
        try:
            self._enter(call)
            self._wait(call, time.monotonic() + seconds)
            if call in self._leading:
                self._lead(call)
        finally:
            self._leave(call)

    def _enter(self, call: Call) -> None:
        with self._lock:
            if len(self._leading) < LEADERS:
                self._leading.add(call)
                return
            call.wakeup = Wakeup()
            self._waiting.append(call)

    def _wait(self, call: Call, deadline: float) -> None:
        """Wait until the call is settled, its caller is to lead, or time is up."""
        wakeup, patience = call.wakeup, PATIENCE  # the call loses it as soon as its caller is to lead
        while wakeup is not None and not (call.settled or call in self._leading):
            if wakeup.wait(patience):
                continue
            with self._lock:
                if call in self._waiting:
                    self._waiting.remove(call)
                    self._leading -= {other for other in self._leading if other.settled or other.gone}
                    self._let_lead(call)
                    return
            patience = deadline - time.monotonic()
            if patience <= 0:
                return

    def _let_lead(self, call: Call) -> None:
        self._leading.add(call)
        call.wake()
        call.wakeup = None  # it settles its own call now

    def _lead(self, call: Call) -> None:
        if self._crowded:
            time.sleep(0)  # threads that are about to call go with this batch
        with self._lock:
            others = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH - 1))]
            self._crowded = bool(others)
        try:
            self._exchange([call, *others])
        except BaseException:
            with self._lock:
                left = [other for other in others if not (other.settled or other.gone)]
                self._waiting.extendleft(reversed(left))
            raise

    def _leave(self, call: Call) -> None:
        call.gone = True
        if call.settled and call not in self._leading:
            return
        with self._lock:
            if call in self._leading:
                self._leading.remove(call)
                if self._waiting and len(self._leading) < LEADERS:
                    self._let_lead(self._waiting.popleft())
            elif not call.settled and call in self._waiting:
                self._waiting.remove(call)
