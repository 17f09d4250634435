"""The sign of life of the dispatchers, which /readyz checks."""

import logging
import time

from redis import Redis
from redis.exceptions import RedisError

from events.store.connections.refusals import unavailable
from events.store.queues.keys import DISPATCHER_ALIVE
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.dispatcher")

ALIVE_SECONDS = 10
QUEUE_AWAY = "the job queue's server (MIGRATO_QUEUE_URL, or MIGRATO_REDIS_URL) %s"


class DispatcherAlive:
    """A key on the queue's server that expires by itself."""

    def __init__(self, server: Redis) -> None:
        self._server = server
        self._warnings = WarningThrottle(log)

    def renew(self) -> None:
        """Renew the key. A server that does not answer is only logged."""
        try:
            self._server.set(DISPATCHER_ALIVE, int(time.time()), ex=ALIVE_SECONDS)
        except RedisError as error:
            away = unavailable(error)
            self._warnings.warning(QUEUE_AWAY, away.said, kind=away.kind)
        else:
            self._warnings.over(QUEUE_AWAY, "the job queue's server answers again")
