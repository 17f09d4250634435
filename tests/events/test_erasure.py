"""Erasure: nothing waits for a player who was erased, and nobody is kept who has never sat anywhere."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller
from events.engine.new_game import NewGame
from events.errors import PlayerNotFound, PlayersGone, StoreUnavailable, TooManyGames
from events.features.matchmaking import quick_match
from events.features.matchmaking.quick_match import QuickMatchTicket, Wanted
from events.features.players.port import PlayerRecord
from events.features.players.redis import RedisPlayerStore
from events.features.ratings.redis.ratings import RedisRatings
from events.features.rematches.redis import RedisConsents
from events.features.seats import seats
from events.fsck.keys import type_of
from events.log.player_ids import is_guest_id
from events.store.connections.client import RedisClient
from events.store.event_store import RedisEventStore
from tests.events.conftest import Make, NewLink
from tests.events.refusals import refusal_of
from tests.events.stand_ins import Interrupted, StandIn
from tests.support.sure import sure

APP = Caller("app", "one")
AT = "2026-11-21T12:00:00.000Z"
TABLE = NewGame("counter", {}, (Seat("human", "ada"), Seat("open")), "public")


@pytest.fixture
def make(make: Make, new_link: NewLink) -> Make:
    """Makes applications that know the keys of two apps, with ratings."""
    return partial(make, keyed=True, ratings=RedisRatings(new_link()))


def table(here: Application, player: str = "ada", **more: Any) -> str:
    new = replace(TABLE, seats=(Seat("human", player), Seat("open")))
    return here.creation.create("one", new, **more).snapshot.game_id


def known(here: Application, name: str) -> str:
    """The id of the app's player of that name."""
    return sure(here.players.known("one", name))


def seek(here: Application, player: str) -> QuickMatchTicket:
    return here.quick_match.join("one", Wanted(player, "counter", {}))


def lifetimes(link: RedisClient) -> dict[str, int]:
    """Of each key of a player the seconds for which it is kept; -1 for good."""
    return {key.decode(): link.call("TTL", key) for key in link.call("KEYS", "{p*:player*")}


class TestWhatWaits:
    """Ended with the player; what has begun goes on."""

    def test_games_that_wait(self, here: Application, make: Make) -> None:
        """They are aborted, and in no lobby any more; not those that have begun, or where somebody else sits now."""
        waiting, playing, given = (table(here) for _ in range(3))
        here.seats.take(playing, 1, "bo", None, APP)
        here.seats.hand_over(given, 0, "cy", APP)
        assert {line["id"] for line in here.lobby.page("one").games} >= {waiting, given}
        ada = known(here, "ada")
        make().erasure.erase("one", ada)
        here.listing.update(playing)
        assert [line["id"] for line in here.lobby.page("one").games] == [given]
        status = {game: make().views.snapshot(game).status for game in (waiting, playing, given)}
        assert [one.status for one in status.values()] == ["finished", "playing", "waiting"]
        assert refusal_of(here.seats.take, waiting, 1, "di", None, STRANGER) == "game-over"
        with pytest.raises(PlayerNotFound):
            here.erasure.erase("one", ada)

    def test_a_game_that_the_erasure_missed(self, here: Application, make: Make, link: RedisClient) -> None:
        """As its process was late: it does not begin, and no name is kept of who would sit down there."""
        game_id = table(here)
        here.players.erase("one", known(here, "ada"))
        before = lifetimes(link)
        for player in ("bo", "cy"):
            assert refusal_of(make().seats.take, game_id, 1, player, None, STRANGER) == "game-over"
        assert make().views.snapshot(game_id).status.status == "finished"
        assert lifetimes(link) == before

    def test_a_ticket(self, here: Application, make: Make) -> None:
        """The ticket of an erased player is cancelled, and nobody is paired with it."""
        table(here)
        ticket = seek(here, "ada").ticket
        make().erasure.erase("one", known(here, "ada"))
        assert here.quick_match.look("one", ticket).status == "cancelled"
        assert seek(make(), "bo").status == "waiting"

    def test_a_ticket_that_the_erasure_missed(self, here: Application, make: Make) -> None:
        """The partner hears that there is no game, and may look for another one at once."""
        table(here)
        ada = known(here, "ada")
        ticket = seek(here, "ada").ticket
        here.players.erase("one", ada)
        bo = seek(make(), "bo")
        assert bo.status == "cancelled"
        assert [make().quick_match.look("one", one).status for one in (bo.ticket, ticket)] == [
            "cancelled"
        ] * 2
        assert len(here.listing.page("one", player=ada).games) == 1
        assert seek(make(), "bo").status == "waiting"
        assert seek(make(), "cy").status == "matched"

    def test_a_death_halfway(self, here: Application, make: Make) -> None:
        """If a process dies in the middle of an erasure, a repeat does the whole of it."""
        waiting, ada = table(here), known(here, "ada")

        class Halting(StandIn):
            """Players of whom none is destroyed."""

            def erase(self, *_: object, **__: object) -> bool:
                raise StoreUnavailable("died")

        here.erasure._players = Halting(here.players)  # type: ignore[assignment]
        with pytest.raises(StoreUnavailable):
            here.erasure.erase("one", ada)
        assert here.views.snapshot(waiting).status.status == "finished"
        make().erasure.erase("one", ada)
        with pytest.raises(PlayerNotFound):
            here.players.get("one", ada)


