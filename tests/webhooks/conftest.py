"""A game of an app, what fills its log, and time that a test puts forward."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.features.webhooks.redis.app_logs import GROUP
from events.ports import Feed
from events.runtime import adapters, bootstrap
from events.runtime.settings import Settings
from tests.support.sure import sure
from tests.webhooks.sending import Sending
from workers.webhooks.relay import Relay

PEOPLE = (Seat("human", "ada"), Seat("human", "bob"))
KEY, OTHER_KEY = "key-of-the-club", "key-of-another"
APP_KEYS = {"club": sha256(KEY.encode()).hexdigest(), "other": sha256(OTHER_KEY.encode()).hexdigest()}


@pytest.fixture
def keyed(settings: Settings) -> Settings:
    return replace(settings, app_keys=APP_KEYS)


@pytest.fixture
def engine(keyed: Settings) -> Application:
    return bootstrap.application(keyed)


@pytest.fixture
def relay(keyed: Settings, engine: Application) -> Relay:
    """It fills the logs, a step at a time."""
    return relay_of(keyed, engine)


@pytest.fixture
def sending(keyed: Settings, engine: Application, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sending]:
    """The work of a webhook worker, in this process."""
    sending = Sending(keyed, engine, monkeypatch)
    yield sending
    sending.stop()


def relay_of(settings: Settings, engine: Application) -> Relay:
    """A relay of a process of its own, as it begins."""
    parts = bootstrap.webhook_parts(settings, engine)
    return Relay(parts.feed, engine.app_logs)


def feed_of(settings: Settings) -> Feed:
    """The feed as the relay's group reads it."""
    return adapters.feed(settings, GROUP, GROUP)


def create(engine: Application, app: str = "club", **options: str) -> tuple[str, Mapping[int, str]]:
    """A private game of two people; its id and the seats' tokens."""
    created = engine.creation.create(app, NewGame(seats=PEOPLE, **options))  # type: ignore[arg-type]
    return created.snapshot.game_id, created.tokens


def move(engine: Application, game_id: str) -> int:
    """The seat to act makes its first legal move; the version after it."""
    snapshot = engine.views.snapshot(game_id)
    seat = sure(snapshot.status.to_act)
    moves = engine.views.legal_moves(snapshot, seat)
    played = engine.moves.play(game_id, seat, moves[0])
    return played.snapshot.version
