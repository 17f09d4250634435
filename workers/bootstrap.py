"""The parts of a worker process, made from the environment; no other module of the workers reads it."""

import os
import time
from functools import cache
from typing import TYPE_CHECKING

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import workers.greenlets.monkeypatching
from events.application import Application
from events.features.bots.questions import BotQuestions
from events.features.usage.counting import Counting
from events.runtime import bootstrap
from events.runtime.settings import Settings, SettingsError, load
from events.scheduling import Slices, Undivided
from workers.together import Together

LOOK = 0.0002  # seconds that long work pauses: gevent looks at sockets before it wakes a greenlet that sleeps

if TYPE_CHECKING:
    from events.tracing.traces import Traces


@cache
def settings() -> Settings:
    """This process's settings; SettingsError if a variable is not valid."""
    return load(os.environ)


@cache
def together() -> Together | None:
    """The sender of this process's calls for several games together; None if gevent's greenlets carry
    several acts out.
    """
    return None if workers.greenlets.monkeypatching.ON_GREENLETS else Together()


@cache
def application() -> Application:
    """This process's use cases."""
    carrier = together()
    if carrier is None:
        return bootstrap.application(settings(), slices(), traces=traces())
    return bootstrap.application(settings(), Undivided(), carrier.over, traces())


@cache
def slices() -> Slices | None:
    """Slices in which this process does long work beside other work; None if it does one thing after another."""
    return Slices(lambda: time.sleep(LOOK)) if workers.greenlets.monkeypatching.ON_GREENLETS else None


@cache
def traces() -> "Traces | None":
    """This process's traces; None if they are off."""
    return bootstrap.traces(settings())


@cache
def bot_questions() -> BotQuestions:
    """The questions to bots about positions."""
    return bootstrap.bot_questions(settings(), application())


def usage_counting() -> Counting:
    """The counter of all apps' usage."""
    return bootstrap.usage_counting(settings())


def queue_server() -> Redis:
    """A client of the server that keeps the job queue."""
    url = settings().queue_url or settings().redis_url
    if url is None:
        raise SettingsError(
            "MIGRATO_REDIS_URL must be set: `migrato serve` does so for the workers it starts."
        )
    return client_of(url)


def client_of(url: str) -> Redis:
    """A client that reports failures at once instead of trying again."""
    return Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2, retry=Retry(NoBackoff(), 0))
