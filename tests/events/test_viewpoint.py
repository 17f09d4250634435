"""Looks back and looks with other eyes, as use-cases; and what is kept of them."""

from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER, Caller
from events.engine.new_game import NewGame
from events.engine.viewpoint import ALL
from events.errors import Forbidden, GameNotFound, VersionBeyondEnd
from events.store import keys
from events.store.connections.client import RedisClient

GOAL = 4


def new_game(application: Application, visibility: str = "public") -> str:
    """A game of two people, two moves on; its id."""
    new = NewGame("counter", {"goal": GOAL}, (Seat("human"), Seat("human")), visibility)
    game_id = application.creation.create("app", new).snapshot.game_id
    for seat in (0, 1):
        application.moves.play(game_id, seat, {"type": "add", "amount": 1, "note": f"of {seat}"})
    return game_id


def finish(application: Application, game_id: str) -> None:
    application.moves.play(game_id, 0, {"type": "add", "amount": 3, "note": "last"})


def seat_of(game_id: str, seat: int) -> Caller:
    """The holder of the seat's token."""
    return Caller("seat", seat=seat, game_id=game_id)


@pytest.mark.parametrize("version", [None, 2, 4])
def test_other_eyes_open_with_the_end(counter: Application, version: int | None) -> None:
    """While the game runs only the own ones; when it is over, any."""
    game_id = new_game(counter)
    for caller in (STRANGER, seat_of(game_id, 0)):
        assert counter.views.look(game_id, caller, version).viewer == caller.seat
        for eyes in (0, 1, ALL):
            if eyes == caller.seat:
                assert counter.views.look(game_id, caller, version, eyes).viewer == eyes
                continue
            with pytest.raises(Forbidden):
                counter.views.look(game_id, caller, version, eyes)
    finish(counter, game_id)
    seen = [counter.views.look(game_id, STRANGER, version, eyes) for eyes in (None, 0, 1, ALL)]
    assert [(look.viewer, look.whole) for look in seen] == [
        (None, False),
        (0, False),
        (1, False),
        (None, True),
    ]
    assert len({look.label for look in seen}) == 4


def test_missing_seats_versions_and_games(counter: Application) -> None:
    """A seat, a version, a private game."""
    game_id = new_game(counter, "private")
    caller = seat_of(game_id, 0)
    with pytest.raises(DomainError, match="no seat 2; the last one is 1"):
        counter.views.look(game_id, caller, None, 2)
    for version in (0, 5):
        with pytest.raises(VersionBeyondEnd, match=f"no version {version}; its versions are 1 to 4"):
            counter.views.look(game_id, caller, version)
    with pytest.raises(GameNotFound):
        counter.views.look(game_id, Caller("app", app="another"))


def test_a_look_back_is_kept_and_still_checked(counter: Application, link: RedisClient) -> None:
    """Asked for again it costs one event; once its stream tells another story it is folded anew."""
    game_id, other = new_game(counter), new_game(counter)
    finish(counter, game_id)
    first = counter.views.look(game_id, STRANGER, 3).then
    assert counter.views.look(game_id, STRANGER, 3).then.state is first.state
    # a backup is put in place: of this game, other events are there now
    for name in (keys.stream, keys.secrets, keys.commands):
        dump: Any = link.call("DUMP", name(other))
        link.call("RESTORE", name(game_id), 0, dump, "REPLACE")
    again = counter.views.look(game_id, STRANGER, 3).then
    assert again.stream_head != first.stream_head
    assert again.secrets.seed != first.secrets.seed
