"""The dispatcher: turns what was recorded into jobs and listings, and keeps the sweeper going.

It acknowledges an entry of the feed after it has acted on it, so it may act twice and never not at all; all it does
can be done twice. Several dispatchers share the work; what one that died has read is taken over after CLAIM_AFTER.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TypeVar

from redis import Redis
from redis.exceptions import RedisError

from domain.interventions import ABORT, HAND_OVER, REPLACEMENT
from events.errors import StoreUnavailable
from events.games.pending_action import SCORE
from events.projections.results import SCORED
from events.redis.connections.refusals import unavailable
from events.redis.feed import Feed, FeedEntry
from events.redis.queues.keys import DISPATCHER_ALIVE
from events.runtime.settings import SettingsError
from events.runtime.stores.store_check import PAUSE as STORE_LOOK
from events.runtime.stores.store_check import StoreWatch
from events.use_cases.application import Application
from events.warning_throttle import WarningThrottle
from workers.clocks.watch import Watch
from workers.job_queue.queue import JobQueue, Task
from workers.latency_metrics import LatencyMetrics
from workers.sweeper import Sweeper
from workers.together import Together

log = logging.getLogger("migrato.dispatcher")

GROUP = "dispatcher"
CONSUMER = "dispatcher"  # one name for all: entries are claimed by their age, so nobody needs to know whose they were
ALIVE_SECONDS = 10
LISTED = frozenset(
    ("game_created", "seat_taken", "game_started", "game_ended", "game_scored", ABORT, REPLACEMENT, HAND_OVER)
)
BLOCK_MS = 500  # a stop is noticed, and what is periodic done, at least so often
CLAIM_AFTER = 4.0  # seconds without an acknowledgement after which an entry's reader counts as dead
SCORED_WITHIN = 1.0  # seconds after which a game that has ended is listed so, scored or not
STORE_PAUSE = 0.3  # seconds before a store that does not answer is asked again
STORE_AWAY = "the event store (MIGRATO_REDIS_URL) %s"
QUEUE_AWAY = "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) %s"


T = TypeVar("T")


class Interval:
    """Is due at most once in so many seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()

    def due(self) -> bool:
        """True if it is time again."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._seconds
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
        together: Together | None = None,
        watch: Watch | None = None,
        store_watch: StoreWatch | None = None,
    ) -> None:
        """`alive`: the server that keeps DISPATCHER_ALIVE; `now`: a monotonic clock; `together`: the application's.

        `watch`: over the clocks; without one nobody here looks at them; likewise `store_watch`, over the servers.
        """
        self._together = together or Together()
        self._now = now
        # Games that have ended: the version to be listed, and when, if they are not scored by then.
        self._unscored: dict[str, tuple[int, float]] = {}
        self._unacknowledged: dict[tuple[int, bytes], float] = {}
        self._feed = feed
        self._application = application
        self._queue = queue
        self._alive = alive
        self._latency = LatencyMetrics()
        self._warnings = WarningThrottle(log)
        self._sweeper = Sweeper(feed, application, queue)
        self._every = {
            self._renew: Interval(2.0),
            self._sweeper.sweep: Interval(1.0),
            self._claim: Interval(2.0),
            self._list_unscored: Interval(0.5),
            self._feed.trim: Interval(30.0),
            application.players.settle_erasures: Interval(5.0),
            application.forks.end_expired: Interval(10.0),
            application.rematches.end_requests: Interval(5.0),
            application.abandonment.end: Interval(15.0),
        }
        if watch is not None:
            self._every[watch.look] = Interval(0.5)
        self._store_watch = store_watch
        if store_watch is not None:
            self._every[store_watch.look] = Interval(STORE_LOOK)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Work until told to stop; a store that does not answer is waited for. SettingsError for one that evicts."""
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
            except Exception as error:  # noqa: BLE001 -- all games wait for this process
                self._warnings.exception("the dispatcher failed, and begins anew", error=error)
                started = False
                time.sleep(STORE_PAUSE)
            else:
                started = True
                self._warnings.over(STORE_AWAY, "the event store answers again")
        log.info("stopped")

    def start(self) -> None:
        """Pick up whatever was in flight when the last dispatcher, or everything, died."""
        if self._store_watch is not None:
            self._store_watch.begin()
        self._feed.join()
        while entries := self._feed.claim_stale(min_idle_ms=0):
            self.handle(entries)
        if waiting := self._sweeper.reconcile():
            log.info("%d games wait for a bot or for their score", waiting)
        log.info("dispatching")

    def step(self) -> None:
        """Handle what is new, and do what is due."""
        self.handle(self._feed.read(BLOCK_MS))
        for act, every in self._every.items():
            if every.due():
                act()

    def handle(self, entries: Sequence[FeedEntry]) -> None:
        """Act on entries of the feed, then acknowledge them."""
        if not entries:
            return
        about_events = [entry for entry in entries if entry.said is None]
        in_order = sorted(about_events, key=attrgetter("version"))
        self._latency.observe(in_order)
        latest = {entry.game_id: entry for entry in in_order}
        due = [Task(entry.due, entry.game_id, entry.version) for entry in latest.values() if entry.due]
        if due:
            self._queue.enqueue(*due)
        listed = {entry.game_id: entry.version for entry in in_order if not LISTED.isdisjoint(entry.types)}
        for entry in latest.values():
            if entry.due == SCORE and entry.game_id in listed:  # whoever scores it lists it
                self._unscored[entry.game_id] = (listed.pop(entry.game_id), self._now() + SCORED_WITHIN)
            else:
                self._unscored.pop(entry.game_id, None)
        self._list(listed)
        self._application.listing.touch(list(latest))
        self._rate([entry.game_id for entry in in_order if SCORED in entry.types])
        self._feed.ack(entries)

    def _list_unscored(self) -> None:
        """List games that have ended and are still not scored."""
        now = self._now()
        late = {game_id: version for game_id, (version, until) in self._unscored.items() if until <= now}
        self._list(late)
        for game_id in late:
            del self._unscored[game_id]

    def _list(self, versions: Mapping[str, int]) -> None:
        """Bring lines of games up to date that are older than these versions, with as many requests as one takes."""
        games = self._application.listing.outdated(versions) if versions else ()
        self._each(games, self._application.listing.update, "a game cannot be listed")

    def _rate(self, scored: Sequence[str]) -> None:
        """Let games count whose result was confirmed, and bring the ratings up to date."""
        if not scored:
            return
        rankings = self._application.rankings
        games, ladders = rankings.outstanding(scored)
        entered = self._each(games, rankings.enter, "a game cannot be rated")
        for app, ladder in sorted({*ladders, *(one for one in entered if one is not None)}):
            try:
                rankings.fold(app, ladder)
            except StoreUnavailable:
                raise
            except Exception:  # what else wrote there must not stop the games
                log.exception("the ratings of app %s in %s cannot be worked out", app, ladder)

    def _each(self, games: Sequence[str], act: Callable[[str], T], failure: str) -> list[T]:
        """The result of the act for each game; one that fails is logged, for another try would not help.

        Raises StoreUnavailable.
        """
        done = list[T]()
        outcomes = self._together.run([partial(act, game_id) for game_id in games])
        for game_id, outcome in zip(games, outcomes, strict=True):
            if isinstance(outcome, StoreUnavailable):
                raise outcome
            if isinstance(outcome, Exception):  # one broken game must not stop the others
                log.error(failure, exc_info=outcome, extra={"game_id": game_id})
            else:
                done.append(outcome)
        return done

    def _claim(self) -> None:
        """Take over what has been left lying, by this process's own clock: the store's may have been set back."""
        now = self._now()
        self._unacknowledged = {
            (partition, entry): self._unacknowledged.get((partition, entry), now)
            for partition, entry in self._feed.oldest_pending().items()
        }
        stuck = [
            partition for (partition, _), since in self._unacknowledged.items() if now - since >= CLAIM_AFTER
        ]
        if stuck:
            self.handle(self._feed.claim_stale(min_idle_ms=0, partitions=stuck))

    def _renew(self) -> None:
        try:
            self._alive.set(DISPATCHER_ALIVE, int(time.time()), ex=ALIVE_SECONDS)
        except RedisError as error:
            away = unavailable(error)
            self._warnings.warning(QUEUE_AWAY, away.said, kind=away.kind)
        else:
            self._warnings.over(QUEUE_AWAY, "the job queue's server answers again")
