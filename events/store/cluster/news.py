"""News of what is kept in a cluster: each server tells of its own keys, on one connection for each process.

Scripts publish within the shard of their key (`RedisCluster.script`), so no news goes to servers where nobody waits for
it. After a key has moved to another server, its news is awaited there, a few seconds later at the most.
"""

import time
from contextlib import suppress
from threading import Lock
from typing import Final, Protocol

from events.errors import StoreUnavailable
from events.store.cluster.client import RedisCluster
from events.store.cluster.topology import Place
from events.store.connections.client import RedisClient
from events.store.news import SHARDED, TICK, AskFor, News, NumberIn

LOOK: Final = 1.0  # seconds from one look at the map of slots to the next, where many wait


class Notices(Protocol):
    """News that a process waits for."""

    def wait(self, key: str, after: int, seconds: float) -> int:
        """Wait until the key's number is more than `after`, at most so long; the number it has then."""


def news_of(link: RedisClient, listening: RedisClient, ask_for: AskFor, number_in: NumberIn) -> Notices:
    """News over such links (see `News`)."""
    if isinstance(link, RedisCluster) and isinstance(listening, RedisCluster):
        return ClusterNews(link, listening, ask_for, number_in)
    (server,) = listening.servers()
    return News(link, server, ask_for, number_in)


class ClusterNews:
    """News that one process waits for in a cluster; safe among threads, greenlets and forks."""

    def __init__(
        self, link: RedisCluster, listening: RedisCluster, ask_for: AskFor, number_in: NumberIn
    ) -> None:
        """`link`, over which all is looked at, says where a key is."""
        self._link = link
        self._listening = listening
        self._ask_for = ask_for
        self._number_in = number_in
        self._lock = Lock()
        self._news: dict[Place, News] = {}

    def wait(self, key: str, after: int, seconds: float) -> int:
        """Wait as `Notices.wait`, and ask now and then which server has the key."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            number = self._of(key).wait(key, after, min(left, TICK))
            if number > after or left <= TICK:
                return number
            with suppress(StoreUnavailable):  # as where nobody asks anything else of a server that is gone
                self._link.refresh(LOOK)

    def _of(self, key: str) -> News:
        """The news of the key's server. If their own channel is no longer on that server, they are made anew."""
        place = self._link.owner_of(key)
        news = self._news.get(place)
        if news is not None and self._link.owner_of(news.own_prefix) == place:
            return news
        own = f"{key[: key.index('}') + 1]}:news:"
        server, known = self._listening.server_at(place), self._link.places()
        made = News(self._link, server, self._ask_for, self._number_in, SHARDED, own)
        with self._lock:  # only one of several threads adds it: a server must not get two connections
            if self._news.get(place) is news:
                self._news = {at: kept for at, kept in self._news.items() if at in known} | {place: made}
            return self._news.setdefault(place, made)
