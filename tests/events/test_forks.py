"""Forks of a whole game of bots: every step of it can be gone on from, and no version in between."""

from io import BytesIO

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.audit.verify import verify
from events.engine.access import STRANGER, Caller
from events.engine.new_game import NewGame
from events.engine.viewpoint import Viewpoint
from events.errors import WithinMove
from events.features.games.forks import WantedFork
from events.log.export import export_lines, games_in

BOTS = (Seat("bot", bot="heuristic"), Seat("bot", bot="greedy"))


@pytest.fixture
def finished(application: Application) -> str:
    """The id of a short game between bots that is over."""
    options = {"turn_limit": 24, "rules": "opla", "return_flight": True}
    game_id = application.creation.create("app", NewGame(options=options, seats=BOTS, visibility="public"))
    found = game_id.snapshot
    while found.status.to_act is not None:
        application.bot_turns.bot_move(found.game_id, found.version)
        found = application.views.snapshot(found.game_id)
    application.bot_turns.score_game(found.game_id)
    return found.game_id


def test_every_step_and_nothing_else(application: Application, finished: str) -> None:
    """The same state as in the origin, but for who plays; other versions name the steps around them."""
    current = application.views.snapshot(finished)
    steps = application.replays.page(Viewpoint(current, None, whole=True), 0, 1000)
    assert steps[-1].after.version == current.version
    forkable = {step.after.version: step.after for step in steps if step.after.status.status == "playing"}
    refused = 0
    for version in range(2, max(forkable) + 1):
        wanted = WantedFork(version, seats=BOTS)
        if version in forkable:
            created, origin = application.forks.fork(finished, STRANGER, wanted)
            there, here = created.snapshot, forkable[version]
            assert there.state._replace(setup=None) == here.state._replace(setup=None)
            assert origin == {
                "game_id": finished, "version": version, "head": here.stream_head.head,
                "resampled": False, "seat": None,
            }  # fmt: skip
            continue
        with pytest.raises(WithinMove) as refusal:
            application.forks.fork(finished, STRANGER, wanted)
        before = max(step for step in forkable if step < version)
        after = min(step.after.version for step in steps if step.after.version > version)
        assert f"version {before}, before it, or {after}, after it" in refusal.value.detail
        refused += 1
    assert refused > 20


@pytest.mark.parametrize("game", ["migrato", "migo"])
def test_the_table_learns_that_a_seat_has_forked_a_running_game(application: Application, game: str) -> None:
    """Before the seat has the fork, as of a hint: once for each state, however often it is forked."""
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
