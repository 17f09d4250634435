"""Callers, and the games that they may know of."""

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller, hash_of, new_game_id, new_seat_token
from events.engine.new_game import Created, NewGame
from events.errors import Forbidden, GameNotFound, Unauthorized
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


def test_a_caller_is_known_by_its_token(keyed: Application) -> None:
    """Without one it is a spectator; an app sees what a spectator sees; a seat's is for its game, and no other."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    assert keyed.callers.who_asks(None, new_game_id()) == STRANGER
    app = keyed.callers.who_asks(KEYS["two"])
    assert app == Caller("app", app="two")
    assert STRANGER.viewer is app.viewer is None
    for seat, token in created.tokens.items():
        for caller in (keyed.callers.who_asks(token, game_id), keyed.callers.who_asks(token)):
            assert caller == Caller("seat", seat=seat, game_id=game_id)
            assert caller.viewer == seat
    for other in (new_game(keyed).snapshot.game_id, new_game_id()):
        with pytest.raises(Forbidden):
            keyed.callers.who_asks(created.tokens[0], other)


def test_tokens_that_are_not_known(keyed: Application) -> None:
    """Nothing is told of why, nor of whether the game exists."""
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
    """Nowhere in the store stands a token."""
    tokens = new_game(keyed).tokens.values()
    secrets = [token.split("_", 3)[3].encode() for token in tokens]
    assert len(secrets) == 2
    for token, secret in zip(tokens, secrets, strict=True):
        assert holding(link, secret) == []
        assert holding(link, hash_of(token).encode()) != [], "where its hash is, it would be seen"


def test_a_private_game_is_known_to_its_people(keyed: Application, counter: Application) -> None:
    """For all others it is as if there were none, also where strangers are the app; a public one is everybody's."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    for token in (created.tokens[0], created.tokens[1], KEYS["one"]):
        assert keyed.views.open_game(game_id, keyed.callers.who_asks(token, game_id)) == created.snapshot
    anonymous = new_game(counter, app=counter.callers.acting_app(STRANGER)).snapshot.game_id
    told = set()
    for application, caller, asked in (
        (keyed, STRANGER, game_id),
        (keyed, Caller("app", app="two"), game_id),
        (keyed, STRANGER, new_game_id()),
        (counter, STRANGER, anonymous),
    ):
        with pytest.raises(GameNotFound) as refused:
            application.views.open_game(asked, caller)
        told.add(str(refused.value))
    assert len(told) == 1
    public = new_game(keyed, visibility="public").snapshot
    for caller in (STRANGER, Caller("app", app="two")):
        assert keyed.views.open_game(public.game_id, caller) == public
        assert keyed.views.open_game(public.game_id, caller, version=1).version == 1


def test_apps_create_games(keyed: Application, counter: Application) -> None:
    """Without configured keys anybody may, as the app of strangers."""
    assert keyed.callers.acting_app(Caller("app", app="two")) == "two"
    with pytest.raises(Unauthorized):
        keyed.callers.acting_app(STRANGER)
    assert counter.callers.acting_app(STRANGER) == "anonymous"
    for application in (keyed, counter):
        with pytest.raises(Forbidden):
            application.callers.acting_app(Caller("seat", seat=0, game_id="x"))


def test_game_ids() -> None:
    """22 letters and digits, which leave the underscore to separate a token's parts; a caller is a value."""
    ids = {new_game_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(game_id) == 22 and game_id.isascii() and game_id.isalnum() for game_id in ids)
    assert STRANGER._replace(kind="app", app="one") == Caller("app", app="one")
