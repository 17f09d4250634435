"""Whether everything that a game needs is there: the store, the dispatcher, the workers."""

from typing import Protocol

from events.errors import StoreUnavailable
from events.redis_link import RedisLink
from events.settings import Settings

DISPATCHER_ALIVE = "migrato:dispatcher:alive"  # renewed by the dispatcher, expires by itself
WORKERS = (
    "rq:workers:migrato"  # RQ's set of the keys of bot workers; each of them expires unless it is renewed
)


class Readiness(Protocol):
    """Says what is there."""

    def checks(self) -> dict[str, bool]:
        """Each thing that is needed, and whether it is there."""


class RedisReadiness:
    """Asks the Redis servers themselves."""

    def __init__(self, store: RedisLink, queue: RedisLink) -> None:
        """`store` keeps the events, `queue` the jobs; they may be the same server."""
        self._store = store
        self._queue = queue

    @classmethod
    def from_settings(cls, settings: Settings) -> "RedisReadiness":
        """Asks the servers that the settings name."""
        store, queue = settings.redis_url or "", settings.queue_url or settings.redis_url or ""
        return cls(RedisLink.to(store, settings.redis_timeout), RedisLink.to(queue, settings.redis_timeout))

    def checks(self) -> dict[str, bool]:
        """See `Readiness`."""
        dispatcher, workers = self._at_work()
        return {"store": self._answers(), "dispatcher": dispatcher, "workers": workers}

    def _answers(self) -> bool:
        try:
            return bool(self._store.call("PING"))
        except StoreUnavailable:
            return False

    def _at_work(self) -> tuple[bool, bool]:
        try:
            dispatcher, keys = self._queue.calls([("EXISTS", DISPATCHER_ALIVE), ("SMEMBERS", WORKERS)])
            return bool(dispatcher), bool(keys and self._queue.call("EXISTS", *keys))
        except StoreUnavailable:
            return False, False
