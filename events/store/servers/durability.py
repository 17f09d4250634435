"""A check that a server takes writes and keeps them: none may evict, and the event store's must write to a disk.

The servers tell it themselves, by INFO, for which nobody needs the right to configure them. Of a cluster each server
is asked that takes writes.
"""

from dataclasses import dataclass
from typing import Final, Literal

from redis.exceptions import ResponseError

from events.errors import StoreForbids
from events.store.connections.client import RedisClient, ServerClient
from events.store.servers.info import told_by

KEEPS_ALL: Final = "noeviction"
EVICTS: Final = "store-evicts"
FORGETS: Final = "store-forgets"
FULL: Final = "store-full"
READ_ONLY: Final = "store-read-only"
UNKNOWN: Final = "store-unknown"
QUEUE_EVICTS: Final = "queue-evicts"
QUEUE_FULL: Final = "queue-full"
QUEUE_UNKNOWN: Final = "queue-unknown"
CODES: Final = (EVICTS, FORGETS, FULL, READ_ONLY, UNKNOWN, QUEUE_EVICTS, QUEUE_FULL, QUEUE_UNKNOWN)
NEARLY_FULL: Final = 0.95
Role = Literal["store", "queue"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A reason not to rely on a server. `detail` is a sentence for anybody, `where` is for operators alone."""

    code: str
    where: str
    detail: str


def faults_of(link: RedisClient, role: Role, *, ephemeral: bool = False) -> list[Fault]:
    """The faults of the servers behind a link that keep the games, or the job queue. Raises StoreUnavailable.

    `ephemeral`: nothing is to be on a disk, on purpose. Of the queue that is never asked.
    """
    of_server = _of_store if role == "store" else _of_queue
    return [fault for server in link.servers() for fault in of_server(server, ephemeral=ephemeral)]


def _of_store(server: ServerClient, *, ephemeral: bool) -> list[Fault]:
    try:
        told = told_by(server)
        policy, log, full = told["maxmemory_policy"], told["aof_enabled"], _is_nearly_full(told)
    except (ResponseError, StoreForbids, KeyError) as error:
        detail = (
            "The event store does not tell whether it evicts and writes to a disk: let its user read INFO."
        )
        return [Fault(UNKNOWN, f"{server.address()}: {_reason(error)}", detail)]
    faults = []
    if policy != KEEPS_ALL:
        detail = (
            f"The event store evicts: once its memory is full, games and keys of apps are lost. "
            f"Set its maxmemory-policy, which is {policy}, to {KEEPS_ALL}."
        )
        faults.append(Fault(EVICTS, server.address(), detail))
    if log == "0" and not ephemeral:
        detail = "The event store writes no append-only file: games are lost when it ends. Set its appendonly to yes."
        faults.append(Fault(FORGETS, server.address(), detail))
    if full:
        detail = "The event store's memory is nearly full, or full: then nothing can be played. Raise its maxmemory."
        faults.append(Fault(FULL, server.address(), detail))
    if told.get("role") == "slave":
        detail = (
            "The event store is a replica, which takes no writes: nothing can be played. Name its master."
        )
        faults.append(Fault(READ_ONLY, server.address(), detail))
    return faults


def _of_queue(server: ServerClient, *, ephemeral: bool) -> list[Fault]:  # noqa: ARG001 (a queue may always be lost)
    try:
        told = told_by(server)
        policy, full = told["maxmemory_policy"], _is_nearly_full(told)
    except (ResponseError, StoreForbids, KeyError) as error:
        detail = "The job queue's server does not tell whether it evicts: let its user read INFO."
        return [Fault(QUEUE_UNKNOWN, f"{server.address()}: {_reason(error)}", detail)]
    if policy == KEEPS_ALL:
        detail = (
            "The job queue's memory is nearly full, or full: then no bot plays. Raise its server's maxmemory."
        )
        return [Fault(QUEUE_FULL, server.address(), detail)] if full else []
    detail = (
        f"The job queue's server evicts: once its memory is full, jobs, counts of limits and signs of life are lost. "
        f"Set its maxmemory-policy, which is {policy}, to {KEEPS_ALL}."
    )
    return [Fault(QUEUE_EVICTS, server.address(), detail)]


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, StoreForbids) else str(error)


def _is_nearly_full(told: dict[str, str]) -> bool:
    most = int(told.get("maxmemory", 0))
    return most > 0 and int(told.get("used_memory", 0)) >= NEARLY_FULL * most
