"""Questions to bots: the job that thinks about one, and the worker for them.

They are no game's turn, so they have a queue and workers of their own: games' bots never wait for them, and have the
better claim to the processor as well.
"""

import logging
import os
from collections.abc import Callable

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from events.errors import EngineError
from events.thinkers import QUEUE
from workers.bootstrap import advice
from workers.bot_worker import BotWorker, work
from workers.jobs import patiently

log = logging.getLogger("migrato.thinking")

NICENESS = 5


def think(asked: str) -> None:
    """Think about the question that is next in line, which need not be the one that was `asked`, and answer it.

    A bot that raises, or does not stop in time, has failed. RQ ends the thinking with an exception too
    (JobTimeoutException).
    """
    key = patiently(lambda: advice().next()) or asked  # one of a former release stands in no line
    try:
        patiently(lambda: advice().carry_out(key))
    except EngineError:
        raise
    except Exception:
        log.exception("question %s: the bot failed", key)
        patiently(lambda: advice().give_up(key))


def think_for_others(connect: Callable[[], Redis], stopping: Callable[[], bool]) -> None:
    """Think about questions until told to stop."""
    os.nice(NICENESS)
    work(connect, stopping, worker=lambda server: BotWorker(server, stopping, questions(server)))


def questions(server: Redis) -> Queue:
    """Where the questions wait."""
    return Queue(QUEUE, connection=server, serializer=JSONSerializer)
