"""The index of games that wait for the engine, which every append keeps."""

import logging
import re
from typing import Final

from redis.exceptions import ResponseError

from events.engine.pending_action import PENDING
from events.ports import PendingAction
from events.store import keys
from events.store.connections.client import RedisClient

log = logging.getLogger("migrato.feed")

PARTITIONS = range(keys.PARTITIONS)
GAME: Final = re.compile(rb"[0-9A-Za-z]{22}")
_KINDS: Final = "|".join(PENDING).encode()
DUE: Final = re.compile(rb"(" + _KINDS + rb"):([0-9]{1,15}):([0-9]{1,15})")


class RedisDueGames:
    """The index in Redis."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        self._reported = set[tuple[str, str]]()

    def overdue(self, seconds: float) -> list[PendingAction]:
        """The games that have waited for the engine for so long, the longest first."""
        requests = [("TIME",), *(("HGETALL", keys.due(partition)) for partition in PARTITIONS)]
        (now, _), *replies = self._link.calls(requests)
        waiting = list[PendingAction]()
        for partition, reply in zip(PARTITIONS, replies, strict=True):
            if isinstance(reply, ResponseError):
                self._skip(keys.due(partition), "all of it")
                continue
            for game_id, value in zip(reply[::2], reply[1::2], strict=True):
                due = _due(int(now), game_id, value)
                if due is None:
                    self._skip(keys.due(partition), game_id.decode(errors="replace"))
                elif due.seconds >= seconds:
                    waiting.append(due)
        return sorted(waiting, key=lambda due: -due.seconds)

    def is_due(self, game_id: str, what: str, version: int) -> bool:
        """True if the game still waits for `what` at that version."""
        waits = self._link.call("HGET", keys.due(keys.partition_of(game_id)), game_id)
        return waits is not None and waits.startswith(f"{what}:{version}:".encode())

    def _skip(self, key: str, field: str) -> None:
        """Log, once, an entry that this engine has not written and passes over: it must not stop all games."""
        if (key, field) not in self._reported:
            self._reported.add((key, field))
            log.error("%s, %s, is not what it should be, and is passed over: run `migrato fsck`", key, field)


def _due(now: float, game_id: bytes, value: bytes) -> PendingAction | None:
    """An entry of the index of due games; None for one that this engine has not written."""
    match = DUE.fullmatch(value)
    if match is None or GAME.fullmatch(game_id) is None:
        return None
    since = int(match[3]) / 1000
    return PendingAction(game_id.decode(), match[1].decode(), int(match[2]), max(0.0, now - since))
