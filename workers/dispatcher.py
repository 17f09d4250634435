"""The dispatcher: a list of reactions to recorded events, and a list of periodic acts.

The dispatcher acknowledges an entry of the feed after it has acted on it. So it acts on each entry at least once, and
every act may be repeated without harm. Several dispatchers share the work; after CLAIM_AFTER seconds, one takes over
the entries that a dead dispatcher has read.

Acts that depend only on a game's latest state are done for many batches together, and only then are the entries
acknowledged: while games are played fast, each is handled four times a second instead of once a move.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from redis import Redis

from events.application import Application
from events.errors import StoreUnavailable
from events.features.usage.counting import Counting
from events.ports import Feed, FeedEntry
from events.rhythm import block
from events.runtime.settings import SettingsError
from events.runtime.stores.store_check import PAUSE as STORE_LOOK
from events.runtime.stores.store_check import StoreWatch
from events.warning_throttle import WarningThrottle
from workers.greenlets.beside import Beside
from workers.job_queue.queue import JobQueue
from workers.reactions.alive import DispatcherAlive
from workers.reactions.batch import Batch
from workers.reactions.clocks import ClockWatch
from workers.reactions.each_game import EachGame
from workers.reactions.jobs import Jobs
from workers.reactions.latency import LatencyMetrics
from workers.reactions.listings import ListingUpdates
from workers.reactions.ratings import RatingUpdates
from workers.reactions.sweeper import Sweeper
from workers.reactions.takeover import Takeover
from workers.reactions.upkeep import upkeep
from workers.reactions.usage import UsageUpdates
from workers.together import Together

log = logging.getLogger("migrato.dispatcher")

GROUP = "dispatcher"
CONSUMER = (
    # one name for all dispatchers: entries are taken over by their age, so nobody needs to know their reader
    "dispatcher"
)
# seconds for which the feed is read; a stop is noticed, and periodic acts are done, at least so often
BLOCK = 0.5
IDLE = 1.0  # seconds, in place of BLOCK, while nothing comes, no clock runs and no game waits for its score
# seconds between two times that games are touched and entries acknowledged, while more entries come
SETTLE = 0.25
STORE_PAUSE = 0.3  # seconds before a store that does not answer is asked again
STORE_AWAY = "the event store (MIGRATO_REDIS_URL) %s"


class Interval:
    """A period of so many seconds, once in each of which an act is due; periods begin at multiples of them on the
    clock.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()

    def due(self) -> bool:
        """True if the act is due and was not done in this period."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = (now // self._seconds + 1) * self._seconds
        return True


class Dispatcher:
    """One consumer of the feed."""

    def __init__(
        self,
        feed: Feed,
        application: Application,
        queue: JobQueue,
        alive: Redis,
        now: Callable[[], float] = time.monotonic,
        together: Together | Beside | None = None,
        watch: ClockWatch | None = None,
        store_watch: StoreWatch | None = None,
        usage: Counting | None = None,
    ) -> None:
        """`alive`: the server that keeps DISPATCHER_ALIVE; `now`: a monotonic clock; `together`: the application's.

        `watch` looks after the clocks; without one this dispatcher does not. The same holds for `store_watch`, which
        looks after the servers, and for `usage`.
        """
        each = EachGame(together or Together())
        self._listings = listings = ListingUpdates(application.listing, each, now)
        self._watch = watch
        self._has_read = True
        self._feed = feed
        self._store_watch = store_watch
        self._takeover = Takeover(feed, self.handle, now)
        self._unsettled: list[FeedEntry] = []
        self._settling = Interval(SETTLE, now)
        self._sweeper = Sweeper(feed, application, queue)
        self._reactions: list[Callable[[Batch], None]] = [
            LatencyMetrics().observe,
            Jobs(queue).enqueue,
            listings.update,
            RatingUpdates(application, each, feed).rate,
        ]
        seconds: dict[Callable[[], object], float] = {
            DispatcherAlive(alive).renew: 2.0,
            self._sweeper.sweep: 1.0,
            self._takeover.look: 2.0,
            listings.list_unscored: 0.5,
            **upkeep(feed, application),
        }
        if watch is not None:
            seconds[watch.look] = 0.5
        if store_watch is not None:
            seconds[store_watch.look] = STORE_LOOK
        if usage is not None:
            updates = UsageUpdates(usage, now)
            self._reactions.append(updates.note)
            seconds[updates.count] = 1.0
        self._periodic = {act: Interval(apart) for act, apart in seconds.items()}
        self._warnings = WarningThrottle(log)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Work until told to stop, and wait for a store that does not answer. SettingsError for a store that evicts
        keys.
        """
        started = False
        while not stopping():
            try:
                if not started:
                    self.start()
                self.step()
            except StoreUnavailable as error:
                self._warnings.warning(STORE_AWAY, error.said, kind=error.kind)
                time.sleep(STORE_PAUSE)
            except SettingsError:
                raise
            except Exception as error:  # noqa: BLE001 -- all games wait for this process, so no error ends it
                self._warnings.exception("the dispatcher failed, and begins anew", error=error)
                started = False
                time.sleep(STORE_PAUSE)
            else:
                started = True
                self._warnings.over(STORE_AWAY, "the event store answers again")
        with suppress(StoreUnavailable):  # if it fails, another dispatcher handles the entries again
            self._settle()
        log.info("stopped")

    def start(self) -> None:
        """Take over the entries that were in flight when the last dispatcher, or the whole engine, died."""
        if self._store_watch is not None:
            self._store_watch.begin()
        self._feed.join()
        self._unsettled = []  # these are among the entries in flight
        self._takeover.everything()
        if waiting := self._sweeper.reconcile():
            log.info("%d games wait for a bot or for their score", waiting)
        log.info("dispatching")

    def step(self) -> None:
        """Handle new entries, and do the periodic acts that are due."""
        entries = self._feed.read(round(1000 * block(self._patience())))
        self._has_read = bool(entries)
        self._react(entries)
        if self._settling.due() or not entries:
            self._settle()
        for act, every in self._periodic.items():
            if every.due():
                act()

    def _patience(self) -> float:
        """The most seconds to wait for entries, before something else may be due."""
        if self._unsettled:
            return SETTLE
        watch = self._watch
        is_busy = self._has_read or self._listings.waits_for_scores or (watch is not None and watch.is_needed)
        return BLOCK if is_busy else IDLE

    def handle(self, entries: Sequence[FeedEntry]) -> None:
        """Act on entries of the feed, then acknowledge them."""
        self._react(entries)
        self._settle()

    def _react(self, entries: Sequence[FeedEntry]) -> None:
        if entries:
            batch = Batch(entries)
            for react in self._reactions:
                react(batch)
            self._unsettled += entries

    def _settle(self) -> None:
        """Do what was put off for these entries, then acknowledge them."""
        if self._unsettled:
            self._listings.touch({entry.game_id for entry in self._unsettled if entry.said is None})
            self._feed.ack(self._unsettled)
            self._unsettled = []
