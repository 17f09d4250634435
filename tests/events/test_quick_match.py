"""Quick match: who is paired with whom, once each, whoever comes at the same time, and whoever dies in between."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from domain.clocks.options import options_document
from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.registry import GAMES
from events.application import Application
from events.engine.access import STRANGER, Caller
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import CommandMismatch, MatchTicketNotFound, StoreUnavailable, TooManyGames, TooManyWaiting
from events.features.matchmaking import quick_match
from events.features.matchmaking import redis as adapter
from events.features.matchmaking.quick_match import QuickMatchTicket, Wanted
from events.features.ratings.port import Rating
from events.fsck.keys import type_of
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.counter import COUNTER
from tests.events.dump import dump, holding
from tests.events.refusals import refusal_of
from tests.events.stand_ins import Dying
from tests.support.sure import sure
from tests.support.waiting import LIMIT

SENT = KeyedRequest("3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10", "app key", {"player": "ada"})


def wants(player: str, **more: Any) -> Wanted:
    return Wanted(**{"player": player, "game": "counter", "options": {}} | more)


def join(here: Application, player: str, app: str = "one", **more: Any) -> QuickMatchTicket:
    return here.quick_match.join(app, wants(player, **more))


def look(
    here: Application, state: QuickMatchTicket, app: str = "one", seconds: float = 0.0
) -> QuickMatchTicket:
    return here.quick_match.look(app, state.ticket, seconds)


def passes(link: RedisClient, seconds: float) -> None:
    """Make all tickets older by this much."""
    for key in link.call("KEYS", "{app:one}:quick:ticket:*"):
        link.call("HINCRBY", key, "since", -int(seconds * 1000))


def paired(here: Application, first: QuickMatchTicket, second: QuickMatchTicket) -> bool:
    """True if the two sit at one game, each by a token of its own; the second was told at once."""
    one, other = look(here, first), look(here, second)
    if one.game is None or other.game is None:
        return False
    assert one.game.game_id == other.game.game_id
    assert {one.seat, other.seat} == {0, 1}
    for state in (one, other):
        assert here.callers.who_asks(sure(state.token), one.game.game_id).seat == state.seat
    return True


RANGES: tuple[tuple[Any, Any, bool], ...] = (
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
)


class Means:
    """A store of ratings in which every player has these means, by leaderboard."""

    def __init__(self, means: dict[str, float]) -> None:
        self._means = means

    def ratings(self, *_: str) -> dict[str, Rating]:
        return {leaderboard: Rating(mean, 8.0, 3, 1) for leaderboard, mean in self._means.items()}


@pytest.fixture
def dying(new_link: NewLink) -> Dying:
    """The event store of a process that dies before its first game is there."""
    return Dying(RedisEventStore(new_link(), new_link(), 5.0), "before")


class TestPairing:
    """Players who fit."""

    def test_two_who_want_the_same(self, make: Make) -> None:
        """The second is told at once, the first when it asks; the game has begun."""
        first = join(make(), "ada", client_seed="four geese")
        assert (first.status, first.game, first.token) == ("waiting", None, None)
        second = join(make(), "bo")
        assert second.status == "matched"
        assert paired(make(), first, second)
        game = sure(second.game)
        names = {seat["player"] for seat in make().views.game_document(game, None)["seats"]}
        assert (names, game.status.status, game.secrets.app) == ({"ada", "bo"}, "playing", "one")
        assert {seat.client_seed for seat in game.status.seats} == {"four geese", None}
        assert [line["id"] for line in make().listing.page("one").games] == [game.game_id]

    def test_two_who_want_something_else(self, here: Application) -> None:
        """Of another app above all: they never meet."""
        join(here, "ada")
        others: tuple[dict[str, Any], ...] = (
            {"options": {"goal": 7}},
            {"visibility": "public"},
            {"clock": {"kind": "per-move", "seconds": 30}},
            {"game": "migo"},
            {"app": "two"},
        )
        for number, other in enumerate(others):
            assert join(here, f"p{number}", **other).status == "waiting"

    def test_wishes_that_mean_the_same(self, here: Application) -> None:
        """Two meet if they want the same options and clock, however these are written, and their game has them."""
        first = join(here, "ada", game="migrato", options={"turn_limit": 40})
        assert paired(
            here, first, join(here, "bo", game="migrato", options={"turn_limit": 40, "rules": "digital"})
        )
        bank: dict[str, Any] = {"kind": "bank", "seconds": 300}
        quicker = join(here, "cy", game="migrato", clock=bank | {"increment": 1})
        first = join(here, "ada", game="migrato", clock=bank)
        second = join(here, "bo", game="migrato", clock=bank | {"increment": 0, "when_up": "forfeit"})
        assert paired(here, first, second)
        assert look(here, quicker).status == "waiting"
        assert second.game is not None
        assert second.game.clock is not None
        whole = bank | {"increment": 0, "when_up": "forfeit", "bot": None}
        assert options_document(second.game.clock.options) == whole
        again = join(here, "di", game="migrato", clock=bank | {"when_up": "bot"}, bot="greedy")
        game = sure(look(here, again).game)
        assert sure(game.clock).options.bot == GAMES["migrato"].fallback_bot

    def test_the_rating_for_such_a_clock(self, here: Application) -> None:
        """A player's stored rating is that of the class of the wanted clock."""
        here.quick_match._ratings = Means({"counter:none": 20.0, "counter:rapid": 30.0})  # type: ignore[assignment]
        for name in ("ada", "bo", "cy"):
            here.players.enrol("one", name, "2026-11-22T10:00:00.000Z")
        assert join(here, "ada", reach=1).rating == 20.0
        assert join(here, "bo", reach=1, clock={"kind": "per-move", "seconds": 5}).rating == 30.0
        with pytest.raises(DomainError) as refusal:
            join(here, "cy", reach=1, clock={"kind": "correspondence", "days": 1})
        assert list(refusal.value.data["errors"]) == ["range"]

    def test_a_game_of_one_who_says_whom_to_meet_does_not_count(self, here: Application) -> None:
        """By a rating that the engine does not know, or by a short range: two friends could agree on it, and would meet
        in the fullest of lines. So it is whichever of the two says so.
        """
        here.quick_match._ratings = Means({"migrato:none": 25.0})  # type: ignore[assignment]
        wishes: tuple[tuple[dict[str, Any], str | None], ...] = (
            ({}, None),
            ({"reach": 4.0}, None),
            ({"reach": 3.9}, "uncommon"),
            ({"rating": 25.0}, "uncommon"),
            ({"visibility": "public"}, "uncommon"),
        )
        for number, (wish, reason) in enumerate(wishes):
            for first, second in ((wish, {}), ({}, wish)):
                both = {name: value for name, value in wish.items() if name == "visibility"}
                names = [f"{who}{number}{bool(first)}" for who in ("ada", "bo")]
                for name in names:
                    here.players.enrol("one", name, "2026-11-22T10:00:00.000Z")
                one, other = (
                    join(here, name, game="migrato", **both | more)
                    for name, more in zip(names, (first, second), strict=True)
                )
                assert paired(here, one, other), wish
                assert other.game is not None
                assert (other.game.status.unrated, other.game.is_rated) == (reason, reason is None), wish

    def test_ratings(self, here: Application) -> None:
        """Each rating must be within the other's range; a player without a rating is within none."""
        for number, (first, second, is_pair) in enumerate(RANGES):
            one, other = (
                join(here, name, rating=rating, reach=reach, options={"goal": 10 + number})
                for name, (rating, reach) in ((f"a{number}", first), (f"b{number}", second))
            )
            assert paired(here, one, other) == is_pair, (first, second)

    def test_the_nearest_rating(self, here: Application) -> None:
        """Of those who have a range, on either side."""
        far, near, _ = (
            join(here, f"p{rating}", rating=rating, reach=3) for rating in (1500 + 3, 1500 - 2, 1500 + 200)
        )
        second = join(here, "bo", rating=1500, reach=150)
        assert paired(here, near, second)
        assert look(here, far).status == "waiting"

    def test_those_who_are_gone_hide_nobody(
        self, here: Application, link: RedisClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Even if many come before the one who fits; they are cleared away."""
        monkeypatch.setattr(adapter, "WINDOW", 2)
        for number in range(5):
            join(here, f"p{number}", rating=1500 + number, reach=0)
        link.call("DEL", *link.call("KEYS", "{app:one}:quick:ticket:*"))
        there = join(here, "ada", rating=1510, reach=20)
        assert paired(here, there, join(here, "bo", rating=1500, reach=20))
        assert link.call("KEYS", "{app:one}:quick:rated:*") == []

    def test_no_game_can_be_made_of_it(self, make: Make, link: RedisClient) -> None:
        """It is refused at once, and nothing is kept, no name either."""
        before = dump(link)
        for wanted, code in (
            ({"game": "chess"}, "unknown-game"),
            ({"bot": "oracle"}, "unknown-bot"),
            ({"clock": {"kind": "per-move", "seconds": 0}}, "validation-error"),
            ({"game": "migrato", "options": {"first_seat": 9}}, "validation-error"),
        ):
            assert refusal_of(join, make(), "ada", **wanted) == code
        assert dump(link) == before

    def test_a_range_without_a_rating(
        self, here: Application, make: Make, link: RedisClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nobody could say who is within it; and no name is kept of who is refused.

        A game that two cannot play has no quick match.
        """
        join(here, "bo")
        before = link.call("DBSIZE"), holding(link, b"pl_")
        with pytest.raises(DomainError) as refusal:
            join(here, "ada", reach=100)
        assert list(refusal.value.data["errors"]) == ["range"]
        assert here.players.listed_as("one", "ada") == "ada"
        assert (link.call("DBSIZE"), holding(link, b"pl_")) == before
        monkeypatch.setattr(type(COUNTER), "seat_counts", (3,))
        with pytest.raises(DomainError) as refusal:
            join(make(), "ada")
        assert list(refusal.value.data["errors"]) == ["game"]


class TestTickets:
    """Once each, and gone in time."""

    def test_one_at_a_time(self, here: Application, make: Make) -> None:
        """Nobody waits twice, whatever for; who was paired, or waits no more, can wait again."""
        first = join(here, "ada")
        assert refusal_of(join, make(), "ada") == "already-waiting"
        assert refusal_of(join, make(), "ada", options={"goal": 7}) == "already-waiting"
        assert join(here, "ada", app="two").status == "waiting"
        here.quick_match.cancel("one", first.ticket)
        again = join(here, "ada")
        assert paired(here, again, join(here, "bo"))
        assert join(here, "ada").status == "waiting"

    def test_a_ticket_that_only_a_wrong_clock_keeps(
        self, here: Application, make: Make, link: RedisClient
    ) -> None:
        """Nobody is paired with who may have gone, until the ticket is asked for again; else it is gone soon."""
        first = join(here, "ada")
        (key,) = link.call("KEYS", "{app:one}:quick:ticket:*")
        link.call("EXPIRE", key, 7_200)  # a clock was two hours ahead
        assert refusal_of(join, make(), "ada") == "already-waiting"
        assert link.call("TTL", key) <= adapter.WAITS
        link.call("EXPIRE", key, 3 * 86_400)
        assert join(here, "bo").status == "waiting"
        assert link.call("TTL", key) <= adapter.WAITS
        look(here, first)
        assert paired(here, first, join(here, "cy"))

    def test_the_same_request_again(self, here: Application, make: Make) -> None:
        """It gets the same ticket: while it waits, once it is paired, once it is cancelled."""
        first = here.quick_match.join("one", wants("ada"), SENT)
        assert make().quick_match.join("one", wants("ada"), SENT).ticket == first.ticket
        with pytest.raises(CommandMismatch):
            here.quick_match.join("one", wants("ada"), replace(SENT, body={"player": "eve"}))
        join(here, "bo")
        again = make().quick_match.join("one", wants("ada"), SENT)
        assert (again.ticket, again.status) == (first.ticket, "matched")
        assert again.token == look(here, first).token

    def test_the_same_request_after_its_ticket_leads_to_another_game(
        self, here: Application, make: Make, link: RedisClient
    ) -> None:
        """Not to the one that it led to before, at which the next partner has no seat."""
        here.quick_match.join("one", wants("ada"), SENT)
        former = join(here, "bo").game
        for key in link.call("KEYS", "{app:one}:quick:*"):
            link.call("DEL", key)
        again = here.quick_match.join("one", wants("ada"), SENT)
        partner = join(here, "cy")
        assert paired(make(), again, partner)
        assert sure(partner.game).game_id != sure(former).game_id

    def test_wait_no_longer(self, here: Application) -> None:
        """Nobody is paired with who has cancelled, and not again by the same request."""
        first = here.quick_match.join("one", wants("ada"), SENT)
        for _ in range(2):
            here.quick_match.cancel("one", first.ticket)
        assert look(here, first).status == "cancelled"
        assert here.quick_match.join("one", wants("ada"), SENT).status == "cancelled"
        second = join(here, "bo")
        assert second.status == "waiting"
        join(here, "cy")
        assert refusal_of(here.quick_match.cancel, "one", second.ticket) == "already-matched"

    def test_another_apps_ticket(self, here: Application, counter: Application) -> None:
        """Is not there, and not by its shape either; without a store for them nobody waits."""
        first = join(here, "ada")
        nobodys = "mq_" + "x" * 43
        others = [(here, "two", first.ticket), (here, "one", "mq_"), (here, "one", "")]
        for application, app, ticket in (*others, (here, "one", nobodys), (counter, "one", nobodys)):
            for act in (application.quick_match.look, application.quick_match.cancel):
                with pytest.raises(MatchTicketNotFound):
                    act(app, ticket)
        assert look(here, first).status == "waiting"
        with pytest.raises(StoreUnavailable):
            join(counter, "ada")

    def test_one_that_nobody_asks_for(self, here: Application, link: RedisClient) -> None:
        """It is gone, nobody is paired with it, and what it leaves behind goes with it."""
        first = join(here, "ada", rating=1500)
        (ticket,) = link.call("KEYS", "{app:one}:quick:ticket:*")
        assert 0 < link.call("TTL", ticket) <= adapter.WAITS
        link.call("EXPIRE", ticket, adapter.WAITS // 2)
        look(here, first)
        assert adapter.WAITS // 2 < link.call("TTL", ticket) <= adapter.WAITS
        assert {link.call("TTL", key) > 0 for key in link.call("KEYS", "{app:one}:quick:*")} == {True}
        link.call("DEL", ticket)
        with pytest.raises(MatchTicketNotFound):
            look(here, first)
        second = join(here, "bo", rating=1500)
        assert second.status == "waiting"
        assert join(here, "ada", rating=1500).status == "matched"

    def test_no_ticket_token_or_name_is_kept(self, here: Application, link: RedisClient) -> None:
        """No ticket, no token, no name; every key is known to fsck, of the right type."""
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

    def test_too_many_wait(self, here: Application, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody joins them; who would be a partner does."""
        monkeypatch.setattr(adapter, "MOST", 2)
        join(here, "ada", rating=1, reach=1)
        join(here, "bo", rating=10, reach=1)
        with pytest.raises(TooManyWaiting):
            join(here, "cy", rating=100, reach=1)
        assert join(here, "di", rating=2, reach=1).status == "matched"

    def test_a_seat_that_has_another_token_by_now(self, here: Application, make: Make) -> None:
        """A ticket no longer tells its token once the seat has another one."""
        first = join(here, "ada", app="anonymous")
        join(here, "bo", app="anonymous")
        state = look(here, first, app="anonymous")
        here.seats.hand_over(sure(state.game).game_id, state.seat or 0, "zoe", STRANGER)
        assert look(make(), first, app="anonymous").token is None


class TestBots:
    """A bot for whom nobody comes."""

    def test_it_steps_in(self, here: Application, make: Make, link: RedisClient) -> None:
        """Its time has come, and somebody asks; nobody else is paired with the player then."""
        first = join(here, "ada", bot="one", patience=100.0)
        assert look(here, first).status == "waiting"
        passes(link, 99.9)
        state = look(make(), first, seconds=30)
        kinds = {seat.kind: seat.bot for seat in sure(state.game).status.seats}
        assert kinds == {"human": None, "bot": "one"}
        assert here.callers.who_asks(sure(state.token)).seat == state.seat
        assert join(here, "bo").status == "waiting"

    def test_it_steps_in_though_the_clock_was_set_back(self, here: Application, link: RedisClient) -> None:
        first = join(here, "ada", bot="one", patience=0.0)
        (key,) = link.call("KEYS", "{app:one}:quick:ticket:*")
        link.call("HSET", key, "since", 10**14)
        assert look(here, first).game is not None

    def test_a_person_comes_first(self, here: Application, link: RedisClient) -> None:
        """If a person is found first, no bot steps in, however late it is."""
        first = join(here, "ada", bot="one", patience=100.0)
        second = join(here, "bo", bot="one", patience=0.0)
        assert paired(here, first, second)
        passes(link, 200.0)
        assert look(here, first).game == look(here, second).game


TWO = NewGame("counter", {}, (Seat("human"), Seat("human")))


class TestRoom:
    """An app that has as many games as it may: nobody is paired for whom there is no game."""

    def test_a_partner(self, make: Make) -> None:
        """A newcomer is refused and leaves no ticket; one who waits goes on, and is paired once there is room."""
        here = make(most=1)
        first = join(here, "ada")
        game_id = here.creation.create("one", TWO).snapshot.game_id
        with pytest.raises(TooManyGames):
            here.quick_match.join("one", wants("bo"), SENT)
        assert look(here, first).status == "waiting"
        here.interventions.abort(game_id, Caller("app", "one"), None)
        here.listing.update(game_id)
        assert paired(here, first, here.quick_match.join("one", wants("bo"), SENT))
        with pytest.raises(TooManyGames):
            here.creation.create("one", TWO)

    def test_a_bot(self, make: Make) -> None:
        """A bot steps in once there is room."""
        here = make(most=1)
        first = join(here, "ada", bot="one")
        game_id = here.creation.create("one", TWO).snapshot.game_id
        with pytest.raises(TooManyGames):
            look(here, first)
        here.interventions.abort(game_id, Caller("app", "one"), None)
        here.listing.update(game_id)
        assert look(here, first).game is not None

    def test_a_player_who_was_paired_has_a_game(self, make: Make, dying: Dying, link: RedisClient) -> None:
        """The process that paired them died, and others have taken all room since."""
        first = join(make(), "ada")
        with pytest.raises(StoreUnavailable):
            make(store=dying, most=1).quick_match.join("one", wants("bo"), SENT)
        link.call("DEL", "{app:one}:creating")  # its place is given up after a while
        here = make(most=1)
        here.creation.create("one", TWO)
        assert paired(here, first, here.quick_match.join("one", wants("bo"), SENT))


class TestAtOnce:
    """Many of them, and those who die."""

    def test_all_at_once(self, make: Make) -> None:
        """Everybody has one partner, and every game two players."""
        for players in (2, 12):
            crowd = [make() for _ in range(players)]
            with ThreadPoolExecutor(players) as pool:
                names = [f"p{number} of {players}" for number in range(players)]
                waiting = list(pool.map(join, crowd, names))
            after = [look(make(), state) for state in waiting]
            seats = {(one.game.game_id, one.seat) for one in after if one.game is not None}
            assert len(seats) == players
            assert len({game_id for game_id, _ in seats}) == players // 2

    def test_the_same_player_at_once(self, make: Make) -> None:
        """By one ticket; and the same request gets the same one."""
        crowd = [make() for _ in range(6)]

        def come(here: Application) -> str:
            try:
                return join(here, "ada").status
            except DomainError as refusal:
                return refusal.code

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(come, crowd)) == ["already-waiting"] * 5 + ["waiting"]
            again = pool.map(lambda here: here.quick_match.join("one", wants("bob"), SENT).ticket, crowd)
            assert len(set(again)) == 1

    def test_the_death_of_whoever_paired_them(self, make: Make, dying: Dying) -> None:
        """Before there is a game: whoever asks next makes it, and all who ask at once get the same one."""
        first = join(make(), "ada", rating=5, reach=1)
        with pytest.raises(StoreUnavailable):
            make(store=dying).quick_match.join("one", wants("bo", rating=5, reach=1), SENT)
        crowd = [make() for _ in range(6)]
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda here: look(here, first), crowd))
        assert len({one.game.stream_head for one in found if one.game is not None}) == 1
        assert paired(make(), first, make().quick_match.join("one", wants("bo", rating=5, reach=1), SENT))

    def test_waiting_players_are_told_at_once(
        self, here: Application, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """By the game itself, long before anybody looks again."""
        monkeypatch.setattr(quick_match, "STEP", 2 * LIMIT)
        first = join(here, "ada")
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(look, make(), first, seconds=2 * LIMIT)
            second = join(here, "bo")
            told = waiting.result(LIMIT)
        assert sure(told.game).game_id == (second.game and second.game.game_id)
