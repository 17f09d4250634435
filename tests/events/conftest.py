"""Fixtures of the event tests: every store they run on, and an application with the small counter game."""

from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.application import Application
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.archive.store import ArchivedEventStore
from events.features.apps.redis.running_games import RedisRunningGames
from events.features.clocks.redis import RedisClockStore
from events.features.invites.redis import RedisInviteStore
from events.features.matchmaking.redis import RedisMatchStore
from events.ports import EventStore
from events.store.connections import batching
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from events.store.whole_games import RedisGames
from tests.events.wiring import application_on

NOON = datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=UTC)

NewLink = Callable[[], RedisClient]
Make = Callable[..., Application]
APP_KEYS = {"one": "app key", "two": "another app's key"}


@pytest.fixture
def new_link(redis_url: str) -> NewLink:
    """Makes links to one and the same empty and real server."""
    return lambda: link_to(redis_url, timeout=10.0)


@pytest.fixture
def link(new_link: NewLink) -> RedisClient:
    return new_link()


@pytest.fixture(params=["bare", "archive"])
def store(new_link: NewLink, tmp_path: Path, request: pytest.FixtureRequest) -> EventStore:
    """An empty event store; the same with an empty archive behind it."""
    store = RedisEventStore(new_link(), new_link(), patience=5.0)
    if request.param == "bare":
        return store
    return ArchivedEventStore(store, RedisGames(new_link()), ArchiveReader(Directory(tmp_path / "archive")))


@pytest.fixture
def counters(new_link: NewLink) -> Callable[[], Application]:
    """Makes applications that play the counter game on one store, each with a cache of its own as processes have."""

    return lambda: application_on(new_link(), now=lambda: NOON)


@pytest.fixture
def counter(counters: Callable[[], Application]) -> Application:
    return counters()


@pytest.fixture
def make(new_link: NewLink) -> Make:
    """Makes applications on one store, each with a cache of its own as processes have; all games, and the counter.

    If `keyed`, two apps have keys. `most` is how many games an app may have that are not over; `more` adapters.
    """

    def make(*, keyed: bool = False, store: Any = None, most: int | None = None, **more: Any) -> Application:
        digests = {name: sha256(key.encode()).hexdigest() for name, key in APP_KEYS.items()}
        return application_on(
            new_link(),
            store or RedisEventStore(new_link(), new_link(), 5.0),
            invites=RedisInviteStore(new_link()),
            clocks=RedisClockStore(new_link()),
            matches=RedisMatchStore(new_link()),
            running=None if most is None else RedisRunningGames(new_link(), most),
            app_keys=digests if keyed else None,
            **more,
        )

    return make


@pytest.fixture
def here(make: Make) -> Application:
    """A process's application."""
    return make()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody leads a batch of its own because of a wait; compiled modules look constants up in their dictionaries."""
    monkeypatch.setitem(vars(batching), "PATIENCE", 30.0)
