"""Readiness of everything that games need: the store, the dispatcher, and the roles that the settings ask for."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from events.engine.pending_action import GAME_QUEUE, QUESTION_QUEUE, REMOTE_QUEUE
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.queues import keys
from events.store.servers import open_files
from events.store.servers.durability import Fault
from service.http.operations.servers import Servers

STORE_AWAY: Final = "the store %s"  # a log line, with the store's error
KEPT: Final = (
    80_000  # milliseconds for which RQ keeps a worker's key after a sign of life (`workers.job_queue.runner`)
)
SILENT: Final = (
    # milliseconds without a sign of life after which a worker counts as hanging: its longest job takes half of that
    30_000
)
SIGN: Final = (
    # milliseconds for which other signs of life last at most; one that lasts longer is from a wrong clock
    60_000
)


class Readiness(Protocol):
    """Checks of all that the service needs for its work."""

    def checks(self) -> dict[str, bool]:
        """Each needed part, and True if it is there."""

    def faults(self) -> Sequence[Fault]:
        """The reasons why running parts cannot be relied on."""


class RedisReadiness:
    """Asks the Redis servers; ages are measured by their own clocks."""

    def __init__(
        self, servers: Servers, *, queues: Mapping[str, str], archiver: bool, webhooks: bool = False
    ) -> None:
        """`queues`: the queues that must have a worker, by the check's name.

        `archiver`, `webhooks`: True if there must be an archiver, and a webhook worker.
        """
        self._servers = servers
        self._workers = {name: keys.workers(queue) for name, queue in queues.items()}
        self._alive = {"dispatcher": keys.DISPATCHER_ALIVE}
        if archiver:
            self._alive["archiver"] = keys.ARCHIVER_ALIVE
        if webhooks:
            self._alive["webhooks"] = keys.WEBHOOKS_ALIVE

    @classmethod
    def from_settings(cls, settings: Settings, servers: Servers | None = None) -> "RedisReadiness":
        """The checks of `servers`, by default those that the settings name, for the parts that the settings ask for."""
        queues = {"workers": GAME_QUEUE}
        if settings.remote_workers:
            queues["remote"] = REMOTE_QUEUE
        if settings.think_workers:
            queues["thinkers"] = QUESTION_QUEUE
        archiver, webhooks = settings.archive is not None, settings.webhook_workers > 0
        return cls(
            servers or Servers.from_settings(settings), queues=queues, archiver=archiver, webhooks=webhooks
        )

    def checks(self) -> dict[str, bool]:
        """Each needed part, and True if it is there; False for every part whose server does not answer."""
        answers, at_work = self._servers.ask(_answers, self.at_work)
        nobody = dict.fromkeys((*self._alive, *self._workers), False)
        return {"store": bool(answers), **(at_work or nobody)}

    def faults(self) -> Sequence[Fault]:
        """Faults of the servers that answer, and of this process."""
        own = open_files.fault()
        return [*self._servers.faults(), *([] if own is None else [own])]

    def at_work(self, queue: RedisClient) -> dict[str, bool]:
        """Each needed role, and True if it has given a sign of life lately. Raises StoreUnavailable."""
        alive = queue.calls([("PTTL", key) for key in self._alive.values()])
        sets = queue.calls([("SMEMBERS", key) for key in self._workers.values()])
        workers = [_is_one_at_work(queue, keys) for keys in sets]
        told = [0 < left <= SIGN for left in alive]
        return dict(zip((*self._alive, *self._workers), (*told, *workers), strict=True))


def _answers(store: RedisClient) -> bool:
    return bool(store.call("PING"))


def _is_one_at_work(queue: RedisClient, keys: Sequence[bytes]) -> bool:
    left = queue.calls([("PTTL", key) for key in keys]) if keys else []
    return any(KEPT - SILENT < milliseconds <= KEPT for milliseconds in left)
