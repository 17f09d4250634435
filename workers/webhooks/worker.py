"""The worker that fills apps' logs and sends webhooks. Of several processes, the one with the lease works.

The others wait, and one of them takes over a few seconds after the holder has died. A process that was stopped for so
long that it lost the lease may send once more what another one has sent: receivers recognize it by the id.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import gevent  # type: ignore[import-untyped]
from redis import Redis

from events.errors import Busy, StoreUnavailable
from events.rhythm import pause
from events.runtime.bootstrap import WebhookParts
from events.store.queues.keys import WEBHOOKS_ALIVE
from events.warning_throttle import WarningThrottle
from workers.archiver import AliveKey
from workers.webhooks.client import WebhookClient
from workers.webhooks.relay import Relay
from workers.webhooks.senders import CALLS, Senders

log = logging.getLogger("migrato.webhooks")

RENEWED: Final = 1.0  # seconds between two renewals of the lease
TICK: Final = 0.5
STORE_PAUSE: Final = 0.5  # seconds before a store that does not answer is asked again
PATIENCE: Final = (
    4.0  # seconds without a renewal after which this process stops, sooner than the lease expires
)
ALIVE_SECONDS: Final = 20
LOOK: Final = 1.0  # seconds between two looks at who is connected
LOOK_AT_JOBS: Final = 2.0  # seconds between two looks at jobs that are done
UNTOLD: Final = "apps are not told that bots have answered at the moment: %s"
UNATTENDED: Final = "apps are not told who is connected at the moment: %s"
STUCK: Final = "apps' events cannot be logged at the moment: %s"


class WebhookWorker:
    """A process that may hold the lease."""

    def __init__(self, parts: WebhookParts, alive: Redis, pause: float = RENEWED) -> None:
        """`alive`: the server that keeps WEBHOOKS_ALIVE."""
        self._parts = parts
        self._alive = AliveKey(alive, WEBHOOKS_ALIVE, ALIVE_SECONDS)
        self._pause = pause
        self._warnings = WarningThrottle(log)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Work until told to stop; wait for a store that does not answer."""
        # for lookups of names, so that one that hangs delays no other
        gevent.get_hub().threadpool.maxsize += CALLS
        while not stopping():
            self._alive()
            if self._takes_lease():
                self._work(stopping)
            else:
                self._rest(stopping)
        log.info("stopped")

    def _work(self, stopping: Callable[[], bool]) -> None:
        """Work for as long as this process has the lease."""
        log.info("logging apps' events, sending webhooks")
        renewed = time.monotonic()
        senders = Senders(self._parts.application, WebhookClient(self._parts.guard))
        tasks = [
            *(gevent.spawn(self._relay, senders), gevent.spawn(self._attend, senders)),
            *(gevent.spawn(senders.run), gevent.spawn(self._tell_choices)),
        ]
        try:
            while not stopping() and time.monotonic() - renewed < PATIENCE:
                self._rest(stopping)
                self._alive()
                if any(task.ready() for task in tasks):
                    log.error("the work has ended by itself, and begins anew")
                    return
                began = time.monotonic()
                held = self._takes_lease()
                if held:
                    renewed = began
                elif held is False:
                    log.warning("another process has taken over")
                    return
        finally:
            gevent.killall(tasks)
            with suppress(StoreUnavailable):
                self._parts.lease.give_up()

    def _takes_lease(self) -> bool | None:
        """True if this process has the lease now; None if the store does not answer."""
        try:
            return self._parts.lease.take()
        except StoreUnavailable:
            return None

    def _relay(self, senders: Senders) -> None:
        """Fill the logs, for as long as this process works."""
        relay = Relay(self._parts.feed, self._parts.application.app_logs, senders.wake)
        while True:
            try:
                relay.step()
                self._warnings.over(STUCK, "apps' events can be logged again")
            except (StoreUnavailable, Busy) as error:
                reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
                self._warnings.warning(STUCK, reason)
                gevent.sleep(STORE_PAUSE)
            except Exception as error:  # noqa: BLE001 -- all apps wait for this
                self._warnings.exception("apps' events cannot be logged; trying again", error=error)
                gevent.sleep(STORE_PAUSE)

    def _attend(self, senders: Senders) -> None:
        """Tell apps about connections and disconnections, for as long as this process works."""
        while True:
            try:
                for app in self._parts.application.attendance.step():
                    senders.wake(app)
                self._warnings.over(UNATTENDED, "apps are told again who is connected")
            except (StoreUnavailable, Busy) as error:
                reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
                self._warnings.warning(UNATTENDED, reason)
            except Exception as error:  # noqa: BLE001 -- logs and webhooks go on
                self._warnings.exception("nobody is told who is connected; trying again", error=error)
            gevent.sleep(pause(LOOK))

    def _tell_choices(self) -> None:
        """Tell apps that bots have answered, for as long as this process works."""
        while True:
            more = False
            try:
                more = self._parts.choices.step()
                self._warnings.over(UNTOLD, "apps are told again that bots have answered")
            except StoreUnavailable as error:
                self._warnings.warning(UNTOLD, error.reason)
            except Exception as error:  # noqa: BLE001 -- logs and webhooks go on
                self._warnings.exception("nobody is told that bots have answered; trying again", error=error)
            gevent.sleep(0 if more else pause(LOOK_AT_JOBS))

    def _rest(self, stopping: Callable[[], bool]) -> None:
        end = time.monotonic() + self._pause
        while not stopping() and time.monotonic() < end:
            gevent.sleep(pause(TICK))
