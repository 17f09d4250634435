"""Stored games of every release are refolded to what was seen when they were played, and stored as they were."""

import json
from pathlib import Path

import pytest

from domain.lifecycle import EventRecord
from domain.migo.game import MIGO
from events.log.upcasters import upcast
from tests.golden.migo.record import digest

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))
KINDS = (
    "game_created", "seat_taken", "game_started", "position_set", "round_started", "card_taken", "bottle_gained",
    "sherpa_dismissed", "card_flipped", "bottle_drunk", "round_ended", "player_resigned", "game_ended", "game_scored",
    "move_chosen", "hint_given", "seat_token_reissued",
)  # fmt: skip


def test_there_are_stored_games() -> None:
    """Of every number of seats and in every layout, with every event there is, and every reason to end."""
    games = [[json.loads(line) for line in path.read_text().splitlines()] for path in FILES]
    assert {kind for game in games for kind, *_ in game} == set(KINDS)
    assert {len(game[0][3]["seats"]) for game in games} == {2, 3, 4}
    data = [data for game in games for kind, _, _, data, _ in game if kind in ("round_started", "game_ended")]
    laid_out = {(told["layout"], len(told["cards"])) for told in data if "layout" in told}
    assert laid_out == {
        *(("ropes", 18), ("pyramid", 18), ("pyramids", 18)),
        *(("ropes", 25), ("pyramid", 25), ("pyramids", 24)),
    }
    fourth = {told["layout"] for told in data if told.get("round") == 4}
    assert fourth == {"ropes", "pyramid", "pyramids"}
    reasons = {told["reason"] for told in data if "reason" in told}
    assert reasons == {"two_flags", "round_four", "turn_limit", "resigned"}


def test_stored_games_read_as_they_did(subtests: pytest.Subtests) -> None:
    """Every view, everybody's moves and the standing after every event.

    Events are written again as they were, unless their schema is a former one: so that chains that were signed can be
    recomputed.
    """
    for path in FILES:
        with subtests.test(path.stem):
            state = MIGO.initial()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                *stored, seen = json.loads(line)
                record = EventRecord(*stored)
                event = MIGO.decode(upcast("migo", record))
                state = MIGO.evolve(state, event)
                assert digest(state) == seen, f"event {number}, {stored[0]}"
                if upcast("migo", record) is record:
                    assert json.dumps([*MIGO.encode(event).document.values()]) == json.dumps(stored)
            assert state.result is not None
            assert state.result.scored
