"""Who may sit down, and invites: each is good once, and those that are void tell nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.errors import Forbidden, GameNotFound, InviteNotFound, InviteVoid, StoreUnavailable
from events.games.access import STRANGER, Caller, new_game_id
from events.games.idempotency import KeyedRequest
from events.games.new_game import NewGame
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.deadlines import RedisClockStore
from events.redis.event_store import RedisEventStore
from events.redis.listings import RedisListings
from events.redis.people import invites as adapter
from events.redis.people.invites import RedisInviteStore
from events.redis.people.players import RedisPlayerStore
from events.runtime.bootstrap import wired
from events.use_cases.application import Application
from tests.events.conftest import NewLink
from tests.events.counter import COUNTER
from tests.events.dump import dump, holding

APP, OTHER = Caller("app", app="one"), Caller("app", app="two")
SITTING = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", None, {"player": "bo"})
DAY = 86_400

Make = Callable[..., Application]


@pytest.fixture
def make(new_link: NewLink) -> Make:
    """Makes applications on one store, each with a cache of its own as processes have."""

    def make(*, keyed: bool = True, store: Any = None) -> Application:
        store = store or RedisEventStore(new_link(), new_link(), 5.0)
        digests = {name: sha256(f"{name} key".encode()).hexdigest() for name in ("one", "two")}
        return wired(
            store,
            RedisListings(new_link()),
            {"counter": COUNTER},
            RedisPlayerStore(new_link()),
            invites=RedisInviteStore(new_link()),
            clocks=RedisClockStore(new_link()),
            app_keys=digests if keyed else None,
        )

    return make


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
    code = here.invites.create(game_id, 1, caller, seconds).code
    assert code is not None
    return code


def sit(here: Application, game_id: str, code: str | None, caller: Caller = STRANGER, **more: Any) -> str:
    """Take the open seat; its token."""
    return here.seats.take(game_id, 1, "bo", None, caller, invite=code, **more)[1]


class TestJoining:
    """What `joining` lets in, beside what `visibility` shows."""

    def test_a_game_that_says_nothing_is_open(self, make: Make, link: RedisClient) -> None:
        """And is stored as games always were."""
        here = make()
        game_id = waiting(here, "open", visibility="public")
        assert b"joining" not in link.call("HKEYS", keys.secrets(game_id))
        assert make().views.snapshot(game_id).secrets.joining == "open"
        assert sit(here, game_id, None)

    def test_everybody_watches_and_only_the_app_seats(self, make: Make) -> None:
        """A public game of `app`."""
        here = make()
        game_id = waiting(here, "app", visibility="public")
        for caller in (STRANGER, OTHER):
            assert make().views.open_game(game_id, caller).secrets.joining == "app"
            with pytest.raises(Forbidden):
                sit(make(), game_id, None, caller)
        with pytest.raises(Forbidden):
            here.invites.create(game_id, 1, APP, DAY)
        assert sit(here, game_id, None, APP)

    @pytest.mark.parametrize("visibility", ["private", "public"])
    def test_only_an_invite_lets_in(self, make: Make, visibility: str) -> None:
        """The app as well: it has invites to give."""
        here = make()
        game_id = waiting(here, visibility=visibility)
        with pytest.raises(Forbidden):
            sit(here, game_id, None, APP)
        with pytest.raises(GameNotFound if visibility == "private" else Forbidden):
            sit(here, game_id, None)
        assert sit(make(), game_id, code_for(here, game_id))

    def test_an_invite_opens_an_open_game_that_is_private(self, make: Make) -> None:
        """To whom nothing else lets in."""
        here = make()
        game_id = waiting(here, "open")
        assert sit(here, game_id, code_for(here, game_id))

    def test_who_may_invite(self, make: Make) -> None:
        """The game's own app. To all others it is as it is to strangers, or forbidden."""
        here = make()
        private, public = waiting(here), waiting(here, visibility="public")
        seat = Caller("seat", seat=0, game_id=private)
        for caller in (STRANGER, OTHER):
            for act in acts(here):
                with pytest.raises(GameNotFound):
                    act(private, caller)
                with pytest.raises(Forbidden):
                    act(public, caller)
        for act in acts(here):
            with pytest.raises(Forbidden):
                act(private, seat)

    def test_who_may_invite_without_app_keys(self, make: Make) -> None:
        """Whoever plays a seat; anybody, while nobody does."""
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
    """All that is done with invites."""
    return [
        lambda game_id, caller: here.invites.create(game_id, 1, caller, DAY),
        here.invites.listed,
        lambda game_id, caller: here.invites.revoke(game_id, "0123456789abcdef", caller),
    ]


