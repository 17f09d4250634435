"""The worker for games' own turns: it does quick jobs of several games together, and all others one by one.

A job that cannot be done together with others, for any reason, is done in RQ's way as if it had not been tried: every
task is safe to repeat. The worker carries out the first of these jobs, and puts the others back for other workers, each
to be done alone. So a bot that searches keeps no other game waiting, and a task that ends its worker does not end it
again together with other tasks.
"""

import faulthandler
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

from redis import Redis

from events.runtime import metrics
from workers import jobs
from workers.bot_worker import HANGS_AFTER, BotWorker
from workers.job_queue.fetching import FetchedJob, Taken
from workers.job_queue.queue import TIMEOUT, Task
from workers.together import Together

log = logging.getLogger("migrato.batch_worker")

NEVER: Final = float("-inf")
REWATCH: Final = 1  # seconds for which a watch need not be renewed
# seconds that all of them may take together; jobs that are not done by then are done alone
TOGETHER: Final = 2
AT_ONCE: Final = 16  # jobs that one worker takes at most, where there are so many for each worker


class TookTooLong(BaseException):
    """The time limit of tasks that are done together. It is no Exception, so that no task takes it for a failure of its
    own.
    """


class BatchWorker(BotWorker):
    """Carries out the jobs of games, several at a time."""

    def __init__(
        self, server: Redis, stopping: Callable[[], bool] = lambda: False, together: Together | None = None
    ) -> None:
        """`together`: the application's."""
        super().__init__(server, stopping)
        self._together = together or Together()
        self._watched_since = NEVER

    def step(self, patience: float = 0.0) -> bool:
        """Carry out this worker's share of the waiting jobs. Returns True if there were any."""
        taken = self._fetcher.take(AT_ONCE, patience)
        if not taken:
            self._end_watch()
            return False
        left = [job for job in taken if job.is_alone] or self._left_of(taken)
        self._fetcher.put_back(left[1:])
        for job in left[:1]:
            self._carry_out(self._fetcher.restored(job))
        self._watch(time.monotonic())
        return True

    def _left_of(self, taken: Sequence[Taken]) -> list[Taken]:
        """Do these jobs together. Returns those that are not done."""
        began, done = time.monotonic(), list[Taken]()
        self._watch(began)
        try:
            with self.runner.death_penalty_class(TOGETHER, TookTooLong):
                self._together.run([partial(_attempt, job, done) for job in taken])
        except TookTooLong:
            log.warning("%d tasks take too long together", len(taken))
        self._note(done, began)
        return [job for job in taken if job not in done]

    def _watch(self, now: float) -> None:
        """End the process if it does not return here in time, as for a job that hangs.

        Renewed at most once in REWATCH seconds, because each time starts a thread.
        """
        if now - self._watched_since > REWATCH:
            self._watched_since = now
            faulthandler.dump_traceback_later(TIMEOUT + HANGS_AFTER + REWATCH, exit=True)

    def _end_watch(self) -> None:
        if self._watched_since != NEVER:
            self._watched_since = NEVER
            faulthandler.cancel_dump_traceback_later()

    def _carry_out(self, job: FetchedJob) -> None:
        """End this watch: a job that is done alone has a watch of its own."""
        super()._carry_out(job)
        self._watched_since = NEVER

    def _end(self) -> None:
        """End the watch, and leave nothing behind."""
        self._end_watch()
        super()._end()

    def _note(self, done: Sequence[Taken], began: float) -> None:
        """Measure and remove the jobs that were done; each counts for an equal part of the time."""
        seconds, now = time.monotonic() - began, datetime.now(UTC)
        for job in done:
            labels = (self._queue.name, job.id.partition("-")[0])
            enqueued = datetime.fromisoformat(job.fields[b"enqueued_at"].decode())
            metrics.JOB_WAIT.labels(*labels).observe(max(0.0, (now - enqueued).total_seconds() - seconds))
            metrics.JOB_SECONDS.labels(*labels).observe(seconds / len(done))
            self._fetcher.forget(job.id)


def _attempt(job: Taken, done: list[Taken]) -> None:
    """Do the job, if it takes no time, and add it to those that are done. Raises every error of the job."""
    if jobs.at_once(Task.of(job.id)):
        done.append(job)
