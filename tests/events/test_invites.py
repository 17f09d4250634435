"""The right to sit down, and invites: each is good once, and those that are void tell nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller, new_game_id
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import Forbidden, GameNotFound, InviteNotFound, InviteVoid, StoreUnavailable
from events.features.invites import redis as adapter
from events.features.invites.redis import RedisInviteStore
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.dump import dump, holding
from tests.events.refusals import refusal_of
from tests.events.stand_ins import Interrupted, StandIn
from tests.support.sure import sure

APP, OTHER = Caller("app", app="one"), Caller("app", app="two")
SITTING = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", None, {"player": "bo"})
DAY = 86_400


@pytest.fixture
def make(make: Make) -> Make:
    """Makes applications that know the keys of two apps."""
    return partial(make, keyed=True)


def test_a_join_code_is_kept_until_its_invite_expires(make: Make, new_link: NewLink) -> None:
    """Beside the invite there is a key without the code or its invite's; it expires, and no code is given twice."""
    here, link = make(), new_link()
    game_id = waiting(here)
    made = here.invites.create(game_id, 1, APP, 60, short=True)
    assert made.code is not None
    assert made.join_code is not None
    key = keys.join_code(sha256(made.code.encode()).hexdigest())
    assert 0 < link.call("TTL", key) <= 60
    assert link.call("GET", key) == f"1:{game_id}".encode()
    assert holding(link, made.code.encode()) == holding(link, made.join_code.encode()) == []
    assert here.invites.find(made.join_code.lower()) == (game_id, made)
    store = RedisInviteStore(new_link())
    assert not store.keep_join_code(sha256(made.code.encode()).hexdigest(), "another", 0, 60)
    link.call("DEL", key)
    with pytest.raises(InviteNotFound):
        here.invites.find(made.join_code)


def waiting(here: Application, joining: str = "invite", app: str = "one", **more: Any) -> str:
    """A game with a person, and a seat that is open."""
    new = NewGame("counter", {}, (Seat("human", "ada"), Seat("open")), joining=joining, **more)
    return here.creation.create(app, new).snapshot.game_id


def code_for(here: Application, game_id: str, caller: Caller = APP, seconds: int = DAY) -> str:
    """The code of a new invite to the open seat."""
    return sure(here.invites.create(game_id, 1, caller, seconds).code)


def sit(here: Application, game_id: str, code: str | None, caller: Caller = STRANGER, **more: Any) -> str:
    """Take the open seat; its token."""
    return here.seats.take(game_id, 1, "bo", None, caller, invite=code, **more)[1]


class TestJoining:
    """Callers whom `joining` lets in, beside those to whom `visibility` shows the game."""

    def test_a_game_that_says_nothing_is_open(self, here: Application, make: Make, link: RedisClient) -> None:
        """It is stored as games always were. Only an invite lets somebody into a private one."""
        game_id = waiting(here, "open", visibility="public")
        assert b"joining" not in link.call("HKEYS", keys.secrets(game_id))
        assert make().views.snapshot(game_id).secrets.joining == "open"
        assert sit(here, game_id, None)
        private = waiting(here, "open")
        with pytest.raises(GameNotFound):
            sit(here, private, None)
        assert sit(here, private, code_for(here, private))

    def test_the_games_own_app_invites(self, here: Application) -> None:
        """To all others it is as it is to strangers, or forbidden."""
        private, public = waiting(here), waiting(here, visibility="public")
        seat = Caller("seat", seat=0, game_id=private)
        for act in acts(here):
            for caller in (STRANGER, OTHER):
                with pytest.raises(GameNotFound):
                    act(private, caller)
                with pytest.raises(Forbidden):
                    act(public, caller)
            with pytest.raises(Forbidden):
                act(private, seat)
        with pytest.raises(Forbidden):
            here.invites.create(waiting(here, "app"), 1, APP, DAY)

    def test_without_app_keys_the_seats_invite(self, make: Make) -> None:
        """Anybody does, while nobody sits."""
        here = make(keyed=False)
        new = NewGame("counter", {}, (Seat("open"), Seat("open")), joining="invite")
        game_id = here.creation.create("anonymous", new).snapshot.game_id
        first = here.invites.create(game_id, 0, STRANGER, DAY).code
        token = here.seats.take(game_id, 0, "ada", None, STRANGER, invite=first)[1]
        with pytest.raises(GameNotFound):
            here.invites.create(game_id, 1, STRANGER, DAY)
        ada = here.callers.who_asks(token, game_id)
        assert sit(here, game_id, code_for(here, game_id, ada))