class TestInvites:
    """One code, one seat, once."""

    def test_what_is_kept_is_no_code(self, make: Make, link: RedisClient) -> None:
        """Nor does the list show one; it ends with the seat."""
        here = make()
        game_id = waiting(here)
        code = code_for(here, game_id)
        assert holding(link, code.encode()) == holding(link, code.split("_", 2)[2].encode()) == []
        (listed,) = make().invites.listed(game_id, APP)
        assert (listed.id, listed.seat, listed.code) == (code.split("_")[1], 1, None)
        sit(here, game_id, code)
        assert make().invites.listed(game_id, APP) == []

    def test_a_replayed_one(self, make: Make) -> None:
        """Is as none: to a stranger there is no game, and others read that it is void or the seat taken."""
        here = make()
        game_id = waiting(here)
        first, second = code_for(here, game_id), code_for(here, game_id)
        sit(here, game_id, first)
        for code in (first, second):
            with pytest.raises(GameNotFound):
                sit(make(), game_id, code)
            with pytest.raises(DomainError) as refusal:
                sit(make(), game_id, code, APP)
            assert refusal.value.code == "seat-taken"

    def test_those_that_are_no_good(self, make: Make, link: RedisClient) -> None:
        """Revoked, expired, of another seat or game, made up: the same answer, and nothing happens."""
        here = make()
        game_id, elsewhere = waiting(here), waiting(here)
        revoked, expired = code_for(here, game_id), code_for(here, game_id)
        here.invites.revoke(game_id, revoked.split("_")[1], APP)
        expire(link, game_id, expired)
        void = [revoked, expired, code_for(here, elsewhere), revoked[:-1] + "x", "mi_", "", "ключ"]
        before = dump(link)
        told = set()
        for code in void:
            for game in (game_id, new_game_id()):
                with pytest.raises(GameNotFound) as refused:
                    sit(make(), game, code)
                told.add(str(refused.value))
            with pytest.raises(InviteVoid):
                sit(make(), game_id, code, APP)
        assert len(told) == 1
        assert dump(link) == before

    def test_the_last_seat_starts_the_clock(self, make: Make, link: RedisClient) -> None:
        """By an invite as by anything else: the first deadline stands in the index with the append."""
        here = make()
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

    def test_another_seats(self, make: Make) -> None:
        """A code is for the seat that it says."""
        here = make()
        new = NewGame("counter", {}, (Seat("open"), Seat("open")), joining="invite")
        game_id = here.creation.create("one", new).snapshot.game_id
        code = code_for(here, game_id)
        with pytest.raises(GameNotFound):
            here.seats.take(game_id, 0, "bo", None, STRANGER, invite=code)
        assert sit(here, game_id, code)

    def test_revoked_between_look_and_append(self, make: Make, new_link: NewLink) -> None:
        """The append itself looks again."""
        here = make()
        game_id = waiting(here)
        code = code_for(here, game_id)

        class Late(RedisEventStore):
            def append(self, *arguments: Any) -> Any:
                here.invites.revoke(game_id, code.split("_")[1], APP)
                return super().append(*arguments)

        with pytest.raises(GameNotFound):
            sit(make(store=Late(new_link(), new_link(), 5.0)), game_id, code)
        assert make().views.snapshot(game_id).status.status == "waiting"

    def test_revoking(self, make: Make) -> None:
        """Once; and too late when the seat is taken."""
        here = make()
        game_id = waiting(here)
        first, second = (code_for(here, game_id).split("_")[1] for _ in range(2))
        here.invites.revoke(game_id, first, APP)
        for unknown in (first, "0123456789abcdef"):
            with pytest.raises(InviteNotFound):
                here.invites.revoke(game_id, unknown, APP)
        sit(here, game_id, code_for(here, game_id))
        with pytest.raises(DomainError) as refusal:
            make().invites.revoke(game_id, second, APP)
        assert refusal.value.code == "seat-taken"

    def test_no_seat_to_invite_to(self, make: Make) -> None:
        """It is not there, is taken, or the game is over."""
        here = make()
        game_id = waiting(here)
        for seat, code in ((0, "seat-taken"), (2, "not-found"), (999, "not-found")):
            with pytest.raises(DomainError) as refusal:
                here.invites.create(game_id, seat, APP, DAY)
            assert refusal.value.code == code
        here.interventions.abort(game_id, APP)
        with pytest.raises(DomainError) as refusal:
            here.invites.create(game_id, 1, APP, DAY)
        assert refusal.value.code == "game-over"

    def test_too_many(self, make: Make, link: RedisClient, monkeypatch: pytest.MonkeyPatch) -> None:
        """Those that have expired make room."""
        monkeypatch.setattr(adapter, "MOST", 2)
        here = make()
        game_id = waiting(here)
        first, _ = code_for(here, game_id), code_for(here, game_id)
        with pytest.raises(DomainError) as refusal:
            code_for(here, game_id)
        assert refusal.value.code == "too-many-invites"
        expire(link, game_id, first)
        assert code_for(here, game_id)

    def test_they_leave_nothing(self, make: Make, link: RedisClient) -> None:
        """The last one that expires takes the key along."""
        here = make()
        game_id = waiting(here)
        code_for(here, game_id, seconds=60)
        code_for(here, game_id, seconds=10)
        assert 50_000 < link.call("PTTL", keys.invites(game_id)) <= 60_000

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


