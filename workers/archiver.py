"""The archiver: moves finished games out of Redis at intervals, for as long as it runs.

Several archivers do no harm: one that finds a partition locked leaves it to the other.
"""

import logging
import time
from collections.abc import Callable

from redis import Redis
from redis.exceptions import RedisError

from events.archive.mover import Mover
from events.errors import StoreUnavailable
from events.retention.retention import NoSigningKey, Retention
from events.rhythm import pause
from events.runtime import metrics
from events.store.connections.refusals import unavailable
from events.store.queues.keys import ARCHIVER_ALIVE
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.archiver")

# seconds for which the key stays without being renewed, because one batch of games may take long
ALIVE_SECONDS = 60
RENEWED = 5.0  # seconds between two renewals

LONGEST = 600.0  # seconds between two runs
SHORTEST = 1.0
TICK = 1.0  # seconds within which a stop is noticed
QUEUE_AWAY = "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) %s"
NO_KEY = "MIGRATO_ARCHIVE_KEEP needs a signing key (MIGRATO_SIGNING_KEYS): no game is pruned"
STUCK = "nothing can be moved to the archive: %s"


class AliveKey:
    """A sign that a worker is at work: a key on the queue's server that expires."""

    def __init__(self, server: Redis, key: str = ARCHIVER_ALIVE, seconds: int = ALIVE_SECONDS) -> None:
        self._server = server
        self._key = key
        self._seconds = seconds
        self._next = 0.0
        self._warnings = WarningThrottle(log)

    def __call__(self, *_: object) -> None:
        """Renew the key, if it is time to. A server that does not answer is only logged."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + RENEWED
        try:
            self._server.set(self._key, 1, ex=self._seconds)
        except RedisError as error:
            away = unavailable(error)
            self._warnings.warning(QUEUE_AWAY, away.said, kind=away.kind)
        else:
            self._warnings.over(QUEUE_AWAY, "the job queue's server answers again")


class Archiver:
    """Runs a mover at intervals: a tenth of the time that games stay in Redis, and at most LONGEST."""

    def __init__(
        self,
        mover: Mover,
        after: float,
        alive: Callable[[], object] = lambda: None,
        retention: Retention | None = None,
    ) -> None:
        """`after`: seconds that a finished game stays in Redis; `alive` is called again and again.

        `retention`: removes old games; None if games are kept forever.
        """
        self._mover = mover
        self._retention = retention
        self._alive = alive
        self._pause = min(LONGEST, max(SHORTEST, after / 10))
        self._warnings = WarningThrottle(log)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Work until told to stop; a store or an archive that does not answer is tried again the next time."""
        while not stopping():
            self._alive()
            try:
                self.step(stopping)
                self.let_go(stopping)
                self._warnings.over(STUCK, "games can be moved to the archive again")
            except StoreUnavailable as error:
                self._warnings.warning(STUCK, error.reason, kind=error.kind)
            self._rest(stopping)
        log.info("stopped")

    def step(self, stopping: Callable[[], bool] = lambda: False) -> int:
        """Move the games that are ready. Returns their number. Raises StoreUnavailable."""
        waiting = 0

        def progress(done: int, ready: int) -> None:
            nonlocal waiting
            waiting = ready - done
            metrics.ARCHIVE_WAITING.set(waiting)

        moved = self._mover.run(progress, stopping)
        metrics.ARCHIVE_WAITING.set(waiting + len(moved.left))
        if moved.games:
            log.info("%d games moved to the archive, into %d files", moved.games, moved.files)
        return moved.games

    def let_go(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Remove the games whose time of retention is over. Raises StoreUnavailable."""
        if self._retention is None:
            return
        try:
            done = self._retention.run(stopping)
        except NoSigningKey:
            self._warnings.warning(NO_KEY)
            return
        self._warnings.over(NO_KEY, "there is a signing key: old games can be pruned")
        if done.unlisted or done.pruned:
            told = "%d games left the listings, %d the archive with %d files"
            log.info(told, done.unlisted, done.pruned, done.files)

    def _rest(self, stopping: Callable[[], bool]) -> None:
        end = time.monotonic() + self._pause
        while not stopping() and time.monotonic() < end:
            self._alive()
            time.sleep(pause(TICK))
