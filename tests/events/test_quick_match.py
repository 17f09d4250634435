"""Quick match: who is paired with whom, once each, whoever comes at the same time, and whoever dies in between."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from domain.clocks.options import options_document
from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.registry import GAMES
from events.errors import CommandMismatch, MatchTicketNotFound, StoreUnavailable, TooManyGames, TooManyWaiting
from events.fsck.keys import type_of
from events.games.access import STRANGER, Caller
from events.games.idempotency import KeyedRequest
from events.games.new_game import NewGame
from events.ports import Rating
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.event_store import RedisEventStore
from events.redis.listings import RedisListings
from events.redis.people import quick_match as adapter
from events.redis.people.players import RedisPlayerStore
from events.redis.people.quick_match import RedisMatchStore
from events.redis.people.running_games import RedisRunningGames
from events.runtime.bootstrap import wired
from events.use_cases.application import Application
from events.use_cases.joining import quick_match
from events.use_cases.joining.quick_match import Standing, Wanted
from tests.events.conftest import NewLink
from tests.events.counter import COUNTER
from tests.events.dump import dump, holding

SENT = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", "app key", {"player": "ada"})
KINDS = {**GAMES, "counter": COUNTER}

Make = Callable[..., Application]


@pytest.fixture
def make(new_link: NewLink) -> Make:
    """Makes applications on one store, each with a cache of its own as processes have."""

    def make(*, store: Any = None, most: int | None = None) -> Application:
        store = store or RedisEventStore(new_link(), new_link(), 5.0)
        return wired(
            store,
            RedisListings(new_link()),
            KINDS,
            RedisPlayerStore(new_link()),
            matches=RedisMatchStore(new_link()),
            running=None if most is None else RedisRunningGames(new_link(), most),
        )

    return make


def wants(player: str, **more: Any) -> Wanted:
    """A game of the counter."""
    return Wanted(**{"player": player, "game": "counter", "options": {}} | more)


def join(here: Application, player: str, app: str = "one", **more: Any) -> Standing:
    """Look for a partner."""
    return here.quick_match.join(app, wants(player, **more))


def look(here: Application, standing: Standing, app: str = "one", seconds: float = 0.0) -> Standing:
    """How it stands with the ticket now."""
    return here.quick_match.look(app, standing.ticket, seconds)


def paired(here: Application, first: Standing, second: Standing) -> bool:
    """Whether the two sit at one game, each by a token of its own; the second was told at once."""
    one, other = look(here, first), look(here, second)
    if one.game is None or other.game is None:
        return False
    assert one.game.game_id == other.game.game_id
    assert {one.seat, other.seat} == {0, 1}
    for standing in (one, other):
        assert standing.token is not None
        assert here.callers.who_asks(standing.token, one.game.game_id).seat == standing.seat
    return True


class Means:
    """A store of ratings in which every player has these means, by ladder."""

    def __init__(self, means: dict[str, float]) -> None:
        self._means = means

    def ratings(self, *_: str) -> dict[str, Rating]:
        """All of them."""
        return {ladder: Rating(mean, 8.0, 3, 1) for ladder, mean in self._means.items()}


class TestPairing:
    """Who fits whom."""

    def test_two_who_want_the_same(self, make: Make) -> None:
        """The second is told at once, the first when it asks; the game has begun."""
        first = join(make(), "ada", client_seed="four geese")
        assert (first.status, first.game, first.token) == ("waiting", None, None)
        second = join(make(), "bo")
        assert second.status == "matched"
        assert paired(make(), first, second)
        game = second.game
        assert game is not None
        names = {seat["player"] for seat in make().views.game_document(game, None)["seats"]}
        assert (names, game.status.status, game.secrets.app) == ({"ada", "bo"}, "playing", "one")
        assert {seat.client_seed for seat in game.status.seats} == {"four geese", None}
        assert [line["id"] for line in make().listing.page("one").games] == [game.game_id]

    @pytest.mark.parametrize(
        "other",
        [
            {"options": {"goal": 7}},
            {"visibility": "public"},
            {"clock": {"kind": "per-move", "seconds": 30}},
            {"game": "migo"},
            {"app": "two"},
        ],
        ids=str,
    )
    def test_two_who_want_something_else(self, make: Make, other: dict[str, Any]) -> None:
        """Of another app above all: they never meet."""
        here = make()
        join(here, "ada")
        assert join(here, "bo", **other).status == "waiting"

    def test_options_that_mean_the_same(self, make: Make) -> None:
        """However they are written."""
        here = make()
        first = join(here, "ada", game="migrato", options={"turn_limit": 40})
        second = join(here, "bo", game="migrato", options={"turn_limit": 40, "rules": "digital"})
        assert paired(here, first, second)

    def test_clocks_that_mean_the_same(self, make: Make) -> None:
        """Two meet if they want the same clock, however it is written, and that is what their game has."""
        here = make()
        bank: dict[str, Any] = {"kind": "bank", "seconds": 300}
        quicker = join(here, "cy", game="migrato", clock=bank | {"increment": 1})
        first = join(here, "ada", game="migrato", clock=bank)
        second = join(here, "bo", game="migrato", clock=bank | {"increment": 0, "when_up": "forfeit"})
        assert paired(here, first, second)
        assert look(here, quicker).status == "waiting"
        assert second.game is not None
        assert second.game.clock is not None
        assert options_document(second.game.clock.options) == bank | {
            "increment": 0,
            "when_up": "forfeit",
            "bot": None,
        }
        again = join(here, "di", game="migrato", clock=bank | {"when_up": "bot"}, bot="greedy")
        game = look(here, again).game
        assert game is not None
        assert game.clock is not None
        assert game.clock.options.bot == GAMES["migrato"].fallback_bot

    def test_the_rating_for_such_a_clock(self, make: Make) -> None:
        """A player's stored rating is that of the class of the wanted clock."""
        here = make()
        here.quick_match._ratings = Means({"counter:none": 20.0, "counter:rapid": 30.0})  # type: ignore[assignment]
        for name in ("ada", "bo", "cy"):
            here.players.enrol("one", name, "2026-11-22T10:00:00.000Z")
        assert join(here, "ada", reach=1).rating == 20.0
        assert join(here, "bo", reach=1, clock={"kind": "per-move", "seconds": 5}).rating == 30.0
        with pytest.raises(DomainError) as refusal:
            join(here, "cy", reach=1, clock={"kind": "correspondence", "days": 1})
        assert list(refusal.value.data["errors"]) == ["range"]

    @pytest.mark.parametrize(
        ("first", "second", "is_pair"),
        [
            ((1500, 100), (1600, 100), True),
            ((1500, 100), (1600.5, 200), False),
            ((1500, 300), (1700, 100), False),
            ((1500, 100), (1700, 300), False),
            ((1500, None), (1700, 200), True),
            ((1500, None), (1701, 200), False),
            ((1500, 200), (1700, None), True),
            ((1500, 200), (1701, None), False),
            ((None, None), (1500, None), True),
            ((None, None), (1500, 200), False),
            ((1500, 200), (None, None), False),
            ((1500, None), (None, None), True),
            ((None, None), (None, None), True),
            ((1500, 0), (1500, 0), True),
            ((-3.5, 1), (-4.5, 1), True),
        ],
    )
    def test_ratings(self, make: Make, first: Any, second: Any, is_pair: bool) -> None:
        """Each must be within the other's range; who has no rating is within none."""
        here = make()
        one, other = (
            join(here, name, rating=rating, reach=reach)
            for name, (rating, reach) in (("ada", first), ("bo", second))
        )
        assert paired(here, one, other) == is_pair

    def test_the_nearest_rating(self, make: Make) -> None:
        """Of those who have a range, on either side."""
        here = make()
        far, near, _ = (
            join(here, f"p{rating}", rating=rating, reach=3) for rating in (1500 + 3, 1500 - 2, 1500 + 200)
        )
        second = join(here, "bo", rating=1500, reach=150)
        assert paired(here, near, second)
        assert look(here, far).status == "waiting"

    def test_those_who_are_gone_hide_nobody(
        self, make: Make, link: RedisClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """However many there are before who fits; they are cleared away."""
        monkeypatch.setattr(adapter, "WINDOW", 2)
        here = make()
        for number in range(5):
            join(here, f"p{number}", rating=1500 + number, reach=0)
        link.call("DEL", *link.call("KEYS", "{app:one}:quick:ticket:*"))
        there = join(here, "ada", rating=1510, reach=20)
        assert paired(here, there, join(here, "bo", rating=1500, reach=20))
        assert link.call("KEYS", "{app:one}:quick:rated:*") == []

    def test_three_seats_at_least(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        """A game that two cannot play has no quick match."""
        monkeypatch.setattr(type(COUNTER), "seat_counts", (3,))
        with pytest.raises(DomainError) as refusal:
            join(make(), "ada")
        assert list(refusal.value.data["errors"]) == ["game"]

    def test_what_no_game_can_be_made_of(self, make: Make, link: RedisClient) -> None:
        """It is refused at once, and nothing is kept, no name either."""
        before = dump(link)
        for wanted, code in (
            ({"game": "chess"}, "unknown-game"),
            ({"bot": "oracle"}, "unknown-bot"),
            ({"clock": {"kind": "per-move", "seconds": 0}}, "validation-error"),
            ({"game": "migrato", "options": {"first_seat": 9}}, "validation-error"),
        ):
            with pytest.raises(DomainError) as refusal:
                join(make(), "ada", **wanted)
            assert refusal.value.code == code
        assert dump(link) == before

    def test_a_range_without_a_rating(self, make: Make, link: RedisClient) -> None:
        """Nobody could say who is within it; and no name is kept of who is refused."""
        here = make()
        join(here, "bo")
        before = link.call("DBSIZE"), holding(link, b"pl_")
        with pytest.raises(DomainError) as refusal:
            join(here, "ada", reach=100)
        assert list(refusal.value.data["errors"]) == ["range"]
        assert here.players.listed_as("one", "ada") == ["ada"]
        assert (link.call("DBSIZE"), holding(link, b"pl_")) == before


class TestTickets:
    """Once each, and gone in time."""

    def test_one_at_a_time(self, make: Make) -> None:
        """Who waits cannot wait twice, whatever for; who was paired, or waits no more, can."""
        here = make()
        first = join(here, "ada")
        others: list[dict[str, Any]] = [{}, {"options": {"goal": 7}}]
        for more in others:
            with pytest.raises(DomainError) as refusal:
                join(make(), "ada", **more)
            assert refusal.value.code == "already-waiting"
        assert join(here, "ada", app="two").status == "waiting"
        here.quick_match.cancel("one", first.ticket)
        again = join(here, "ada")
        assert paired(here, again, join(here, "bo"))
        assert join(here, "ada").status == "waiting"

    def test_the_same_request_again(self, make: Make) -> None:
        """It gets the same ticket: while it waits, once it is paired, once it is cancelled."""
        here = make()
        first = here.quick_match.join("one", wants("ada"), SENT)
        assert make().quick_match.join("one", wants("ada"), SENT).ticket == first.ticket
        with pytest.raises(CommandMismatch):
            here.quick_match.join("one", wants("ada"), replace(SENT, body={"player": "eve"}))
        join(here, "bo")
        again = make().quick_match.join("one", wants("ada"), SENT)
        assert (again.ticket, again.status) == (first.ticket, "matched")
        assert again.token == look(here, first).token

    def test_wait_no_longer(self, make: Make) -> None:
        """Nobody is paired with who has cancelled, and not again by the same request."""
        here = make()
        first = here.quick_match.join("one", wants("ada"), SENT)
        here.quick_match.cancel("one", first.ticket)
        here.quick_match.cancel("one", first.ticket)
        assert look(here, first).status == "cancelled"
        assert here.quick_match.join("one", wants("ada"), SENT).status == "cancelled"
        second = join(here, "bo")
        assert second.status == "waiting"
        join(here, "cy")
        with pytest.raises(DomainError) as refusal:
            here.quick_match.cancel("one", second.ticket)
        assert refusal.value.code == "already-matched"

    def test_another_apps_ticket(self, make: Make) -> None:
        """Is not there, and not by its shape either."""
        here = make()
        first = join(here, "ada")
        for app, ticket in (("two", first.ticket), ("one", "mq_" + "x" * 43), ("one", "mq_"), ("one", "")):
            with pytest.raises(MatchTicketNotFound):
                here.quick_match.look(app, ticket)
            with pytest.raises(MatchTicketNotFound):
                here.quick_match.cancel(app, ticket)
        assert look(here, first).status == "waiting"

    def test_one_that_nobody_asks_for(self, make: Make, link: RedisClient) -> None:
        """It is gone, nobody is paired with it, and what it leaves behind goes with it."""
        here = make()
        first = join(here, "ada", rating=1500)
        (ticket,) = link.call("KEYS", "{app:one}:quick:ticket:*")
        assert 50 < link.call("TTL", ticket) <= 60
        link.call("EXPIRE", ticket, 5)
        look(here, first)
        assert 50 < link.call("TTL", ticket) <= 60
        assert {link.call("TTL", key) > 0 for key in link.call("KEYS", "{app:one}:quick:*")} == {True}
        link.call("DEL", ticket)
        with pytest.raises(MatchTicketNotFound):
            look(here, first)
        second = join(here, "bo", rating=1500)
        assert second.status == "waiting"
        assert join(here, "ada", rating=1500).status == "matched"

    def test_what_is_kept(self, make: Make, link: RedisClient) -> None:
        """No ticket, no token, no name; every key is known to fsck, of the right type."""
        here = make()
        first, second = join(here, "Hannelore", rating=1500, reach=5), join(here, "bo", rating=1500)
        waiting = join(here, "cy")
        first = look(here, first)
        for secret in (first.ticket, second.ticket, waiting.ticket, first.token, second.token):
            assert secret is not None
            assert holding(link, secret.encode()) == holding(link, secret[-30:].encode()) == []
        assert holding(link, b"Hannelore") == []
        found = [key.decode() for key in link.call("KEYS", "{app:one}:quick:*")]
        assert len(found) >= 5
        assert {key: type_of(key) for key in found} == {key: link.call("TYPE", key).decode() for key in found}
        assert all(key.startswith(keys.quick_match("one")) for key in found)

    def test_too_many_wait(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody joins them; who would be a partner does."""
        monkeypatch.setattr(adapter, "MOST", 2)
        here = make()
        join(here, "ada", rating=1, reach=1)
        join(here, "bo", rating=10, reach=1)
        with pytest.raises(TooManyWaiting):
            join(here, "cy", rating=100, reach=1)
        assert join(here, "di", rating=2, reach=1).status == "matched"

    def test_a_seat_that_has_another_token_by_now(self, make: Make) -> None:
        """The ticket tells its own no more."""
        here = make()
        first = join(here, "ada", app="anonymous")
        join(here, "bo", app="anonymous")
        standing = look(here, first, app="anonymous")
        assert standing.game is not None
        here.seats.hand_over(standing.game.game_id, standing.seat or 0, "zoe", STRANGER)
        assert look(make(), first, app="anonymous").token is None

    def test_without_a_store_for_them(self, counter: Application) -> None:
        """Nobody waits."""
        with pytest.raises(StoreUnavailable):
            join(counter, "ada")
        with pytest.raises(MatchTicketNotFound):
            counter.quick_match.look("one", "mq_" + "x" * 43)
        with pytest.raises(MatchTicketNotFound):
            counter.quick_match.cancel("one", "mq_" + "x" * 43)


class TestBots:
    """A bot for whom nobody comes."""

    def test_it_steps_in(self, make: Make) -> None:
        """When its time has come and somebody asks; nobody else is paired with the player then."""
        here = make()
        first = join(here, "ada", bot="one", patience=0.2)
        assert look(here, first).status == "waiting"
        standing = look(make(), first, seconds=5)
        assert standing.game is not None
        kinds = {seat.kind: seat.bot for seat in standing.game.status.seats}
        assert kinds == {"human": None, "bot": "one"}
        assert standing.token is not None
        assert here.callers.who_asks(standing.token).seat == standing.seat
        assert join(here, "bo").status == "waiting"

    def test_a_person_comes_first(self, make: Make) -> None:
        """Then there is no bot, however late."""
        here = make()
        first = join(here, "ada", bot="one", patience=0.2)
        second = join(here, "bo", bot="one", patience=0.0)
        assert paired(here, first, second)
        assert look(here, first, seconds=1).game == look(here, second).game


class TestRoom:
    """An app that has as many games as it may: nobody is paired for whom there is no game."""

    def test_a_partner(self, make: Make) -> None:
        """Whoever comes is refused and leaves no ticket; who waits goes on, and is paired once there is room."""
        here = make(most=1)
        first = join(here, "ada")
        game_id = here.creation.create(
            "one", NewGame("counter", {}, (Seat("human"), Seat("human")))
        ).snapshot.game_id
        with pytest.raises(TooManyGames):
            here.quick_match.join("one", wants("bo"), SENT)
        assert look(here, first).status == "waiting"
        here.interventions.abort(game_id, Caller("app", "one"), None)
        here.listing.update(game_id)
        assert paired(here, first, here.quick_match.join("one", wants("bo"), SENT))
        with pytest.raises(TooManyGames):
            here.creation.create("one", NewGame("counter", {}, (Seat("human"), Seat("human"))))

    def test_a_bot(self, make: Make) -> None:
        """It steps in once there is room."""
        here = make(most=1)
        first = join(here, "ada", bot="one")
        game_id = here.creation.create(
            "one", NewGame("counter", {}, (Seat("human"), Seat("human")))
        ).snapshot.game_id
        with pytest.raises(TooManyGames):
            look(here, first)
        here.interventions.abort(game_id, Caller("app", "one"), None)
        here.listing.update(game_id)
        assert look(here, first).game is not None

    def test_who_was_paired_has_a_game(self, make: Make, new_link: NewLink) -> None:
        """Though whoever paired them died, and others have taken all room since."""

        class Dying(RedisEventStore):
            def create(self, *_: Any) -> Any:
                raise StoreUnavailable("it died")

        first = join(make(), "ada")
        dying = make(store=Dying(new_link(), new_link(), 5.0), most=1)
        with pytest.raises(StoreUnavailable):
            dying.quick_match.join("one", wants("bo"), SENT)
        new_link().call("DEL", "{app:one}:creating")  # its place is given up after a while
        here = make(most=1)
        here.creation.create("one", NewGame("counter", {}, (Seat("human"), Seat("human"))))
        assert paired(here, first, here.quick_match.join("one", wants("bo"), SENT))


class TestAtOnce:
    """Many of them, and those who die."""

    @pytest.mark.parametrize("players", [2, 12])
    def test_all_at_once(self, make: Make, players: int) -> None:
        """Everybody has one partner, and every game two players."""
        crowd = [make() for _ in range(players)]
        with ThreadPoolExecutor(players) as pool:
            standings = list(pool.map(lambda number: join(crowd[number], f"p{number}"), range(players)))
        after = [look(make(), standing) for standing in standings]
        games = [one.game.game_id for one in after if one.game is not None]
        assert len(games) == players
        assert len(set(games)) == players // 2
        assert len({(one.game.game_id, one.seat) for one in after if one.game is not None}) == players

    def test_the_same_player_at_once(self, make: Make) -> None:
        """By one ticket."""
        crowd = [make() for _ in range(6)]

        def come(number: int) -> str:
            try:
                return join(crowd[number], "ada").status
            except DomainError as refusal:
                return refusal.code

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(come, range(6))) == ["already-waiting"] * 5 + ["waiting"]

    def test_the_same_request_at_once(self, make: Make) -> None:
        """Gets one ticket."""
        crowd = [make() for _ in range(6)]
        with ThreadPoolExecutor(6) as pool:
            come = lambda number: crowd[number].quick_match.join("one", wants("ada"), SENT).ticket  # noqa: E731
            assert len(set(pool.map(come, range(6)))) == 1

    def test_whoever_paired_them_dies(self, make: Make, new_link: NewLink) -> None:
        """Before there is a game: whoever asks next makes it, and all who ask at once get the same one."""

        class Dying(RedisEventStore):
            def create(self, *_: Any) -> Any:
                raise StoreUnavailable("it died")

        first = join(make(), "ada")
        with pytest.raises(StoreUnavailable):
            make(store=Dying(new_link(), new_link(), 5.0)).quick_match.join("one", wants("bo"), SENT)
        crowd = [make() for _ in range(6)]
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda here: look(here, first), crowd))
        assert len({one.game.stream_head for one in found if one.game is not None}) == 1
        assert paired(make(), first, make().quick_match.join("one", wants("bo"), SENT))

    def test_who_waits_is_told_at_once(self, make: Make) -> None:
        """By the game itself."""
        here = make()
        first = join(here, "ada")
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(look, make(), first, seconds=30.0)
            second = join(here, "bo")
            told = waiting.result(timeout=quick_match.STEP + 2)
        assert told.game is not None
        assert told.game.game_id == (second.game and second.game.game_id)

    def test_a_restart(self, make: Make) -> None:
        """Nothing is in any process."""
        first = join(make(), "ada", rating=5, reach=1)
        assert paired(make(), first, join(make(), "bo", rating=5, reach=1))
