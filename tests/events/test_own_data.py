"""Own data of apps about their games: entered with the game or not at all, merged, found exactly, forgotten."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Json, Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import (
    CommandMismatch,
    ExternalIdTaken,
    Forbidden,
    GameNotFound,
    StoreUnavailable,
    TooManyGames,
)
from events.features.listings import projection
from events.features.listings.projection import NEWEST, OLDEST, STALE, TURN, UPDATED
from events.features.own_data.own_data import BEGINS
from events.features.own_data.records import OwnData, OwnDataChange, Record
from events.features.own_data.redis import RedisOwnData
from events.features.ratings.redis.ratings import RedisRatings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.stand_ins import Dying, Interrupted
from tests.support.sure import sure

APP, OTHER = Caller("app", "one"), Caller("app", "two")
TABLE = NewGame("counter", {}, (Seat("human", "ada"), Seat("open")), "public")
ORDERS = (NEWEST, OLDEST, UPDATED, STALE)


@pytest.fixture
def make(make: Make, new_link: NewLink) -> Make:
    """Makes applications that know the keys of two apps, and keep own data."""
    return partial(make, keyed=True, own_data=RedisOwnData(new_link()), ratings=RedisRatings(new_link()))


def created(here: Application, own: OwnData, **more: Any) -> str:
    return here.creation.create("one", TABLE, own=own, **more).snapshot.game_id


def change(here: Application, game_id: str, seats: Mapping[int, Any] | None = None, **parts: Any) -> OwnData:
    return here.own_data.change(game_id, APP, OwnDataChange(parts, seats or {}))[1]


def found(here: Application, **filters: Any) -> list[str]:
    """The games that pass, the same in every order."""
    by_order = [here.listing.page("one", order=order, **filters).games for order in ORDERS]
    ids = [[line["id"] for line in games] for games in by_order]
    assert all(sorted(some) == sorted(ids[0]) for some in ids)
    return sorted(ids[0])


def stored(link: RedisClient) -> tuple[dict[bytes, bytes], list[bytes]]:
    """All that the store has of the app's own data: records, and the index."""
    flat = link.call("HGETALL", keys.own_data("one"))
    index = link.call("ZRANGE", keys.own_data_index("one"), 0, -1)
    return dict(zip(flat[::2], flat[1::2], strict=True)), index


def outdate(link: RedisClient, game_id: str, milliseconds: int) -> None:
    """Let the game have been announced so much earlier."""
    raw: bytes = link.call("HGET", keys.own_data("one"), game_id)
    since, _, kept = raw.partition(b":")
    link.call("HSET", keys.own_data("one"), game_id, b"%d:%s" % (int(since) - milliseconds, kept))