class TestOnTheWay:
    """A player who is erased after the last look, and before the event that seats somebody, does not begin a game."""

    @pytest.fixture
    def erasing(self, make: Make, new_link: NewLink) -> Callable[[str], Application]:
        """Makes a process: before it writes for the first time, a player is erased."""

        def erasing(name: str) -> Application:
            store, names = RedisEventStore(new_link(), new_link(), 5.0), iter([name])

            def erase() -> None:
                for gone in names:  # once
                    make().erasure.erase("one", known(make(), gone))

            return make(store=Interrupted(store, erase), consents=RedisConsents(new_link()))

        return erasing

    def test_a_player_who_sits_down_or_waits_there(
        self, here: Application, make: Make, erasing: Callable[[str], Application]
    ) -> None:
        """The erasure itself ends a game that waits for others."""
        for gone, refusal in (("bo", PlayersGone), ("ada", DomainError)):
            for name in ("bo", "cy"):
                here.players.enrol("one", name, AT)
            game_id = table(here)
            with pytest.raises(refusal):
                erasing(gone).seats.take(game_id, 1, "bo", None, APP)
            status = make().views.snapshot(game_id).status
            assert (status.status, status.result and status.result.is_void) == ("finished", True)
        game_id = table(here)
        with pytest.raises(PlayersGone):
            erasing("cy").seats.hand_over(game_id, 0, "cy", APP)
        assert make().views.snapshot(game_id).status.status == "finished"

    def test_players_who_get_a_new_game(self, make: Make, erasing: Callable[[str], Application]) -> None:
        """By name, by a ticket, and once more after a former game."""
        here, both = make(), NewGame(seats=(Seat("human", "ada"), Seat("human", "bo")))
        former = here.creation.create("one", both).snapshot.game_id
        here.moves.play(former, 0, {"type": "resign"})
        assert refusal_of(erasing("bo").rematches.ask, former, APP) == "no-rematch"
        with pytest.raises(PlayersGone):
            erasing("ada").creation.create("one", both)
        ticket = seek(here, "bo").ticket
        table(here, "cy")
        assert seek(erasing("cy"), "cy").status == "cancelled"
        matched = sure(here.quick_match.look("one", ticket).game)  # whose partner sees that it is over
        here.listing.update(former)
        lines = make().listing.page("one").games
        assert [line["status"] for line in lines] == ["finished"] * 5
        assert [lines[0]["id"], lines[-1]["id"]] == [matched.game_id, former]


