"""The sweeper: nothing that a game waits for is ever forgotten, whatever the queue has lost."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from events.errors import StoreUnavailable
from events.redis.feed import Feed, PendingAction
from events.runtime import metrics
from events.use_cases.application import Application
from workers.queues import JobQueue, JobState
from workers.task import Task

log = logging.getLogger("migrato.sweeper")

GRACE = 2.0  # seconds that work may take before the queue is asked about it, and between two such questions
OVERTIME = 3.0  # seconds beyond its time limit after which a job that still seems to run is lost
PATIENCE = 20.0  # seconds that a job may wait in a long queue before the sweeper does the work itself
AT_ONCE = 200  # works looked at in one sweep: the dispatcher has other things to do


@dataclass(slots=True)
class Watch:
    """Work as this sweeper knows it: since when, when to look next, since when it runs, how often it was missing."""

    since: float
    look_at: float
    runs_since: float | None = None
    misses: int = 0


class Sweeper:
    """Compares the index of due games, which is part of every append, with the queue.

    Work whose job is missing is enqueued again; if it is missing a second time, the sweeper does it itself. How long
    anything takes is measured by this process's own clock, from when it was first seen: what the servers' clocks say
    may make the sweeper look sooner, and never later.
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
        self._watched: dict[Task, Watch] = {}

    def reconcile(self) -> int:
        """Enqueue everything that is due, as if it had just become so; how much that was. Done once, at the start."""
        works = [_work(due) for due in self._feed.overdue(0)]
        for work in works:
            self._queue.enqueue(work)
        return len(works)

    def sweep(self) -> None:
        """Look after what has been due for too long. Raises StoreUnavailable."""
        now = self._clock()
        self._watched = {
            _work(due): self._watched.get(_work(due)) or Watch(now, now + max(0.0, GRACE - due.seconds))
            for due in self._feed.overdue(0)
        }
        overdue = [work for work, watch in self._watched.items() if watch.look_at <= now]
        for work in overdue[:AT_ONCE]:
            watch = self._watched[work]
            watch.look_at = now + GRACE
            self._look_after(work, watch, now)

    def _look_after(self, work: Task, watch: Watch, now: float) -> None:
        state = self._state(work, watch, now)
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

    def _state(self, work: Task, watch: Watch, now: float) -> JobState:
        state = self._queue.state(work)
        if state is not JobState.RUNNING:
            watch.runs_since = None
        elif watch.runs_since is None:
            watch.runs_since = now
        elif now - watch.runs_since > self._queue.limit(work) + OVERTIME:
            watch.runs_since = None
            return JobState.ABSENT
        return state

    def _do(self, work: Task) -> None:
        try:
            if work.kind == "score":
                self._application.bot_turns.score_game(work.game_id)
            else:
                why = "timeout" if work.kind == "remote" else "overran"
                self._application.bot_turns.fallback_move(work.game_id, work.version, why)
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("%s failed", work.job_id)  # one broken game must not stop the others


def _work(due: PendingAction) -> Task:
    return Task(due.what, due.game_id, due.version)
