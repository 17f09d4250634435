"""Questions to bots: the job that thinks about one, and the worker for them.

They are no game's turn, so they have a queue and workers of their own: games' bots never wait for them, and have the
better claim to the processor as well.
"""

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from events.engine.pending_action import QUESTION_QUEUE
from events.errors import EngineError
from workers.bootstrap import bot_questions
from workers.bot_worker import LOOK, BotWorker, work
from workers.job_queue.runner import is_dead, new_name
from workers.jobs import patiently

log = logging.getLogger("migrato.question_worker")

NICENESS = 5
HINTS_FOR = (
    4.0  # seconds that a question waits for hints, at most and but for the last of them, once it is begun
)


def think(job_key: str) -> None:
    """Think about the question that is next in the queue, which need not be the one of the job (`job_key`), and answer
    it.

    If the queues are empty, it is the question of the job, unless another worker thinks about it: the queues may have
    been lost. A bot that raises, or does not stop in time, has failed. RQ ends the thinking with an exception too
    (JobTimeoutException).
    """
    key = patiently(lambda: bot_questions().next(worker=_name(), or_else=job_key))
    if key is not None:
        _answer(key, HintsMeanwhile().give)


class HintsMeanwhile:
    """Hints that are asked for while a bot thinks about something else: they need not wait for that."""

    def __init__(self) -> None:
        self._left = HINTS_FOR

    def give(self) -> None:
        """All hints that wait now, as long as there is time for them."""
        while self._left > 0:
            began = time.monotonic()
            try:
                key = bot_questions().next(hints_only=True, worker=_name())
                if key is None:
                    return
                _answer(key)
            except EngineError as error:
                log.warning("a hint could not be given: %s", error)
                return
            finally:
                self._left -= time.monotonic() - began


def _answer(key: str, meanwhile: Callable[[], None] | None = None) -> None:
    try:
        patiently(lambda: bot_questions().carry_out(key, meanwhile))
    except EngineError:
        raise
    except Exception as error:
        log.exception("question %s: the bot failed", key)
        patiently(lambda: bot_questions().give_up(key))
        if meanwhile is None and isinstance(error, JobTimeoutException):
            raise  # the whole job is over


@cache
def _name_of(pid: int) -> str:  # noqa: ARG001 (a name for each process, also after a fork)
    return new_name()


def _name() -> str:
    return _name_of(os.getpid())


class QuestionWorker(BotWorker):
    """A worker that thinks about questions, and misses those of workers that died."""

    _next_look = 0.0

    def _keep_up(self) -> None:
        """Put questions back whose workers are dead, once a second at most, beside what every worker does."""
        super()._keep_up()
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK
            with suppress(EngineError):  # it is looked again
                bot_questions().put_back(is_dead)


def answer_questions(connect: Callable[[], Redis], stopping: Callable[[], bool]) -> None:
    """Think about questions until told to stop."""
    os.nice(NICENESS)
    work(connect, stopping, worker=lambda server: QuestionWorker(server, stopping, question_queue(server)))


def question_queue(server: Redis) -> Queue:
    """The queue in which questions to bots wait."""
    return Queue(QUESTION_QUEUE, connection=server, serializer=JSONSerializer)
