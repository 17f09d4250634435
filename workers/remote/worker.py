"""The worker that calls remote bots: hundreds at the same time, because a call mostly waits."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import gevent  # type: ignore[import-untyped]
from gevent.event import Event  # type: ignore[import-untyped]
from gevent.pool import Pool  # type: ignore[import-untyped]
from redis import Redis
from redis.exceptions import RedisError
from rq.timeouts import BaseDeathPenalty

from events.errors import EngineError, StoreUnavailable
from events.features.bots.trials import JOB as TRIAL
from events.rhythm import block
from workers.bootstrap import application, bot_questions
from workers.bot_worker import LOOK, PAUSE, BotWorker, work
from workers.job_queue.fetching import FetchedJob
from workers.job_queue.queue import JobQueue
from workers.job_queue.runner import JobRunner
from workers.remote.fair_queue import UNKNOWN_LANE, FairQueue, Lane, RemoteJob, lane_of, trial_lane_of
from workers.remote.fair_share import FairShare
from workers.remote.poster import end_of_lookup

log = logging.getLogger("migrato.remote")

INTERVAL: Final = 0.1  # seconds until jobs that wait for room, or for a suspended bot, are looked at again
# seconds that calls under way get when the worker stops; after that other workers repeat them
PARTING: Final = 6.0


class GreenletTimeLimit(BaseDeathPenalty):
    """RQ's time limit for a job in one of many greenlets: a signal could interrupt any of them."""

    def setup_death_penalty(self) -> None:
        """Start the time limit."""
        over = self._exception(f"The job took more than {self._timeout} seconds.")
        self._timer = gevent.Timeout.start_new(self._timeout, over)

    def cancel_death_penalty(self) -> None:
        """Stop the time limit: the job is done."""
        self._timer.close()


class RemoteJobRunner(JobRunner):
    """Carries out jobs in greenlets."""

    death_penalty_class = GreenletTimeLimit


class RemoteWorker(BotWorker):
    """Carries out as many jobs at the same time as its pool holds, in fair turns (`workers.remote.fair_queue`)."""

    runner_class = RemoteJobRunner

    def __init__(
        self, server: Redis, stopping: Callable[[], bool], calls: Pool, shares: FairShare, seconds: float
    ) -> None:
        """`calls` and `shares`: the calls under way, including those from before a server failed; `seconds`: a call's
        limit.
        """
        queue = JobQueue(server, seconds)
        super().__init__(server, stopping, queue.remote)
        self._calls = calls
        self._shares = shares
        self._lanes = FairQueue(server, queue.remote, self.runner.name, seconds, queue.remote_timeout)
        self._news = Event()
        self._sorting = gevent.spawn(self._sort)

    def _fetch(self, patience: float) -> RemoteJob | None:
        """The next job for which there is room; None if there is none."""
        if self._sorting.ready():
            self._sorting.get()  # raises the error that ended it, because no more calls would be sorted
        self._news.clear()
        found = self._lanes.take(self._shares.full()) if self._shares.free else 0
        if isinstance(found, RemoteJob):
            return found
        self._news.wait(min(INTERVAL, patience) if found else patience)
        return None

    def _carry_out(self, job: FetchedJob) -> None:
        """Carry the job out in a greenlet."""
        assert isinstance(job, RemoteJob)
        self._shares.begin(job.lane)
        self._calls.spawn(self._call, job)

    def _call(self, job: RemoteJob) -> None:
        try:
            if self._perform(job):
                self._forget(job)
            end_of_lookup()  # each call needs a thread for lookups, and this one's is busy until then
        finally:
            self._shares.end(job.lane)
            self._news.set()

    def _forget(self, job: RemoteJob) -> None:
        """Delete the job, and record the bot's behaviour."""
        with suppress(RedisError):  # the outcome is lost, and the job expires
            seconds = self._lanes.done(job)
            if seconds:
                message = "a bot of app %s at %s does not answer: not called for %g s"
                log.warning(message, job.lane.app, host_of(job.id, job.lane), seconds)

    def _end(self) -> None:
        """Deregister the worker; calls under way go on."""
        self._sorting.kill()
        super()._end()

    def _sort(self) -> None:
        """Move jobs from the queue into lanes, for as long as this worker works."""
        while True:
            try:
                if unsorted := self._lanes.unsorted(block(LOOK)):
                    self._lanes.sort({job_id: _lane(job_id) for job_id in unsorted})
                    self._news.set()
            # the greenlets that fetch and carry out jobs report the error
            except (RedisError, StoreUnavailable):
                gevent.sleep(PAUSE)


def host_of(job_id: str, lane: Lane) -> str:
    """Host of the lane's bot, the part of its URL that a log may show: the rest may have a secret."""
    try:
        bots = application().remote.remote_bots(job_id.split("-")[1])
    except (EngineError, IndexError):
        bots = []
    hosts = (urlsplit(url).hostname for app, url in bots if lane_of(app, url) == lane)
    return next(hosts, None) or "a host that is not known any more"


def _lane(job_id: str) -> Lane:
    """The lane in which the job must wait. Raises StoreUnavailable."""
    try:
        if job_id.startswith(TRIAL):
            trial = bot_questions().trials.place(job_id)
            return UNKNOWN_LANE if trial is None else trial_lane_of(*trial)
        bot = application().remote.remote_bot_to_move(job_id.split("-")[1])
    except StoreUnavailable:
        raise
    except (EngineError, IndexError) as error:
        log.info("%s is nobody's: %s", job_id, type(error).__name__)
        bot = None
    return UNKNOWN_LANE if bot is None else lane_of(*bot)


def work_remotely(
    connect: Callable[[], Redis], stopping: Callable[[], bool], at_once: int, seconds: float
) -> None:
    """Call up to `at_once` bots at the same time, each for at most so many seconds, until told to stop."""
    # for lookups of names, so that one that hangs delays no other
    gevent.get_hub().threadpool.maxsize += at_once
    calls, shares = Pool(at_once), FairShare(at_once)
    work(connect, stopping, worker=lambda server: RemoteWorker(server, stopping, calls, shares, seconds))
    calls.join(PARTING)
