"""The sweeper: finds jobs for which games wait and that the queue has lost."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from events.application import Application
from events.engine.pending_action import REMOTE, SCORE
from events.errors import StoreUnavailable
from events.ports import DueGames, PendingAction
from events.runtime import metrics
from events.warning_throttle import WarningThrottle
from workers.job_queue.queue import JobQueue, JobState, Task

log = logging.getLogger("migrato.sweeper")

# seconds that a task may take before the sweeper asks the queue about it, and between two such questions
GRACE = 2.0
OVERTIME = 3.0  # seconds beyond its time limit after which a job that still seems to run counts as lost
PATIENCE = 20.0  # seconds that a job may wait in a long queue before the sweeper does the work itself
AT_ONCE = 200  # tasks that one sweep looks at, because the dispatcher has other work


@dataclass(slots=True)
class Watch:
    """A task that this sweeper watches: since when, the time of the next look, since when it runs, how often it was
    missing.
    """

    since: float
    look_at: float
    runs_since: float | None = None
    misses: int = 0


class Sweeper:
    """Compares the index of due games, which is part of every append, with the queue.

    A task whose job is missing is queued again; if it is missing a second time, the sweeper does it itself. This
    process's own clock measures all times, from the first look on: the servers' clocks can only make the sweeper look
    sooner, never later.
    """

    def __init__(
        self,
        due: DueGames,
        application: Application,
        queue: JobQueue,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._due = due
        self._application = application
        self._queue = queue
        self._clock = clock
        self._watched: dict[Task, Watch] = {}
        self._warnings = WarningThrottle(log)

    def reconcile(self) -> int:
        """Queue everything that is due, as if it had just become so. Returns how many tasks. Done once,
        at the start.
        """
        tasks = [_task(pending) for pending in self._due.overdue(0)]
        self._queue.enqueue(*tasks)
        return len(tasks)

    def sweep(self) -> None:
        """Look after tasks that have been due for too long. Raises StoreUnavailable."""
        now = self._clock()
        self._watched = {
            _task(pending): self._watched.get(_task(pending))
            or Watch(now, now + max(0.0, GRACE - pending.seconds))
            for pending in self._due.overdue(0)
        }
        overdue = [task for task, watch in self._watched.items() if watch.look_at <= now]
        for task in overdue[:AT_ONCE]:
            watch = self._watched[task]
            watch.look_at = now + GRACE
            self._look_after(task, watch, now)

    def _look_after(self, task: Task, watch: Watch, now: float) -> None:
        state = self._state(task, watch, now)
        waits_too_long = now - watch.since > PATIENCE
        if state is JobState.RUNNING or (state is JobState.WAITING and not waits_too_long):
            return
        if not self._due.is_due(task.game_id, task.kind, task.version):
            return  # done while this sweep looked after others
        watch.misses += 1
        if watch.misses == 1 and not waits_too_long:
            self._warnings.warning("%s is missing from the queue: enqueued again", task.job_id)
            metrics.LOST_JOBS.labels(task.kind, "enqueued").inc()
            self._queue.enqueue_again(task)
        else:
            self._warnings.warning("%s is not done by any worker: done here", task.job_id)
            metrics.LOST_JOBS.labels(task.kind, "done").inc()
            self._do(task)

    def _state(self, task: Task, watch: Watch, now: float) -> JobState:
        state = self._queue.state(task)
        if state is not JobState.RUNNING:
            watch.runs_since = None
        elif watch.runs_since is None:
            watch.runs_since = now
        elif now - watch.runs_since > self._queue.limit(task) + OVERTIME:
            watch.runs_since = None
            return JobState.ABSENT
        return state

    def _do(self, task: Task) -> None:
        try:
            if task.kind == SCORE:
                self._application.bot_turns.score_game(task.game_id)
            else:
                why = "timeout" if task.kind == REMOTE else "overran"
                self._application.bot_turns.fallback_move(task.game_id, task.version, why)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 -- one broken game must not stop the others
            self._warnings.exception("%s failed", task.job_id, error=error)


def _task(pending: PendingAction) -> Task:
    return Task(pending.what, pending.game_id, pending.version)
