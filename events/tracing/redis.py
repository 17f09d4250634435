"""The trace of each game's last append: on the queue's server, for minutes, and only if there are traces."""

import time
from contextlib import suppress
from typing import Final

from events.errors import StoreUnavailable
from events.store.connections.client import RedisClient

PREFIX: Final = "migrato:trace:"
KEPT: Final = 300  # seconds
AWAY: Final = 5.0  # seconds in which a server that did not answer is not asked again


class RedisTraceContexts:
    """The port of trace contexts over Redis; safe among threads and greenlets. A server that is away costs nothing."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        self._away_until = 0.0

    def keep(self, game_id: str, traceparent: str) -> None:
        """Keep it in place of the last one, if the server answers."""
        self._ask("SET", _key(game_id), traceparent, "EX", KEPT)

    def kept(self, game_id: str) -> str | None:
        """The context that was kept last; None also where the server does not answer."""
        found = self._ask("GET", _key(game_id))
        return None if found is None else found.decode()

    def _ask(self, *request: str | int) -> bytes | None:
        if time.monotonic() < self._away_until:
            return None
        with suppress(StoreUnavailable):
            reply: bytes | None = self._link.call(*request)
            return reply
        self._away_until = time.monotonic() + AWAY
        return None


def _key(game_id: str) -> str:
    return f"{PREFIX}{game_id}"
