"""Questions to bots: the job that thinks about one, and the worker for them.

Questions are no game's turn, so they have a queue and workers of their own: games' bots never wait for them, and have a
higher priority on the processor.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from events.engine.pending_action import QUESTION_QUEUE
from events.errors import EngineError
from events.features.bots.thinking import AtLength
from workers.bootstrap import bot_questions
from workers.bot_worker import LOOK, BotWorker, allow, work
from workers.job_queue.fetching import FetchedJob
from workers.job_queue.runner import is_dead, new_name
from workers.jobs import patiently

log = logging.getLogger("migrato.question_worker")

NICENESS = 5
HINTS_FOR = (
    # seconds for which a question that is being thought about waits for hints; the last hint may take longer
    4.0
)
BESIDE = 22.0  # seconds of a job's limit beyond twice the time of a long question
RENEW = 5.0  # seconds between two signs that a long question is still being thought about


class Stopping(BaseException):
    """The signal to stop in the middle of a long question. No bot can catch it as a failure of its own."""


def think(job_key: str) -> None:
    """Think about the next question in the queue, which need not be that of the job (`job_key`), and answer it.

    If the queues are empty, they may have been lost: then the job's own question is taken, unless another worker is
    thinking about it. A bot that raises an error, or does not stop in time, has failed. RQ also ends the thinking with
    an exception (JobTimeoutException).
    """
    key = patiently(lambda: bot_questions().for_workers.next(worker=_name(), or_else=job_key))
    if key is None:
        return

    def at_length(seconds: float) -> Callable[[], None]:
        allow(2 * seconds + BESIDE)
        return OthersMeanwhile(key).give

    try:
        _answer(key, HintsMeanwhile().give, at_length)
    except Stopping:
        patiently(lambda: bot_questions().for_workers.leave_off(key, _name()))


class HintsMeanwhile:
    """Hints that are asked for while a bot thinks about something else: they are given meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent = 0.0

    def give(self) -> None:
        """Give all hints that wait now, as long as their time lasts."""
        while self._spent < HINTS_FOR and self._give(hints_only=True):
            pass

    def _give(self, *, hints_only: bool) -> bool:
        """Answer one waiting question; True if there was one."""
        began = self._clock()
        try:
            key = bot_questions().for_workers.next(hints_only=hints_only, long_too=False, worker=_name())
            if key is None:
                return False
            _answer(key, None if hints_only else HintsMeanwhile().give)
        except EngineError as error:
            log.warning("a question could not be answered during another one: %s", error)
            return False
        finally:
            self._spent += self._clock() - began
        return True


class OthersMeanwhile(HintsMeanwhile):
    """Hints and questions that are put during a long question: they get half of the worker's time."""

    def __init__(self, key: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._key = key
        self._began = clock()
        self._next_sign = self._began + RENEW

    def give(self) -> None:
        """Answer those that wait now: questions for as long as the bot has thought so far, and hints for HINTS_FOR
        more.

        Raises Stopping.
        """
        while self._may(HINTS_FOR) and self._give(hints_only=True):
            self._go_on()
        while self._may(0.0) and self._give(hints_only=False):
            self._go_on()
        self._go_on()

    def _may(self, beyond: float) -> bool:
        thought = self._clock() - self._began - self._spent
        return self._spent < thought + beyond

    def _go_on(self) -> None:
        """Give signs of life; raise Stopping if the worker must stop."""
        if _WORKERS and not _WORKERS[-1].goes_on():
            raise Stopping
        if self._clock() >= self._next_sign:
            self._next_sign = self._clock() + RENEW
            with suppress(EngineError):  # the next sign of life does the same
                bot_questions().for_workers.renew(self._key, _name())


def _answer(key: str, meanwhile: Callable[[], None] | None = None, at_length: AtLength | None = None) -> None:
    """Answer a question; without `at_length` it is answered during another one."""
    try:
        patiently(lambda: bot_questions().for_workers.carry_out(key, meanwhile, at_length))
    except EngineError:
        raise
    except Exception as error:
        log.exception("question %s: the bot failed", key)
        patiently(lambda: bot_questions().for_workers.give_up(key))
        if at_length is None and isinstance(error, JobTimeoutException):
            raise  # the limit is that of the whole job


@cache
def _name_of(pid: int) -> str:  # noqa: ARG001 (a name for each process, also after a fork)
    return new_name()


def _name() -> str:
    return _name_of(os.getpid())


class QuestionWorker(BotWorker):
    """A worker that thinks about questions, and puts back those of workers that died."""

    _next_look = 0.0

    def goes_on(self) -> bool:
        """Give signs of life in the middle of a job; False if the worker must stop. Raises no RedisError."""
        with suppress(RedisError):
            self._keep_up()
        return not self._stopping()

    def _carry_out(self, job: FetchedJob) -> None:
        with _at_work(self):
            super()._carry_out(job)

    def _keep_up(self) -> None:
        """Put questions of dead workers back, once a second at most, beside what every worker does."""
        super()._keep_up()
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK
            with suppress(EngineError):  # the next look does the same
                bot_questions().for_workers.put_back(is_dead)


_WORKERS = list[QuestionWorker]()  # the worker of this process, while it carries out a job


@contextmanager
def _at_work(worker: QuestionWorker) -> Iterator[None]:
    _WORKERS.append(worker)
    try:
        yield
    finally:
        _WORKERS.pop()


def answer_questions(connect: Callable[[], Redis], stopping: Callable[[], bool]) -> None:
    """Think about questions until told to stop."""
    os.nice(NICENESS)
    work(connect, stopping, worker=lambda server: QuestionWorker(server, stopping, question_queue(server)))


def question_queue(server: Redis) -> Queue:
    """The queue in which questions to bots wait."""
    return Queue(QUESTION_QUEUE, connection=server, serializer=JSONSerializer)