class TestFinding:
    """Games found by one value, exactly."""

    def test_a_game_by_what_its_app_wrote(self, here: Application) -> None:
        """At its creation and later, in every order, together with other filters; and by no other app."""
        one = created(here, OwnData("order-1", {"plan": "gold", "a": "b:c"}))
        two = created(here, OwnData(None, {"plan": "gold"}))
        bare = created(here, OwnData())
        assert found(here, metadata={"plan": "gold"}) == sorted([one, two])
        assert found(here, external_id="order-1") == [one]
        assert found(here, metadata={"plan": "gold", "a": "b:c"}) == [one]
        assert found(here, metadata={"plan": "gold"}, external_id="order-1", player="ada") == [one]
        for other in (
            {"plan": "gol"},
            {"pla": "ngold"},
            {"a:b": "c"},
            {"gold": "plan"},
            {"external_id": "order-1"},
        ):
            assert found(here, metadata=other) == []
        assert found(here, metadata={"plan": "gold"}, status="playing") == []
        assert here.listing.page("two", metadata={"plan": "gold"}).games == []
        change(here, one, external_id=None, metadata={"plan": None})
        change(here, bare, metadata={"plan": "gold"}, external_id="order-1")
        assert found(here, metadata={"plan": "gold"}) == sorted([two, bare])
        assert found(here, external_id="order-1") == [bare]
        assert found(here) == sorted([one, two, bare])

    def test_a_few_games_among_many(self, here: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        """A page in the order of changes has them at once, and goes on where it ended; so do pages of many."""
        games = [created(here, OwnData(None, {"plan": "gold"})) for _ in range(3)]
        for _ in range(30):
            created(here, OwnData())
        here.seats.take(games[0], 1, "bo", None, APP)
        here.listing.update(games[0])
        for most, player in product((projection.FEW, 2), (None, "ada")):
            monkeypatch.setattr(projection, "FEW", most)
            for order in (UPDATED, STALE):
                listed, pages, cursor = list[str](), 0, None
                while pages == 0 or cursor is not None:
                    asked: Json = {"order": order, "limit": 2, "cursor": cursor, "player": player}
                    page = here.listing.page("one", metadata={"plan": "gold"}, **asked)
                    listed += [line["id"] for line in page.games]
                    cursor, pages = page.cursor, pages + 1
                assert sorted(listed) == sorted(games)
                assert listed[0 if order == UPDATED else -1] == games[0]
                assert most == 2 or pages == 2
            turns: Json = {"order": TURN, "player": "ada", "metadata": {"plan": "gold"}}
            assert sorted(line["id"] for line in here.listing.page("one", **turns).games) == sorted(games)

    def test_ten_thousand_values_are_one_entry(self, here: Application, link: RedisClient) -> None:
        """The index grows with what games have, and not with what they have had."""
        game = created(here, OwnData(None, {"move": "0"}))
        for number in range(1, 100):
            change(here, game, metadata={"move": str(number)})
        records, index = stored(link)
        assert (len(records), len(index)) == (1, 1)
        assert found(here, metadata={"move": "98"}) == []
        assert found(here, metadata={"move": "99"}) == [game]
        change(here, game, metadata=None)
        assert stored(link) == ({}, [])

    def test_games_without_it_cost_nothing(self, here: Application, link: RedisClient) -> None:
        """A game without own data takes neither a key nor a byte for it."""
        game = created(here, OwnData())
        change(here, game, metadata={"gone": None}, seats={0: {}})
        assert stored(link) == ({}, [])


class TestExternalIds:
    """One of an app's games has it."""

    def test_no_second_game_has_it(self, here: Application, make: Make, link: RedisClient) -> None:
        """Not a new one, nor one that is changed; the refusal names the game and leaves nothing. Another app's may."""
        game = created(here, OwnData("order-1"))
        other = created(here, OwnData(None, {"plan": "gold"}))
        before, games = stored(link), len(link.call("KEYS", "*:events:*"))
        for act in (
            partial(created, make(), OwnData("order-1", {"a": "b"})),
            partial(change, make(), other, external_id="order-1", metadata={"a": "b"}),
        ):
            with pytest.raises(ExternalIdTaken) as refused:
                act()
            assert refused.value.data == {"game_id": game}
        assert (stored(link), len(link.call("KEYS", "*:events:*"))) == (before, games)
        assert change(here, game, external_id="order-1").external_id == "order-1"
        here.creation.create("two", TABLE, own=OwnData("order-1"))
        change(here, game, external_id="order-2")
        assert created(here, OwnData("order-1")) != game

    def test_two_at_once(self, make: Make, link: RedisClient) -> None:
        """Of two games at once that ask for the same external id, one gets it."""
        with ThreadPoolExecutor(8) as pool:
            engines = [make() for _ in range(8)]
            tries = [pool.submit(created, engine, OwnData("order-1", {"a": "b"})) for engine in engines]
        refusals = [one.exception() for one in tries]
        (game,) = [one.result() for one in tries if one.exception() is None]
        assert {type(one) for one in refusals if one is not None} == {ExternalIdTaken}
        records, index = stored(link)
        assert list(records) == [game.encode()]
        assert len(index) == 2

    def test_a_game_that_never_came(self, make: Make, new_link: NewLink, link: RedisClient) -> None:
        """Its process died: it is in no page, and frees its external id after a while, whatever the clock says."""
        for ahead in (1, -1):
            dying = make(store=Dying(RedisEventStore(new_link(), new_link(), 5.0), "before"))
            with pytest.raises(StoreUnavailable):
                created(dying, OwnData("order-1", {"plan": "gold"}))
            here = make()
            assert found(here, metadata={"plan": "gold"}) == []
            with pytest.raises(ExternalIdTaken) as refused:
                created(here, OwnData("order-1"))
            outdate(link, refused.value.data["game_id"], 2 * ahead * BEGINS)
            game = created(here, OwnData("order-1"))
            assert found(here, external_id="order-1") == [game]
            assert len(stored(link)[0]) == 1
            change(here, game, external_id=None)


class TestCreating:
    """With the game, or not at all."""

    def test_a_refused_game(self, make: Make, link: RedisClient) -> None:
        """A game that is refused leaves none of its own data."""
        here = make(most=1)
        with pytest.raises(DomainError):
            here.creation.create(
                "one", replace(TABLE, seats=(Seat("bot", bot="nobody"),)), own=OwnData("order-1")
            )
        created(here, OwnData())
        with pytest.raises(TooManyGames):
            created(here, OwnData("order-1"))
        assert stored(link) == ({}, [])

    def test_a_game_that_another_request_has_made(
        self, make: Make, new_link: NewLink, link: RedisClient
    ) -> None:
        """With the same key and another body, at the same time: it keeps what its own request has said, and nothing of
        the refused one.
        """
        sent = KeyedRequest("key", "token", {"a": 1})
        meanwhile = partial(created, make(), OwnData(), sent=sent)
        late = make(store=Interrupted(RedisEventStore(new_link(), new_link(), 5.0), meanwhile))
        with pytest.raises(CommandMismatch):
            created(late, OwnData("order-1"), sent=replace(sent, body={"a": 2}))
        assert stored(link) == ({}, [])

    def test_a_repeated_request(self, make: Make, new_link: NewLink, link: RedisClient) -> None:
        """Whenever the process dies, its repeat has one game with the data; a change in between stays."""
        for number, dies in enumerate(("before", "after")):
            dying = make(store=Dying(RedisEventStore(new_link(), new_link(), 5.0), dies))
            own = OwnData(f"order-{number}", {"plan": "gold"})
            sent = KeyedRequest(f"key-{number}", "token", {"number": number})
            with pytest.raises(StoreUnavailable):
                created(dying, own, sent=sent)
            game = created(make(), own, sent=sent)
            make().listing.update(game)  # as the dispatcher does
            assert found(make(), external_id=f"order-{number}") == [game]
            change(make(), game, metadata={"plan": "silver"})
            assert created(make(), own, sent=sent) == game
            assert found(make(), metadata={"plan": "gold"}) == []
            with pytest.raises(CommandMismatch):
                created(make(), OwnData(), sent=replace(sent, body={}))

    @pytest.mark.parametrize("dies_again", [False, True])
    def test_a_repeat_on_another_day(
        self, make: Make, new_link: NewLink, link: RedisClient, dies_again: bool
    ) -> None:
        """It stands in the index by when it was created, as it does in the listing."""
        sent = KeyedRequest("key", "token", {})
        dying = make(store=Dying(RedisEventStore(new_link(), new_link(), 5.0), "before"))
        with pytest.raises(StoreUnavailable):
            created(dying, OwnData(None, {"plan": "gold"}), sent=sent)
        outdate_at(link, 1)
        if dies_again:
            dying = make(store=Dying(RedisEventStore(new_link(), new_link(), 5.0), "after"))
            with pytest.raises(StoreUnavailable):
                created(dying, OwnData(None, {"plan": "gold"}), sent=sent)
        game = created(make(), OwnData(None, {"plan": "gold"}), sent=sent)
        make().listing.update(game)  # as the dispatcher does
        _, (entry,) = stored(link)
        assert entry.partition(b":")[2] in link.call("ZRANGE", "{app:one}:games", 0, -1)
        assert found(make(), metadata={"plan": "gold"}) == [game]

    def test_the_same_key_with_another_body(self, make: Make, new_link: NewLink) -> None:
        """The second request is refused, even while the first one has no game yet."""
        sent = KeyedRequest("key", "token", {"a": 1})
        dying = make(store=Dying(RedisEventStore(new_link(), new_link(), 5.0), "before"))
        with pytest.raises(StoreUnavailable):
            created(dying, OwnData("order-1"), sent=sent)
        with pytest.raises(CommandMismatch):
            created(make(), OwnData("order-2"), sent=replace(sent, body={"a": 2}))
        assert created(make(), OwnData("order-1"), sent=sent)


def outdate_at(link: RedisClient, days: int) -> None:
    """Let the only record be of a game that was to be created so many days earlier."""
    ((game, raw),) = stored(link)[0].items()
    (entry,) = stored(link)[1]
    mark, at, _ = entry.split(b":")
    earlier = b"%013d" % (int(at) - days * 86_400_000)
    link.call("HSET", keys.own_data("one"), game, raw.replace(b'"at":' + at, b'"at":' + earlier))
    link.call("ZREM", keys.own_data_index("one"), entry)
    link.call("ZADD", keys.own_data_index("one"), 0, b":".join((mark, earlier, game)))


class TestChanging:
    """By the game's app, key by key."""

    def test_a_change_that_is_sent_twice(self, link: RedisClient) -> None:
        """A link sends once more what was not answered: it is done once, and says so twice."""
        store = RedisOwnData(link)
        record = Record(1_795_951_404_456, "", OwnData("order-1", {"plan": "gold"}))
        changed = replace(record, own=OwnData(None, {"plan": "tin"}))
        first = store.put("one", "x" * 22, None, record)
        for known, wanted in ((None, record), (first.kept, changed), (first.kept, changed)):
            assert store.put("one", "x" * 22, known, wanted).kind == "done"
        assert len(stored(link)[1]) == 1
        assert store.put("one", "x" * 22, first.kept, record).kind == "changed"
        for _ in range(2):
            assert store.put("one", "x" * 22, store.kept("one", ["x" * 22])[0], None).kind == "done"
        assert stored(link) == ({}, [])

    def test_at_the_same_time(self, make: Make) -> None:
        """No change of another key is lost."""
        game = created(make(), OwnData())
        engines = [make() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            for number in range(40):
                pool.submit(
                    change, engines[number % 4], game, metadata={f"k{number}": "v"}
                ).add_done_callback(lambda done: done.result())
        assert len(change(make(), game).metadata) == 40
        assert len(found(make(), metadata={"k7": "v"})) == 1

    def test_limits(self, here: Application) -> None:
        """50 keys together, 64 KiB with the seats; a refused change changes nothing."""
        game = created(here, OwnData(None, {f"k{number}": "v" for number in range(49)}))
        for parts, seats, field in (
            ({"metadata": {"x": "", "y": ""}}, {}, "metadata"),
            ({"metadata": {"k1": "w"}}, {2: {"a": "b"}}, "seats.0.seat"),
            ({"metadata": {"k1": "w"}}, {1: {f"s{n}": "\U0001f426" * 500 for n in range(40)}}, "metadata"),
            ({"metadata": {"k1": "w"}}, {0: {}, 1: {f"s{n}": "" for n in range(51)}}, "seats.1.metadata"),
        ):
            with pytest.raises(DomainError) as refused:
                change(here, game, seats, **parts)
            assert list(refused.value.data["errors"]) == [field]
        assert change(here, game).metadata["k1"] == "v"
        assert len(change(here, game, metadata={"x": "", "k1": None, "y": ""}).metadata) == 50

    def test_by_nobody_else(self, here: Application) -> None:
        """Another app and a stranger may look at the public game; a seat plays it."""
        public = created(here, OwnData("order-1"))
        private = here.creation.create("one", replace(TABLE, visibility="private"), own=OwnData("order-2"))
        seat = here.callers.who_asks(private.tokens[0])
        other = OwnDataChange({"external_id": "mine"})
        for caller in (OTHER, Caller("anonymous")):
            with pytest.raises(Forbidden):
                here.own_data.change(public, caller, other)
            with pytest.raises(GameNotFound):
                here.own_data.change(private.snapshot.game_id, caller, other)
            assert not here.own_data.seen_by(caller, here.views.snapshot(public))
        with pytest.raises(Forbidden):
            here.own_data.change(private.snapshot.game_id, seat, other)
        assert not here.own_data.seen_by(seat, private.snapshot)
        assert here.own_data.seen_by(APP, private.snapshot).external_id == "order-2"


class TestErasing:
    """With a player the metadata of the seats that were the player's."""

    def test_seats_that_a_player_has_had(self, here: Application, make: Make) -> None:
        """Of seats held, taken and handed over; not those of others, and not the games' own."""
        every = OwnData("order-1", {"plan": "gold"}, {0: {"seat": "0"}, 1: {"seat": "1"}})
        held, given = created(here, every), created(here, replace(every, external_id="order-2"))
        here.seats.hand_over(given, 0, "cy", APP)
        taken = here.creation.create(
            "one",
            replace(TABLE, seats=(Seat("human", "bo"), Seat("open"))),
            own=replace(every, external_id=None),
        ).snapshot.game_id
        here.seats.take(taken, 1, "ada", None, APP)
        for game in (given, taken):
            here.listing.update(game)
        make().erasure.erase("one", sure(here.players.known("one", "ada")))
        left = {game: change(here, game).seats for game in (held, given, taken)}
        assert left == {held: {1: {"seat": "1"}}, given: {1: {"seat": "1"}}, taken: {0: {"seat": "0"}}}
        assert len(found(here, metadata={"plan": "gold"})) == 3
