"""Applications on one link to the store."""

from typing import Any

from domain.registry import GAMES
from events.application import Adapters, Application, wired
from events.features.listings.redis import RedisListings
from events.features.players.redis import RedisPlayerStore
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.counter import COUNTER


def application_on(link: RedisClient, store: Any = None, **more: Any) -> Application:
    """A process's application, with all games and the counter; `store` may stand in for the events' own.

    `more` are further adapters, and what else `wired` takes.
    """
    kept = {name: more.pop(name) for name in Adapters.__slots__ if name in more}
    store = store or RedisEventStore(link, link, 5.0)
    games = {**GAMES, COUNTER.name: COUNTER}
    return wired(Adapters(store, RedisListings(link), RedisPlayerStore(link), **kept), games, **more)
