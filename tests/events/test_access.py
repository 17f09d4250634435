"""Who asks, and what they may know of."""

from hashlib import sha256

import pytest

from domain.lifecycle import Seat
from events.errors import Forbidden, GameNotFound, Unauthorized
from events.games.access import STRANGER, Caller, hash_of, new_game_id, new_seat_token
from events.games.new_game import Created, NewGame
from events.redis.connections.client import RedisClient
from events.redis.event_store import RedisEventStore
from events.redis.listings import RedisListings
from events.redis.people.players import RedisPlayerStore
from events.runtime.bootstrap import wired
from events.use_cases.application import Application
from tests.events.counter import COUNTER
from tests.events.dump import holding

KEYS = {"one": "key of one", "two": "key of two"}
HUMANS = (Seat("human"), Seat("human"))


@pytest.fixture
def keyed(link: RedisClient) -> Application:
    """An application with the keys of two apps."""
    hashes = {app: sha256(key.encode()).hexdigest() for app, key in KEYS.items()}
    store = RedisEventStore(link, link, 5.0)
    players = RedisPlayerStore(link)
    return wired(store, RedisListings(link), {"counter": COUNTER}, players=players, app_keys=hashes)


def new_game(application: Application, app: str = "one", visibility: str = "private") -> Created:
    return application.creation.create(app, NewGame("counter", {}, HUMANS, visibility))


def test_no_token_is_a_spectator(keyed: Application) -> None:
    """Whatever the game."""
    assert keyed.callers.who_asks(None, new_game_id()) == STRANGER
    assert STRANGER.viewer is None


def test_an_app_by_its_key(keyed: Application) -> None:
    """It sees what a spectator sees."""
    caller = keyed.callers.who_asks(KEYS["two"])
    assert caller == Caller("app", app="two")
    assert caller.viewer is None


def test_a_seat_by_its_token(keyed: Application) -> None:
    """For its game, or for no game in particular."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    for seat, token in created.tokens.items():
        assert (
            keyed.callers.who_asks(token, game_id)
            == keyed.callers.who_asks(token)
            == Caller("seat", seat=seat, game_id=game_id)
        )
        assert keyed.callers.who_asks(token).viewer == seat


def test_a_token_for_another_game(keyed: Application) -> None:
    """Is forbidden there, whether that game exists or not."""
    token = new_game(keyed).tokens[0]
    for other in (new_game(keyed).snapshot.game_id, new_game_id()):
        with pytest.raises(Forbidden):
            keyed.callers.who_asks(token, other)


def test_tokens_that_are_not_known(keyed: Application) -> None:
    """Nothing is told of why, nor of whether the game exists."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    other_seat = created.tokens[0].replace(f"mg_{game_id}_0_", f"mg_{game_id}_1_")
    no_seat = created.tokens[0].replace(f"mg_{game_id}_0_", f"mg_{game_id}_7_")
    no_game = new_seat_token(new_game_id(), 0)
    forged = new_seat_token(game_id, 0)
    told = set()
    for token in (
        forged,
        other_seat,
        no_seat,
        no_game,
        "",
        "mg_",
        f"mg_{game_id}_0_x",
        KEYS["one"] + "x",
        "ключ",
    ):
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


def test_who_may_know_of_a_private_game(keyed: Application) -> None:
    """Its seats and its app; for all others it is as if there were none."""
    created = new_game(keyed)
    game_id = created.snapshot.game_id
    for token in (created.tokens[0], created.tokens[1], KEYS["one"]):
        assert keyed.views.open_game(game_id, keyed.callers.who_asks(token, game_id)) == created.snapshot
    told = []
    for caller, asked in (
        (STRANGER, game_id),
        (Caller("app", app="two"), game_id),
        (STRANGER, new_game_id()),
    ):
        with pytest.raises(GameNotFound) as refused:
            keyed.views.open_game(asked, caller)
        told.append(str(refused.value))
    assert len(set(told)) == 1


def test_who_may_know_of_a_public_game(keyed: Application) -> None:
    """Everybody."""
    snapshot = new_game(keyed, visibility="public").snapshot
    for caller in (STRANGER, Caller("app", app="two")):
        assert keyed.views.open_game(snapshot.game_id, caller) == snapshot
        assert keyed.views.open_game(snapshot.game_id, caller, version=1).version == 1


def test_who_may_create_games(keyed: Application, counter: Application) -> None:
    """Apps; and without configured keys anybody, as the app of strangers."""
    assert keyed.callers.acting_app(Caller("app", app="two")) == "two"
    with pytest.raises(Unauthorized):
        keyed.callers.acting_app(STRANGER)
    assert counter.callers.acting_app(STRANGER) == "anonymous"
    for application in (keyed, counter):
        with pytest.raises(Forbidden):
            application.callers.acting_app(Caller("seat", seat=0, game_id="x"))


def test_the_app_of_strangers_reads_private_games_as_a_stranger(counter: Application) -> None:
    """Or else everybody could watch everybody."""
    snapshot = new_game(counter, app=counter.callers.acting_app(STRANGER)).snapshot
    with pytest.raises(GameNotFound):
        counter.views.open_game(snapshot.game_id, STRANGER)


def test_game_ids() -> None:
    """22 letters and digits, which leave the underscore to separate a token's parts."""
    ids = {new_game_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(game_id) == 22 and game_id.isascii() and game_id.isalnum() for game_id in ids)


def test_a_caller_is_a_value() -> None:
    """Compared by what it says."""
    assert STRANGER._replace(kind="app", app="one") == Caller("app", app="one")
