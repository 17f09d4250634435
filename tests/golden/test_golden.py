"""Stored games of every release are refolded to what was seen when they were played."""

import json
from pathlib import Path

import pytest

from domain.lifecycle import EventRecord
from domain.migrato.game import MIGRATO
from events.log.upcasters import upcast
from tests.golden.record import digest

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


def test_there_are_stored_games() -> None:
    """For each rule book and the extension, with moves of bots and hints, and forked."""
    text = "".join(path.read_text() for path in FILES)
    assert len(FILES) >= 6
    kinds = ("move_chosen", "hint_given", "position_set", "deck_reshuffled", "seat_token_reissued")
    assert all(f'"{kind}"' in text for kind in kinds)


def test_stored_games_read_as_they_did(subtests: pytest.Subtests) -> None:
    """Every view and the standing after every event."""
    for path in FILES:
        with subtests.test(path.stem):
            state = MIGRATO.initial()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                *stored, seen = json.loads(line)
                state = MIGRATO.evolve(state, MIGRATO.decode(upcast("migrato", EventRecord(*stored))))
                assert digest(state) == seen, f"event {number}, {stored[0]}"
            assert state.result is not None
