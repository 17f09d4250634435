"""The senders of all endpoints: one for each, started and ended as endpoints come and go."""

import logging
import time
from typing import Final

import gevent  # type: ignore[import-untyped]

from events.application import Application
from events.errors import StoreUnavailable
from events.features.webhooks.port import ChangedEndpoint
from events.features.webhooks.records import Endpoint
from events.rhythm import pause
from events.runtime import metrics
from events.warning_throttle import WarningThrottle
from workers.remote.fair_share import FairShare
from workers.webhooks.client import WebhookClient
from workers.webhooks.sender import Sender

log = logging.getLogger("migrato.webhooks")

CALLS: Final = 256  # attempts at the same time, at all endpoints
TICK: Final = 1.0  # seconds between two looks at changed webhooks
ALL: Final = 30.0  # seconds between two looks at all endpoints


class Senders:
    """The senders of this process."""

    def __init__(self, application: Application, calls: WebhookClient) -> None:
        self._endpoints = application.webhooks
        self._logs = application.app_logs
        self._calls = calls
        self._shares = FairShare(CALLS)
        self._running = dict[tuple[str, str], tuple[Sender, gevent.Greenlet]]()
        self._warnings = WarningThrottle(log)

    def wake(self, app: str) -> None:
        """Wake the senders of an app whose log has grown."""
        for (name, _), (sender, _) in list(self._running.items()):
            if name == app:
                sender.wake()

    def run(self) -> None:
        """Keep a sender for every endpoint; killing this greenlet ends them."""
        next_look = 0.0
        try:
            while True:
                try:
                    if time.monotonic() >= next_look:
                        for app in self._logs.logs.active():
                            self._look_at(app)
                        self._count_dead()
                        next_look = time.monotonic() + ALL
                    for changed in self._endpoints.store.changed():
                        self._look_at(changed.app, changed)
                    self._measure()
                except StoreUnavailable:
                    next_look = 0.0
                gevent.sleep(pause(TICK))
        finally:
            gevent.killall([greenlet for _, greenlet in self._running.values()])
            self._running.clear()
            self._measure()
            metrics.DELIVERIES_DEAD.set(0)

    def _look_at(self, app: str, changed: ChangedEndpoint | None = None) -> None:
        """Look at one of the app's endpoints, or at all. An error in one app's does not stop those of others."""
        try:
            if changed is not None:
                self._changed(changed)
                return
            for endpoint in self._endpoints.store.of_app(app):
                self._ensure(endpoint)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 -- an error in one app's must not stop another's
            self._warnings.exception("the webhooks of app %s cannot be read", app, error=error)

    def _changed(self, changed: ChangedEndpoint) -> None:
        running = self._running.get((changed.app, changed.id))
        if running is not None and not running[1].ready():
            running[0].look_again(changed.tries_now)
        elif (found := self._endpoints.store.one_of_app(changed.app, changed.id)) is not None:
            self._ensure(found)

    def _ensure(self, endpoint: Endpoint) -> None:
        """Start a sender for that endpoint, unless it has one that runs."""
        place = (endpoint.app, endpoint.id)
        running = self._running.get(place)
        if running is None or running[1].ready():
            sender = Sender(endpoint, self._endpoints, self._logs, self._calls, self._shares)
            self._running[place] = sender, gevent.spawn(sender.run)

    def _count_dead(self) -> None:
        sizes = self._endpoints.store.sizes([sender.endpoint for sender, _ in self._running.values()])
        metrics.DELIVERIES_DEAD.set(sum(dead for _, dead in sizes))

    def _measure(self) -> None:
        ended = [place for place, (_, greenlet) in self._running.items() if greenlet.ready()]
        for place in ended:
            del self._running[place]
        boxes = [sender.outbox for sender, _ in self._running.values()]
        for receiver, is_away in (("there", False), ("away", True)):
            found = [box for box in boxes if box.is_down is is_away]
            since = [oldest for box in found if (oldest := box.oldest()) is not None]
            metrics.DELIVERIES_WAITING.labels(receiver).set(sum(map(len, found)))
            longest = max(0.0, time.time() - min(since)) if since else 0.0
            metrics.DELIVERIES_WAITING_LONGEST.labels(receiver).set(longest)
