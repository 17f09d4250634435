"""Stored games of every release are refolded to what was seen when they were played."""

import json
from pathlib import Path

import pytest

from domain.lifecycle import Wire
from domain.migrato.state import INITIAL, evolve
from domain.migrato.wire import decode
from events.upcasters import upcast
from tests.golden.record import digest

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


def test_there_are_stored_games() -> None:
    """At least one for each rule book and for the extension."""
    assert len(FILES) >= 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stored_game_reads_as_it_did(path: Path) -> None:
    """Every view and the standing after every event."""
    state = INITIAL
    for number, line in enumerate(path.read_text().splitlines(), 1):
        *stored, seen = json.loads(line)
        state = evolve(state, decode(upcast("migrato", Wire(*stored))))
        assert digest(state) == seen, f"event {number}, {stored[0]}"
    assert state.result is not None
