"""A short drill from start to end, by its command."""

import subprocess
from pathlib import Path

import orjson

from drills.history import DRILL, games_in, read
from tests.drills.histories import Kept


def test_an_engine_survives_a_short_drill(
    drilled: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Processes die, connections are cut: nothing is lost, doubled, leaked or stalled, and the command says so."""
    directory, done = drilled
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "nothing is lost, doubled, leaked or stalled" in done.stdout
    assert "seed 5" in done.stdout
    assert orjson.loads((directory / "order.json").read_bytes())["seed"] == 5
    assert {entry["when"] for entry in read(directory, DRILL) if entry["is"] == "fsck"} == {
        "beside the engine",
        "with nothing running",
    }


def test_both_games_or_more_are_played_by_people_and_bots(kept: Kept) -> None:
    verdict = kept.check()
    assert verdict.violations == []
    assert verdict.games >= 3
    assert verdict.moves > 10
    assert sum(fault["kills"] for fault in verdict.faults) >= 1


def test_the_history_holds_no_token_and_no_secret_of_a_seat(kept: Kept) -> None:
    """It may be shown to anybody."""
    for game_id in games_in(kept.directory):
        assert f"mg_{game_id}" not in (kept.directory / "games" / f"{game_id}.jsonl").read_text()
    drill = (kept.directory / f"{DRILL}.jsonl").read_text()
    assert "mg_" not in drill
    assert "whsec_" not in drill
