"""Games that nobody plays are aborted after a time, and no others."""

from functools import partial

import pytest

from domain.errors import DomainError
from domain.interventions import decide
from domain.lifecycle import AbortGame, Json, Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.features.games.abandonment import GRACE, Patience
from events.features.interventions import Verdict
from events.features.ratings.results import counted
from events.store.connections.client import RedisClient
from tests.events.test_takebacks import audited
from tests.events.timed import Time, people
from tests.events.wiring import application_on
from tests.support.clock import Clock
from tests.support.sure import sure

DAY = 86_400
OPEN = (Seat("human"), Seat("open"))


class Place:
    """An engine that aborts games, its time, and the time that its process has been up."""

    def __init__(self, link: RedisClient, patience: Patience) -> None:
        self.time, self.steady = Time(), Clock(0.0)
        more: Json = {"now": self.time, "steady": self.steady, "patience": patience}
        self._make = partial(application_on, link, **more)
        self.start()

    def start(self) -> None:
        self.here: Application = self._make()
        self.end()

    def passes(self, seconds: float) -> None:
        """Let this much time pass by both clocks."""
        self.time.passes(seconds)
        self.steady.now += seconds

    def end(self) -> int:
        return self.here.abandonment.end()

    def game(self, app: str = "club", seats: tuple[Seat, ...] = people(2), clock: Json | None = None) -> str:
        new = NewGame("migo", {"first_seat": 0}, seats, clock=clock)
        game_id = self.here.creation.create(app, new).snapshot.game_id
        self.here.listing.touch([game_id])  # as a dispatcher does
        return game_id

    def last_event(self, game_id: str) -> tuple[str, Json]:
        event = self.here.views.history(game_id)[-1]
        return event.type, event.data


@pytest.fixture
def place(link: RedisClient) -> Place:
    return Place(link, Patience(waiting=2 * DAY, silent=5 * DAY))


def test_games_that_nobody_plays_are_aborted(place: Place) -> None:
    """Each by its own limit, in whichever app; with a reason, which an audit confirms."""
    waiting, silent = place.game(seats=OPEN), place.game("anonymous")
    for seconds, ended in ((2 * DAY - 1, 0), (1, 1), (3 * DAY - 1, 0), (1, 1), (9 * DAY, 0)):
        place.passes(seconds)
        assert place.end() == ended
    assert place.last_event(waiting) == ("game_aborted", {"app": "club", "reason": "waiting"})
    assert place.last_event(silent) == ("game_aborted", {"app": "anonymous", "reason": "silent"})
    for game_id in (waiting, silent):
        assert audited(place.here, game_id).complete


def test_a_player_who_leaves_a_game_alone_that_counts_has_lost_it(place: Place) -> None:
    """So nobody saves a rating by moving no more; the others share the first place, and the audit finds it right."""
    new = NewGame("migo", {"first_seat": "random"}, people(3), pairing="app")
    game_id = place.here.creation.create("club", new).snapshot.game_id
    place.here.listing.touch([game_id])
    seat = place.here.views.snapshot(game_id).status.to_act
    place.passes(5 * DAY)
    assert place.end() == 1
    events = place.here.views.history(game_id)[-2:]
    places = [3 if number == seat else 1 for number in range(3)]
    assert events[0].data == {"app": "club", "places": places, "reason": "silent"}
    place.here.bot_turns.score_game(game_id)
    over = place.here.views.snapshot(game_id)
    result = sure(counted(over))
    assert result.places == tuple(places)
    assert audited(place.here, game_id).complete


def test_a_player_who_left_has_lost_even_if_the_other_falls_silent(place: Place) -> None:
    """The silence is the engine's word; the app's verdict would hold for the player who left."""
    new = NewGame("migo", {"first_seat": "random"}, people(2), pairing="app")
    for verdict in (None, Verdict(winner=1)):
        created = place.here.creation.create("club", new)
        game_id, now = created.snapshot.game_id, created.snapshot
        place.here.listing.touch([game_id])
        left = 1 - (now.status.to_act or 0)
        place.here.seats.hand_over(
            game_id, left, "zoe", Caller("seat", None, left, game_id, now.secrets.tokens[left])
        )
        if verdict is None:
            place.passes(5 * DAY)
            assert place.end() == 1
            expected = tuple(2 if seat == left else 1 for seat in range(2))
        else:
            place.here.interventions.adjudicate(game_id, verdict, Caller("app", "club"))
            expected = (2, 1)
        place.here.bot_turns.score_game(game_id)
        result = sure(counted(place.here.views.snapshot(game_id)))
        assert result.places == expected
        assert audited(place.here, game_id).complete


def test_games_that_are_played_or_wait_for_no_person_go_on(place: Place) -> None:
    """A move begins the time anew, also where the list has not heard of it; clocks end games by themselves."""
    played, timed = place.game(), place.game(clock={"kind": "correspondence", "days": 30})
    asked = place.game(seats=(Seat("bot", bot="greedy"), Seat("human")))
    place.passes(5 * DAY - 1)
    now = place.here.views.snapshot(played)
    place.here.moves.play(played, 0, now.game.legal_moves(now.state, 0)[0])
    place.passes(1)
    assert place.end() == place.end() == 0
    place.passes(5 * DAY)
    assert place.end() == 1
    assert place.last_event(played)[0] == "game_aborted"
    assert [place.here.views.snapshot(one).status.status for one in (timed, asked)] == ["playing", "playing"]


def test_after_a_start_players_have_time_to_come_back(place: Place) -> None:
    """The engine may have been away for long; and a clock that jumps ahead ends nothing."""
    game_id = place.game()
    place.time.passes(9 * DAY)
    assert place.end() == 0
    place.start()
    place.passes(GRACE - 1)
    assert place.end() == 0
    place.passes(1)
    assert place.end() == 1
    assert place.last_event(game_id)[0] == "game_aborted"


def test_nothing_is_aborted_unless_it_is_asked_for(link: RedisClient) -> None:
    """By default no game is aborted for silence."""
    place = Place(link, Patience())
    place.game(seats=OPEN)
    place.passes(9999 * DAY)
    assert place.end() == 0


def test_a_reason_fits_the_game(place: Place) -> None:
    """The audit of a game fails if the recorded reason does not fit the game."""
    now = place.here.views.snapshot(place.game())
    for reason in ("waiting", "bored"):
        with pytest.raises(DomainError, match=reason):
            decide(now.game, now.state, AbortGame("club", reason))
