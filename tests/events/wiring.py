"""Applications on one link to the store."""

from typing import Any

from domain.registry import GAMES
from events.redis.connections.client import RedisClient
from events.redis.event_store import RedisEventStore
from events.redis.listings import RedisListings
from events.redis.people.players import RedisPlayerStore
from events.runtime.bootstrap import wired
from events.use_cases.application import Application
from tests.events.counter import COUNTER


def application_on(link: RedisClient, store: Any = None, **more: Any) -> Application:
    """A process's application, with all games and the counter; `store` may stand in for the events' own."""
    store = store or RedisEventStore(link, link, 5.0)
    games = {**GAMES, COUNTER.name: COUNTER}
    return wired(store, RedisListings(link), games, RedisPlayerStore(link), **more)
