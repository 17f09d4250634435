"""Callers, and the games that they may know of."""

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller, hash_of, new_game_id, new_seat_token
from events.engine.new_game import Created, NewGame
from events.errors import Unauthorized
from events.store.connections.client import RedisClient
from tests.events.conftest import APP_KEYS as KEYS
from tests.events.conftest import Make
from tests.events.dump import holding

HUMANS = (Seat("human"), Seat("human"))


@pytest.fixture
def keyed(make: Make) -> Application:
    return make(keyed=True)


def new_game(application: Application, app: str = "one", visibility: str = "private") -> Created:
    return application.creation.create(app, NewGame("counter", {}, HUMANS, visibility))


def test_tokens_that_are_not_known(keyed: Application) -> None:
    """The refusal of a token tells neither the reason nor whether the game exists."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    others = [created.tokens[0].replace(f"mg_{game_id}_0_", f"mg_{game_id}_{seat}_") for seat in (1, 7)]
    forged = [new_seat_token(new_game_id(), 0), new_seat_token(game_id, 0)]
    told = set()
    for token in (*others, *forged, "", "mg_", f"mg_{game_id}_0_x", KEYS["one"] + "x", "ключ"):
        with pytest.raises(Unauthorized) as refused:
            keyed.callers.who_asks(token)
        told.add(str(refused.value))
    assert len(told) == 1


def test_only_hashes_of_tokens_are_kept(keyed: Application, link: RedisClient) -> None:
    """No token stands anywhere in the store, only hashes."""
    tokens = new_game(keyed).tokens.values()
    secrets = [token.split("_", 3)[3].encode() for token in tokens]
    assert len(secrets) == 2
    for token, secret in zip(tokens, secrets, strict=True):
        assert holding(link, secret) == []
        assert holding(link, hash_of(token).encode()) != [], "where its hash is, it would be seen"


def test_game_ids() -> None:
    """22 letters and digits, which leave the underscore to separate a token's parts; a caller is a value."""
    ids = {new_game_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(game_id) == 22 and game_id.isascii() and game_id.isalnum() for game_id in ids)
    assert STRANGER._replace(kind="app", app="one") == Caller("app", app="one")
