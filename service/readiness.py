"""Whether everything that games need is there: the store, the dispatcher, and whoever the settings say is at work."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from events.errors import StoreUnavailable
from events.redis_link import RedisLink
from events.settings import Settings

DISPATCHER_ALIVE: Final = "migrato:dispatcher:alive"  # renewed by the dispatcher, expires by itself
ARCHIVER_ALIVE: Final = "migrato:archiver:alive"  # and by the archiver
WORKERS: Final = "rq:workers:migrato"  # RQ's set of the keys of bot workers
REMOTE_WORKERS: Final = "rq:workers:migrato-remote"  # and of those that call remote bots
THINKERS: Final = "rq:workers:migrato-thinking"  # and of those that answer questions
KEPT: Final = (
    80_000  # milliseconds for which RQ keeps a worker's key after each sign of life (`workers.bot_worker`)
)
SILENT: Final = (
    30_000  # milliseconds without one, after which a worker hangs: its longest job takes half of that
)


class Readiness(Protocol):
    """Says what is there."""

    def checks(self) -> dict[str, bool]:
        """Each thing that is needed, and whether it is there."""


class RedisReadiness:
    """Asks the Redis servers themselves; by their clocks, whatever the time is elsewhere."""

    def __init__(
        self,
        store: RedisLink,
        queue: RedisLink,
        *,
        workers: Mapping[str, str],
        archiver: bool,
    ) -> None:
        """`store` keeps the events, `queue` the jobs; they may be the same server.

        `workers`: RQ's set of each kind of them that is to be there, by the check's name. `archiver`: whether there is
        to be one.
        """
        self._store = store
        self._queue = queue
        self._workers = dict(workers)
        self._alive = {"dispatcher": DISPATCHER_ALIVE} | ({"archiver": ARCHIVER_ALIVE} if archiver else {})

    @classmethod
    def from_settings(cls, settings: Settings) -> "RedisReadiness":
        """Asks the servers that the settings name for what they say is running."""
        store, queue = settings.redis_url or "", settings.queue_url or settings.redis_url or ""
        workers = {"workers": WORKERS}
        if settings.remote_workers:
            workers["remote"] = REMOTE_WORKERS
        if settings.think_workers:
            workers["thinkers"] = THINKERS
        links = (RedisLink.to(url, settings.redis_timeout) for url in (store, queue))
        return cls(*links, workers=workers, archiver=settings.archive is not None)

    def checks(self) -> dict[str, bool]:
        """See `Readiness`."""
        return {"store": self._answers(), **self._at_work()}

    def _answers(self) -> bool:
        try:
            return bool(self._store.call("PING"))
        except StoreUnavailable:
            return False

    def _at_work(self) -> dict[str, bool]:
        try:
            alive = self._queue.calls([("EXISTS", key) for key in self._alive.values()])
            sets = self._queue.calls([("SMEMBERS", key) for key in self._workers.values()])
            workers = [self._is_one_at_work(keys) for keys in sets]
        except StoreUnavailable:
            return dict.fromkeys((*self._alive, *self._workers), False)
        return dict(zip((*self._alive, *self._workers), (*map(bool, alive), *workers), strict=True))

    def _is_one_at_work(self, keys: Sequence[bytes]) -> bool:
        left = self._queue.calls([("PTTL", key) for key in keys]) if keys else []
        return any(milliseconds > KEPT - SILENT for milliseconds in left)
