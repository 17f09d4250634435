"""Events on their way to a developer's server: in order within a game, and again where an attempt fails."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Final

import click

from events.features.webhooks import attempts
from events.features.webhooks.attempts import Outcome
from events.features.webhooks.deliveries import Delivery, pause_after
from events.features.webhooks.outbox import Outbox
from service.cli.exits import Failure
from service.cli.listening.reader import Reader

FIRST_PAUSE: Final = 1.0  # seconds after a failure, twice as long after each further one:
LONGEST_PAUSE: Final = 10.0  # somebody sits there, and has just started the receiver again
WAITING: Final = 1_000  # events that are read before they have arrived, about; the others wait in the engine
LOOK: Final = 3_600.0  # seconds for which nothing need be looked at unless something happens

Act = Callable[[], object]
Post = Callable[[Delivery], Outcome]


class Forwarder:
    """Reads in one thread, makes each attempt in another, and judges in that of its caller.

    A clock that is set changes nothing: all times are those of `time.monotonic`.
    """

    def __init__(self, reader: Reader, post: Post, say: Callable[[str], object] = click.echo) -> None:
        self._reader = reader
        self._post = post
        self._say = say
        self._acts = SimpleQueue[Act]()  # what the other threads have found out
        self._room = BoundedSemaphore(WAITING)
        self._open = OrderedDict[str, bool]()  # events that were read, in order; whether each is settled
        self._outbox = Outbox(partial(pause_after, first=FIRST_PAUSE, longest=LONGEST_PAUSE))
        self.done = reader.begin  # every event up to this one is settled

    def run(self) -> None:
        """Forward until interrupted. Raises Failure where the engine refuses, or the receiver is gone for good."""
        Thread(target=self._read, daemon=True).start()
        while True:
            now = time.monotonic()
            for delivery in self._outbox.ready(now):
                self._outbox.begin(delivery)
                Thread(target=self._attempt, args=(delivery,), daemon=True).start()
            due = self._outbox.due_in(now)
            try:  # what is due and was not begun waits for an attempt that is under way
                self._acts.get(timeout=min(LOOK, due) if due > 0.0 else LOOK)()
            except Empty:
                continue

    def _read(self) -> None:
        """Hand over what comes, as long as there is room."""
        try:
            while True:
                for delivery in self._reader.page(lambda text: self._acts.put(partial(self._say, text))):
                    self._room.acquire()
                    self._acts.put(partial(self._take, delivery))
        except BaseException as error:  # noqa: BLE001 -- the caller's thread ends of it
            self._acts.put(partial(_throw, error))

    def _take(self, delivery: Delivery) -> None:
        self._open[delivery.id] = False
        self._outbox.add([replace(delivery, begun=time.monotonic())])

    def _attempt(self, delivery: Delivery) -> None:
        begun = time.monotonic()
        try:
            outcome = self._post(delivery)
        except BaseException as error:  # noqa: BLE001 -- the caller's thread ends of it
            self._acts.put(partial(_throw, error))
        else:
            self._acts.put(partial(self._judge, delivery, outcome, time.monotonic() - begun))

    def _judge(self, delivery: Delivery, outcome: Outcome, seconds: float) -> None:
        """Note what became of an attempt."""
        now = time.monotonic()
        if outcome.kind == attempts.DELIVERED:
            self._outbox.arrived(delivery)
            self._tell(delivery, f"{outcome.status} in {seconds * 1000:.0f} ms")
            self._settle(delivery)
            return
        if outcome.kind == attempts.GONE:
            self._tell(delivery, outcome.error)
            raise Failure("The receiver answers 410: the engine disables a webhook then.")
        if outcome.kind == attempts.REFUSED:
            after = self._outbox.refused(delivery, outcome.status or 0, outcome.error, now)
        else:
            after = self._outbox.unreachable(delivery, outcome.status, outcome.error, now, outcome.pause)
        if after.is_given_up(now):
            self._outbox.give_up(after)
            self._tell(delivery, f"{outcome.error}; given up")
            self._settle(delivery)
        else:
            self._tell(delivery, f"{outcome.error}; again in {self._outbox.seconds_until(after, now):.1f} s")

    def _settle(self, delivery: Delivery) -> None:
        self._open[delivery.id] = True
        self._room.release()
        while self._open and self._open[oldest := next(iter(self._open))]:
            del self._open[oldest]
            self.done = oldest

    def _tell(self, delivery: Delivery, outcome: str) -> None:
        message = delivery.logged.message
        self._say(f"{delivery.id}  {message.type}  {message.game_id}  -> {outcome}")


def _throw(error: BaseException) -> None:
    raise error
