"""The sweeper: nothing that a game waits for is ever forgotten, whatever the queue has lost."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from events import metrics
from events.application import Application
from events.errors import StoreUnavailable
from events.feed import Feed
from workers.queues import JobQueue, JobState
from workers.work import Work

log = logging.getLogger("migrato.sweeper")

GRACE = 2.0  # seconds that work may take before the queue is asked about it, and between two such questions
PATIENCE = 20.0  # seconds that a job may wait in a long queue before the sweeper does the work itself
AT_ONCE = 200  # works looked at in one sweep: the dispatcher has other things to do


@dataclass(slots=True)
class Watch:
    """Overdue work as this sweeper knows it: since when, when to look next, and how often its job was missing."""

    since: float
    look_at: float
    misses: int = 0


class Sweeper:
    """Compares the index of due games, which is part of every append, with the queue.

    Work whose job is missing is enqueued again; if it is missing a second time, the sweeper does it itself.
    """

    def __init__(
        self,
        feed: Feed,
        application: Application,
        queue: JobQueue,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._feed = feed
        self._application = application
        self._queue = queue
        self._clock = clock
        self._watched: dict[Work, Watch] = {}

    def reconcile(self) -> int:
        """Enqueue everything that is due, as if it had just become so; how much that was. Done once, at the start."""
        works = self._due(0)
        for work in works:
            self._queue.enqueue(work)
        return len(works)

    def sweep(self) -> None:
        """Look after what has been due for too long. Raises StoreUnavailable."""
        now = self._clock()
        self._watched = {work: self._watched.get(work) or Watch(now, now) for work in self._due(GRACE)}
        overdue = [work for work, watch in self._watched.items() if watch.look_at <= now]
        for work in overdue[:AT_ONCE]:
            watch = self._watched[work]
            watch.look_at = now + GRACE
            self._look_after(work, watch, now)

    def _due(self, seconds: float) -> list[Work]:
        return [Work(due.what, due.game_id, due.version) for due in self._feed.overdue(seconds)]

    def _look_after(self, work: Work, watch: Watch, now: float) -> None:
        state = self._queue.state(work)
        waits_too_long = now - watch.since > PATIENCE
        if state is JobState.RUNNING or (state is JobState.WAITING and not waits_too_long):
            return
        if not self._feed.is_due(work.game_id, work.kind, work.version):
            return  # done while this sweep looked after others
        watch.misses += 1
        if watch.misses == 1 and not waits_too_long:
            log.warning("%s is missing from the queue: enqueued again", work.job_id)
            metrics.LOST_JOBS.labels(work.kind, "enqueued").inc()
            self._queue.enqueue_again(work)
        else:
            log.warning("%s is not done by any worker: done here", work.job_id)
            metrics.LOST_JOBS.labels(work.kind, "done").inc()
            self._do(work)

    def _do(self, work: Work) -> None:
        try:
            if work.kind == "score":
                self._application.score_game(work.game_id)
            else:
                why = "timeout" if work.kind == "remote" else "overran"
                self._application.fallback_move(work.game_id, work.version, why)
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("%s failed", work.job_id)  # one broken game must not stop the others
