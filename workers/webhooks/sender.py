"""Sends the messages of one endpoint: takes them from the app's log, attempts them, and records the outcomes.

All that must not be lost is stored before anything else happens: the place in the log, the waiting deliveries, the dead
ones. A process that dies after a receiver got a message, and before that is recorded, sends the message again.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import gevent  # type: ignore[import-untyped]
from gevent.event import Event  # type: ignore[import-untyped]

from events.errors import Busy, StoreUnavailable
from events.features.webhooks import attempts
from events.features.webhooks.app_logs import FIRST, AppLogs
from events.features.webhooks.attempts import Outcome
from events.features.webhooks.deliveries import DEAD, WAITING, Delivery, of_message
from events.features.webhooks.endpoints import Endpoints
from events.features.webhooks.outbox import Outbox
from events.features.webhooks.payloads import SeatGone
from events.features.webhooks.records import GONE as DISABLED_GONE
from events.features.webhooks.records import NO_SEAT, Endpoint
from events.runtime import metrics
from events.warning_throttle import WarningThrottle
from workers.remote.fair_queue import lane_of
from workers.remote.fair_share import FairShare
from workers.remote.poster import end_of_lookup
from workers.webhooks.client import WebhookClient

log = logging.getLogger("migrato.webhooks")

PAGE: Final = 100  # messages that are read together from a log
LOOK: Final = 5.0  # seconds between two looks without news
SET: Final = 1.0  # seconds by which the two clocks may drift apart between two looks
SHARE: Final = 0.2  # seconds until the sender asks again for a share of the calls
STORE_PAUSE: Final = 0.5
SETTLING: Final = 20  # attempts to record an outcome


class Sender:
    """The sender of one endpoint. It runs in a greenlet of its own, and each attempt in another."""

    def __init__(
        self,
        endpoint: Endpoint,
        endpoints: Endpoints,
        logs: AppLogs,
        calls: WebhookClient,
        shares: FairShare,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` may be set while this works; `steady` is monotonic."""
        self._endpoint = endpoint
        self._endpoints = endpoints
        self._store = endpoints.store
        self._logs = logs.logs
        self._attendance = logs.attendance
        self._calls = calls
        self._shares = shares
        self._clock, self._steady = clock, steady
        self._between = clock() - steady()  # the difference of the two clocks
        self._warnings = WarningThrottle(log, steady)
        self._news = Event()
        self._is_stale = True
        self._tries_now = False
        self._is_gone = False
        self._taken, self._place = FIRST, FIRST  # the places in the log: the stored one, and the present one
        self.outbox = Outbox()

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint as it was last read."""
        return self._endpoint

    def wake(self) -> None:
        """Look at the log, which may have grown."""
        self._news.set()

    def look_again(self, at_once: bool) -> None:
        """Look at the endpoint's deliveries, which were changed; `at_once`: the endpoint was changed, and its pauses
        end.
        """
        self._is_stale = True
        self._tries_now |= at_once
        self._news.set()

    def run(self) -> None:
        """Send until the endpoint is deleted; wait for a store that does not answer."""
        while not self._is_gone:
            try:
                self._news.clear()
                pause = self.step()
            except (StoreUnavailable, Busy):
                gevent.sleep(STORE_PAUSE)
            except Exception as error:  # noqa: BLE001 -- an error here must not stop other endpoints
                self._warnings.exception("webhook %s: nothing can be sent", self._endpoint.id, error=error)
                gevent.sleep(LOOK)
            else:
                self._news.wait(pause)

    def step(self) -> float:
        """Do what can be done now. Returns the seconds until there may be more to do."""
        if self._is_stale:
            self._refresh()
        if self._is_gone or self._endpoints.is_silenced(self._endpoint):
            return LOOK
        has_more = self._take()
        for delivery in self.outbox.outdated(self._now()):
            self._give_up(delivery, was_tried=False)
        waits_for_share = self._start()
        if has_more and len(self.outbox) < WAITING:
            return 0.0
        pause = min(LOOK, self.outbox.due_in(self._now()))
        return SHARE if waits_for_share else max(0.0, pause) if pause > 0 else SHARE

    def _refresh(self) -> None:
        """Read the endpoint and its waiting deliveries."""
        found = self._store.one_of_app(self._endpoint.app, self._endpoint.id)
        cursor = self._store.cursor(self._endpoint)
        if found is None or cursor is None:
            self._is_gone = True
            return
        waiting = self._store.deliveries(found, dead=False)
        self._endpoint = found
        if self._taken != cursor:
            self._taken = self._place = cursor
        self.outbox.add(waiting)
        if self._tries_now:
            self.outbox.try_now()
        self._is_stale = self._tries_now = False

    def _take(self) -> bool:
        """Take messages from the log, as many as may wait. Returns True if there are more."""
        if self._endpoint.attends:
            self._attendance.ask(self._endpoint.app)
        room = WAITING - len(self.outbox)
        if room <= 0:
            stuck = self.outbox.stuck()
            if stuck is not None:  # the receiver accepts others, which must not wait for this one
                self._give_up(stuck, was_tried=False)
            return False
        page = self._logs.read(self._endpoint.app, self._place, min(PAGE, room))
        if page.is_lost:
            log.warning(
                "webhook %s: messages were lost that its app's log no longer keeps", self._endpoint.id
            )
            page = self._logs.read(self._endpoint.app, FIRST, min(PAGE, room))
        wanted = [
            of_message(logged)
            for logged in page.messages
            if self._endpoint.wants(logged.message.type, logged.message.game_id)
        ]
        self._place = page.next
        if wanted or len(page.messages) == PAGE or page.is_lost:
            if not self._store.take(self._endpoint, self._taken, page.next, wanted):
                # another process has taken messages, or the endpoint was deleted
                self._is_stale, self._taken = True, FIRST
                return True
            self._taken = page.next
            self.outbox.add(wanted)
        return len(page.messages) == min(PAGE, room)

    def _start(self) -> bool:
        """Begin attempts. Returns True if some are left for lack of a share of the calls."""
        lane = lane_of(self._endpoint.app, self._endpoint.url)
        for delivery in self.outbox.ready(self._now()):
            if self._shares.free <= 0 or {lane.app, lane.at_host} & {*self._shares.full()}:
                return True
            self.outbox.begin(delivery)
            self._shares.begin(lane)
            gevent.spawn(self._attempt, delivery).link(lambda _: self._shares.end(lane))
        return False

    def _attempt(self, delivery: Delivery) -> None:
        endpoint = self._endpoint
        try:
            body = self._endpoints.payloads.body(endpoint, delivery)
            outcome = self._calls.post(endpoint.url, self._store.secrets(endpoint), delivery.id, body)
            self._settle(delivery, outcome)
        except SeatGone:
            self._disable(NO_SEAT)
            self.outbox.interrupted(delivery, self._now(), 0.0)
        except (StoreUnavailable, Busy):
            self.outbox.interrupted(delivery, self._now(), STORE_PAUSE)
        except Exception as error:  # noqa: BLE001 -- one delivery must not stop the others
            self._warnings.exception("webhook %s: delivery %s failed", endpoint.id, delivery.id, error=error)
            self._patiently(
                lambda: self._give_up(self.outbox.refused(delivery, 0, "internal error", self._now()))
            )
        finally:
            self._news.set()
            end_of_lookup()

    def _settle(self, delivery: Delivery, outcome: Outcome) -> None:
        """Record the outcome of an attempt."""
        now, endpoint = self._now(), self._endpoint
        match outcome.kind:
            case attempts.DELIVERED:
                self._patiently(lambda: self._store.delivered(endpoint, delivery))
                self.outbox.arrived(delivery)
                metrics.DELIVERIES.labels("delivered").inc()
                attempt = "later" if delivery.attempts else "first"
                metrics.DELIVERY_SECONDS.labels(attempt).observe(max(0.0, now - delivery.begun))
                return
            case attempts.REFUSED:
                after = self.outbox.refused(delivery, outcome.status or 0, outcome.error, now)
            case attempts.GONE:
                after = self.outbox.refused(delivery, outcome.status or 0, outcome.error, now)
                self._patiently(lambda: self._disable(DISABLED_GONE))
            case _:
                if not self.outbox.is_down:
                    log.info("webhook %s of app %s: %s", endpoint.id, endpoint.app, outcome.error)
                after = self.outbox.unreachable(delivery, outcome.status, outcome.error, now, outcome.pause)
        metrics.DELIVERIES.labels("failed").inc()
        if after.is_given_up(now):
            self._patiently(lambda: self._give_up(after))
        else:
            self._patiently(lambda: self._store.postponed(endpoint, after))

    def _give_up(self, delivery: Delivery, *, was_tried: bool = True) -> None:
        is_kept = not delivery.is_void(self._now())
        self._store.give_up(self._endpoint, delivery, DEAD, was_tried=was_tried, is_kept=is_kept)
        self.outbox.give_up(delivery)
        metrics.DELIVERIES.labels("given-up").inc()

    def _disable(self, why: str) -> None:
        log.warning("webhook %s of app %s is disabled: %s", self._endpoint.id, self._endpoint.app, why)
        known = self._endpoint
        if known.disabled is None and self._store.replace(known, replace(known, disabled=why)):
            self._endpoint = replace(known, disabled=why)
        self._is_stale = True

    def _now(self) -> float:
        """The present time. Pauses keep their length, even if the clock is set meanwhile."""
        now = self._clock()
        between = now - self._steady()
        if abs(between - self._between) > SET:
            self.outbox.clock_was_set(between - self._between)
            self._between = between
        return now

    def _patiently(self, act: Callable[[], object]) -> None:
        """Carry out a decision even if the store does not answer immediately: another attempt costs more
        than a wait.
        """
        for left in reversed(range(SETTLING)):
            try:
                act()
                return
            except StoreUnavailable:
                if not left:
                    raise
                gevent.sleep(STORE_PAUSE)
