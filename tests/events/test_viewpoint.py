"""Looks back and looks with other eyes, as use-cases; and what is kept of them."""

from typing import Any

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import STRANGER
from events.engine.new_game import NewGame
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