def acts(here: Application) -> list[Callable[[str, Caller], object]]:
    return [
        lambda game_id, caller: here.invites.create(game_id, 1, caller, DAY),
        here.invites.listed,
        lambda game_id, caller: here.invites.revoke(game_id, "0123456789abcdef", caller),
    ]


class TestInvites:
    """Invites: one code is for one seat, once."""

    def test_no_code_is_kept(self, here: Application, make: Make, link: RedisClient) -> None:
        """The list shows none either; invites end with the seat, and the last one to expire takes the key along."""
        game_id = waiting(here)
        code = code_for(here, game_id, seconds=3_600)
        assert holding(link, code.encode()) == holding(link, code.split("_", 2)[2].encode()) == []
        (listed,) = make().invites.listed(game_id, APP)
        assert (listed.id, listed.seat, listed.code) == (code.split("_")[1], 1, None)
        code_for(here, game_id, seconds=10)
        assert 60_000 < link.call("PTTL", keys.invites(game_id)) <= 3_600_000
        sit(here, game_id, code)
        assert make().invites.listed(game_id, APP) == []

    def test_those_that_are_no_good(self, here: Application, make: Make, link: RedisClient) -> None:
        """Revoked, expired, of another seat or game, made up: the same answer, and nothing happens."""
        game_id, elsewhere = waiting(here), waiting(here)
        revoked, expired = code_for(here, game_id), code_for(here, game_id)
        here.invites.revoke(game_id, revoked.split("_")[1], APP)
        expire(link, game_id, expired)
        void = [revoked, expired, code_for(here, elsewhere), revoked[:-1] + "x", "mi_", "", "ключ"]
        before, told = dump(link), set()
        for code in void:
            for game in (game_id, new_game_id()):
                with pytest.raises(GameNotFound) as refused:
                    sit(make(), game, code)
                told.add(str(refused.value))
            with pytest.raises(InviteVoid):
                sit(make(), game_id, code, APP)
        assert len(told) == 1
        assert dump(link) == before

    def test_another_seats(self, here: Application) -> None:
        """An invite's code is good for its own seat alone."""
        new = NewGame("counter", {}, (Seat("open"), Seat("open")), joining="invite")
        game_id = here.creation.create("one", new).snapshot.game_id
        code = code_for(here, game_id)
        with pytest.raises(GameNotFound):
            here.seats.take(game_id, 0, "bo", None, STRANGER, invite=code)
        assert sit(here, game_id, code)

    def test_the_last_seat_starts_the_clock(self, here: Application, make: Make, link: RedisClient) -> None:
        """By an invite as by anything else: the first deadline stands in the index with the append."""
        game_id = waiting(here, clock={"kind": "per-move", "seconds": 60})
        index = keys.deadlines(keys.partition_of(game_id))
        assert link.call("ZSCORE", index, game_id) is None
        token = sit(here, game_id, code_for(here, game_id))
        now = make().views.snapshot(game_id)
        assert now.clock is not None
        assert now.clock.running == now.status.to_act
        assert now.deadline == now.clock.since + 60_000 == int(link.call("ZSCORE", index, game_id))
        assert here.callers.who_asks(token, game_id).seat == 1
        assert keys.invites(game_id).encode() not in link.call("ZRANGE", index, 0, -1)

    def test_revoked_between_look_and_append(self, here: Application, make: Make, new_link: NewLink) -> None:
        """The append itself checks the invite again, so one that is revoked after the look seats nobody."""
        game_id = waiting(here)
        code = code_for(here, game_id)
        store = RedisEventStore(new_link(), new_link(), 5.0)
        late = Interrupted(store, lambda: here.invites.revoke(game_id, code.split("_")[1], APP))
        with pytest.raises(GameNotFound):
            sit(make(store=late), game_id, code)
        assert make().views.snapshot(game_id).status.status == "waiting"

    def test_revoking(self, here: Application, make: Make) -> None:
        """An invite can be revoked once, and no more when its seat is taken."""
        game_id = waiting(here)
        first, second = (code_for(here, game_id).split("_")[1] for _ in range(2))
        here.invites.revoke(game_id, first, APP)
        for unknown in (first, "0123456789abcdef"):
            with pytest.raises(InviteNotFound):
                here.invites.revoke(game_id, unknown, APP)
        sit(here, game_id, code_for(here, game_id))
        assert refusal_of(make().invites.revoke, game_id, second, APP) == "seat-taken"

    def test_no_seat_to_invite_to(self, here: Application) -> None:
        """It is not there, is taken, or the game is over."""
        game_id = waiting(here)
        for seat, code in ((0, "seat-taken"), (2, "not-found"), (999, "not-found")):
            assert refusal_of(here.invites.create, game_id, seat, APP, DAY) == code
        here.interventions.abort(game_id, APP)
        assert refusal_of(here.invites.create, game_id, 1, APP, DAY) == "game-over"

    def test_too_many(
        self, here: Application, make: Make, link: RedisClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A seat has a limited number of invites; those that have expired make room."""
        monkeypatch.setattr(adapter, "MOST", 2)
        game_id = waiting(here)
        first, _ = code_for(here, game_id), code_for(here, game_id)
        assert refusal_of(code_for, here, game_id) == "too-many-invites"
        expire(link, game_id, first)
        assert code_for(here, game_id)

    def test_without_a_store_for_them(self, counter: Application) -> None:
        """There are none, and none can be made."""
        game_id = waiting(counter, app="anonymous")
        token = counter.creation.create(
            "anonymous", NewGame("counter", {}, (Seat("human"), Seat("open")))
        ).tokens[0]
        seat = counter.callers.who_asks(token)
        assert counter.invites.listed(seat.game_id or "", seat) == []
        with pytest.raises(StoreUnavailable):
            code_for(counter, seat.game_id or "", seat)
        with pytest.raises(InviteVoid):
            sit(counter, game_id, "mi_0123456789abcdef_" + "x" * 32)


def test_one_of_them_sits_down(make: Make) -> None:
    """With the same code or with one each: one token, the others learn nothing."""

    def come(one: tuple[Application, str, str]) -> str | None:
        here, game_id, code = one
        try:
            return sit(here, game_id, code)
        except GameNotFound:
            return None

    for codes in (1, 6):
        game_id = waiting(make())
        invited = [code_for(make(), game_id) for _ in range(codes)]
        crowd = [(make(), game_id, invited[number % codes]) for number in range(6)]
        with ThreadPoolExecutor(len(crowd)) as pool:
            tokens = [token for token in pool.map(come, crowd) if token is not None]
        assert len(tokens) == 1
        assert make().views.snapshot(game_id).status.status == "playing"
        assert make().callers.who_asks(tokens[0], game_id).seat == 1


def test_the_same_request_twice(here: Application, make: Make) -> None:
    """With its key it gets the same token, though the code is used by then, and revoked."""
    game_id = waiting(here)
    code, other = code_for(here, game_id), code_for(here, game_id)
    token = sit(here, game_id, code, sent=SITTING)
    assert sit(make(), game_id, code, sent=SITTING) == token
    assert refusal_of(here.invites.revoke, game_id, code.split("_")[1], APP)
    assert sit(make(), game_id, code, sent=SITTING) == token
    with pytest.raises(GameNotFound):
        sit(make(), game_id, other)


def test_an_answer_that_was_lost(make: Make, new_link: NewLink) -> None:
    """The link sends the append again: it was done, and says so, with a key and without."""

    class Twice(StandIn):
        def append(self, *arguments: Any) -> Any:
            self.store.append(*arguments)
            return self.store.append(*arguments)

    for sent in (SITTING, None):
        game_id = waiting(make())
        twice = make(store=Twice(RedisEventStore(new_link(), new_link(), 5.0)))
        token = sit(twice, game_id, code_for(make(), game_id), sent=sent)
        assert make().callers.who_asks(token, game_id).seat == 1


def expire(link: RedisClient, game_id: str, code: str) -> None:
    """Let the invite's time have run out."""
    key, name = keys.invites(game_id), code.split("_")[1]
    kept = link.call("HGET", key, name).decode().rpartition(":")[0]
    link.call("HSET", key, name, f"{kept}:1")
