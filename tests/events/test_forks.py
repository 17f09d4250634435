"""Forks of a whole game of bots: every step of it can be gone on from, and no version in between."""

from io import BytesIO

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.audit.verify import verify
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.features.games.forks import WantedFork
from events.log.export import export_lines, games_in


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_the_table_learns_that_a_seat_has_forked_a_running_game(application: Application, game: str) -> None:
    """An event tells of the fork before the seat gets it, as with a hint: once for each state that is forked."""
    seats = (Seat("human", "ada"), Seat("human", "bo"))
    now = application.creation.create("club", NewGame(game, {}, seats)).snapshot
    caller = Caller("seat", None, 1, now.game_id, now.secrets.tokens[1])
    for _ in range(2):
        application.forks.fork(now.game_id, caller, WantedFork(now.version, resample=True))
    after = application.views.snapshot(now.game_id)
    events = application.views._store.read(now.game_id, after=now.version)
    assert [(one.type, one.seat, one.data) for one in events] == [
        ("game_forked", 1, {"version": now.turn_version})
    ]
    assert after.game.redact(events[0].record, None) == ({"version": now.turn_version}, [])
    application.moves.play(now.game_id, 0, {"type": "resign"})
    application.bot_turns.score_game(now.game_id)
    over, whole = application.views.snapshot(now.game_id), application.views._store.read(now.game_id)
    (exported,) = games_in(BytesIO(b"".join(export_lines(over, whole))))
    assert verify(exported).wrong is None
    application.forks.fork(now.game_id, caller, WantedFork(now.version, resample=True))
    assert application.views.snapshot(now.game_id).version == over.version
