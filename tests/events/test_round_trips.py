"""The costs of a move: requests to the store, counted on their way."""

from dataclasses import replace

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import VersionMismatch
from events.store.link import link_to
from tests.events.refusals import refusal_of
from tests.events.wiring import application_on
from tests.support.proxy import BadConnection
from tests.support.sure import sure

HUMANS = (Seat("human"), Seat("human"))


@pytest.fixture
def here(counted: BadConnection) -> Application:
    """An application behind that connection."""
    return application_on(link_to(counted.url, 5.0))


@pytest.fixture
def there(redis_url: str) -> Application:
    """Another process's application."""
    return application_on(link_to(redis_url, 5.0))


def test_a_move_on_a_known_game_is_one_round_trip(here: Application, counted: BadConnection) -> None:
    """With its token checked, with or without a key or a version."""
    created = here.creation.create("a", NewGame("counter", {}, HUMANS))
    game_id = created.snapshot.game_id
    counted.requests = 0
    for turn, (key, version) in enumerate([(None, None), ("k", None), (None, 4), ("k2", 5)]):
        seat = sure(here.callers.who_asks(created.tokens[turn % 2], game_id).seat)
        here.moves.play(game_id, seat, {"amount": 1}, key=key, if_match=version)
    assert counted.requests == 4


def test_a_new_game_is_two_round_trips(here: Application, counted: BadConnection) -> None:
    """The append and the listing; players are two more, all of them together: their ids, and whether they are still
    there; and who is new is two more.
    """
    new = NewGame("counter", {}, HUMANS)
    here.creation.create("a", replace(new, seats=(Seat("human", "ada"), Seat("human", "bo"))))
    for names, requests in [((), 2), (("ada", "bo"), 4), (("ada", "cy"), 6), (("cy",), 4)]:
        seats = [Seat("human", name) for name in names]
        counted.requests = 0
        here.creation.create("a", replace(new, seats=(*seats, *HUMANS)[:2]))
        assert counted.requests == requests


def test_a_new_game_with_a_key_is_a_round_trip_more(here: Application, counted: BadConnection) -> None:
    """The secret that its id follows from and, by the secret that was known, whether it is there already."""
    new = NewGame("counter", {}, HUMANS)
    for number, requests in [(1, 5), (2, 3), (2, 4)]:  # the secret is made; a new game; the same again
        counted.requests = 0
        here.creation.create("a", new, KeyedRequest(f"key-{number}", "token", {}))
        assert counted.requests == requests


def test_names_cost_no_round_trip_while_they_are_known(
    there: Application, here: Application, counted: BadConnection
) -> None:
    """A move with the view that answers it is one; names that are not known here are one more, all of them together."""
    seats = (Seat("human", "ada"), Seat("human", "bo"))
    game_id = there.creation.create("a", NewGame("counter", {}, seats)).snapshot.game_id
    here.views.snapshot(game_id)
    for turn, requests in enumerate((2, 1, 1)):
        counted.requests = 0
        played = here.moves.play(game_id, turn % 2, {"amount": 1})
        shown = here.views.game_document(played.snapshot, None)
        assert [seat["player"] for seat in shown["seats"]] == ["ada", "bo"]
        assert counted.requests == requests


def test_a_look_is_one_round_trip(there: Application, here: Application, counted: BadConnection) -> None:
    """The tail of the stream, where the game is known.

    A game that is seen for the first time is two more, its secrets and its events; so is one that moved on elsewhere,
    the refused append and the tail.
    """
    game_id = there.creation.create("a", NewGame("counter", {}, HUMANS)).snapshot.game_id
    here.moves.play(game_id, 0, {"amount": 1})
    assert counted.requests == 3
    counted.requests = 0
    here.views.snapshot(game_id)
    assert counted.requests == 1
    for seat in (1, 0):
        there.moves.play(game_id, seat, {"amount": 1})
    counted.requests = 0
    here.moves.play(game_id, 1, {"amount": 1})
    assert counted.requests == 3


def test_a_refusal_is_one_round_trip(here: Application, counted: BadConnection) -> None:
    """To be sure that it is current; with a key one more, to be sure that it is no repeat."""
    game_id = here.creation.create("a", NewGame("counter", {}, HUMANS)).snapshot.game_id
    counted.requests = 0
    assert refusal_of(here.moves.play, game_id, 1, {"amount": 1}) == "not-your-turn"
    with pytest.raises(VersionMismatch):
        here.moves.play(game_id, 0, {"amount": 1}, if_match=1)
    assert counted.requests == 2
    assert refusal_of(here.moves.play, game_id, 1, {"amount": 1}, key="k") == "not-your-turn"
    assert counted.requests == 4


def test_a_move_whose_answer_got_lost_is_answered(here: Application, counted: BadConnection) -> None:
    """Without a key as well: it is made once, and the player hears of it."""
    game_id = here.creation.create("a", NewGame("counter", {}, HUMANS)).snapshot.game_id
    counted.lose_replies = 1
    played = here.moves.play(game_id, 0, {"amount": 2, "note": "once"})
    assert [event.data for event in played.events] == [{"amount": 2, "note": "once"}]
    assert here.views.snapshot(game_id) == played.snapshot
    assert played.snapshot.version == 3


def test_a_bots_whole_turn_is_two_round_trips(here: Application, counted: BadConnection) -> None:
    """The tail since then, and one append of all that a bot without a memory does."""
    seats = (Seat("bot", bot="greedy"), Seat("human"))
    created = here.creation.create("a", NewGame(seats=seats)).snapshot
    counted.requests = 0
    played = here.bot_turns.bot_move(created.game_id, created.version)
    assert counted.requests == 2
    assert (created.status.to_act, sure(played).snapshot.status.to_act) == (0, 1)


def test_a_guest_costs_the_same_whoever_has_the_name(counted: BadConnection) -> None:
    """So that the time taken tells nothing about the app's players either.

    The game, whether whoever sits there is still there, the name (with the secret that it is found by), the player, the
    append, and whether both are still there.
    """
    guarded = application_on(link_to(counted.url, 5.0), app_keys={"a": "0" * 64})
    for name in ("ada", "eve"):
        new = NewGame("counter", {}, (Seat("human", name), Seat("open")), visibility="public")
        game_id = guarded.creation.create("a", new).snapshot.game_id
        counted.requests = 0
        after, _ = guarded.seats.take(game_id, 1, "ada", None, STRANGER)
        assert counted.requests == 6, name
        assert after.status.seats[1].player != after.status.seats[0].player