@pytest.mark.parametrize("codes", [1, 6])
def test_one_of_them_sits_down(make: Make, codes: int) -> None:
    """With the same code or with one each: one token, the others learn nothing."""
    here = make()
    game_id = waiting(here)
    invited = [code_for(here, game_id) for _ in range(codes)]
    crowd = [(make(), invited[number % codes]) for number in range(6)]

    def come(one: tuple[Application, str]) -> str | None:
        try:
            return sit(one[0], game_id, one[1])
        except GameNotFound:
            return None

    with ThreadPoolExecutor(len(crowd)) as pool:
        tokens = [token for token in pool.map(come, crowd) if token is not None]
    assert len(tokens) == 1
    snapshot = make().views.snapshot(game_id)
    assert snapshot.status.status == "playing"
    assert make().callers.who_asks(tokens[0], game_id).seat == 1


class TestAgain:
    """The same request, sent twice."""

    def test_the_same_request_twice(self, make: Make) -> None:
        """With its key it gets the same token, though the code is used by then, and revoked."""
        here = make()
        game_id = waiting(here)
        code, other = code_for(here, game_id), code_for(here, game_id)
        token = sit(here, game_id, code, sent=SITTING)
        assert sit(make(), game_id, code, sent=SITTING) == token
        with pytest.raises(DomainError):
            here.invites.revoke(game_id, code.split("_")[1], APP)
        assert sit(make(), game_id, code, sent=SITTING) == token
        with pytest.raises(GameNotFound):
            sit(make(), game_id, other)

    @pytest.mark.parametrize("sent", [SITTING, None], ids=["with a key", "without"])
    def test_an_answer_that_was_lost(self, make: Make, new_link: NewLink, sent: KeyedRequest | None) -> None:
        """The link sends the append again: it was done, and says so."""

        class Twice(RedisEventStore):
            def append(self, *arguments: Any) -> Any:
                super().append(*arguments)
                return super().append(*arguments)

        game_id = waiting(make())
        token = sit(
            make(store=Twice(new_link(), new_link(), 5.0)), game_id, code_for(make(), game_id), sent=sent
        )
        assert make().callers.who_asks(token, game_id).seat == 1


def expire(link: RedisClient, game_id: str, code: str) -> None:
    """Let the invite's time have run out."""
    key, name = keys.invites(game_id), code.split("_")[1]
    kept = link.call("HGET", key, name).decode().rpartition(":")[0]
    link.call("HSET", key, name, f"{kept}:1")