class TestWhoNeverSat:
    """Kept for a while, if at all."""

    def test_a_player_who_looks_for_a_partner(self, here: Application, make: Make, link: RedisClient) -> None:
        """Under the same id all the while; for good once there is a game."""
        ticket = seek(here, "ada").ticket
        kept = lifetimes(link)
        assert len(kept) == 3
        assert {0 < seconds <= quick_match.SOUGHT for seconds in kept.values()} == {True}
        assert {key: type_of(key) for key in kept} == {key: link.call("TYPE", key).decode() for key in kept}
        assert (here.players.known("one", "ada"), refusal_of(seek, here, "ada")) == (None, "already-waiting")
        here.quick_match.cancel("one", ticket)
        assert -1 not in lifetimes(link).values()
        assert lifetimes(link).keys() == kept.keys()

        seek(here, "ada")
        assert seek(make(), "bo").status == "matched"
        assert set(lifetimes(link).values()) == {-1}
        assert len(lifetimes(link)) == 6
        assert known(here, "ada") != known(here, "bo")

    def test_a_player_who_looks_for_long(self, here: Application, link: RedisClient) -> None:
        """A player who looks for long is kept on; one who is gone all the same waits no longer."""
        ticket = seek(here, "ada").ticket
        (stored,) = link.call("KEYS", "{app:one}:quick:ticket:*")
        for key in lifetimes(link):
            link.call("EXPIRE", key, 3_700)
        here.quick_match.look("one", ticket)
        assert max(lifetimes(link).values()) <= 3_700
        link.call("HINCRBY", stored, "since", -quick_match.RENEWED - 1)
        here.quick_match.look("one", ticket)
        assert min(lifetimes(link).values()) > 3_700
        for key in lifetimes(link):
            link.call("DEL", key)
        assert here.quick_match.look("one", ticket).status == "cancelled"
        assert lifetimes(link) == {}

    def test_the_same_name_elsewhere(self, link: RedisClient) -> None:
        """The same name elsewhere is the same player, who stays then; one who was destroyed leaves nothing."""
        store = RedisPlayerStore(link)
        ada, bo = (PlayerRecord(name, "one", AT) for name in ("ada", "bo"))
        passing = store.enrol(ada, seconds=60)
        assert store.enrol(ada, seconds=3_600) == passing
        assert 60 < min(lifetimes(link).values()) <= 3_600
        assert store.enrol(ada) == store.enrol(ada, seconds=60) == passing
        assert store.known("one", ["ada"]) == [passing]
        assert set(lifetimes(link).values()) == {-1}
        passing = store.enrol(bo, seconds=60)
        (kept,) = store.read([passing])
        assert store.erase(passing, sure(kept).digest)
        assert (len(lifetimes(link)), store.keep(passing), store.enrol(bo) == passing) == (3, False, False)

    def test_a_player_who_was_refused(
        self, make: Make, link: RedisClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """For want of room for a game, or after the last handing over."""
        here = make(most=1)
        game_id = table(here)
        before = lifetimes(link)
        with pytest.raises(TooManyGames):
            here.creation.create("one", NewGame("counter", {}, (Seat("human", "eve"), Seat("open"))))
        assert lifetimes(link) == before
        monkeypatch.setattr(seats, "HAND_OVERS", 1)
        here.seats.hand_over(game_id, 0, "bo", APP)
        before = lifetimes(link)
        assert refusal_of(here.seats.hand_over, game_id, 0, "eve", APP) == "no-more-tokens"
        assert lifetimes(link) == before

    def test_a_guest_who_was_too_late(self, make: Make, new_link: NewLink, link: RedisClient) -> None:
        """For another name, or for the same one: then it is the guest who sits there."""

        def beaten(by: str) -> list[str]:
            game_id = table(make())
            store = RedisEventStore(new_link(), new_link(), 5.0)
            late = make(store=Interrupted(store, lambda: make().seats.take(game_id, 1, by, None, STRANGER)))
            assert refusal_of(late.seats.take, game_id, 1, "eve", None, STRANGER) == "seat-taken"
            return [key.split(":")[-1] for key in lifetimes(link) if is_guest_id(key.split(":")[-1])]

        assert len(beaten("bo")) == 2  # record and key
        assert len(beaten("eve")) == 4
        assert link.call("KEYS", "*:erasures") == []  # so that no stranger has the server's files made anew
