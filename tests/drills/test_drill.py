"""A short drill from start to end, by its command."""

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from drills.checker.check import check
from drills.drill import _verify
from drills.faults import cluster
from drills.faults.table import FAULTS
from drills.history import DRILL, History, games_in, read
from tests.support.running import ended
from tests.support.waiting import LIMIT

SHORT = ["kill store", "cut connections", "kill several"]
NOT_ON_EVERY_MACHINE = {"full disk", "clock forward", "clock back"}
ONE_SERVER = [name for name, fault in FAULTS.items() if fault not in cluster.FAULTS and not fault.loses]
WITHIN = 120.0  # seconds until every game goes on, on a busy machine; at rest it is 10


@pytest.mark.nightly(
    "a client is told something that is not so while the engine is hurt, as only whole drills show"
)
@pytest.mark.xdist_group("drills")
@pytest.mark.parametrize(
    ("seed", "faults", "options"),
    [
        (5, SHORT, ["--parties", "3"]),
        (
            12,
            [fault.name for fault in cluster.FAULTS],
            ["--cluster", "3", "--parties", "4", "--patience", "300"],
        ),
        (7, ONE_SERVER, ["--parties", "4"]),
    ],
    ids=["short", "cluster", "every-fault"],
)
def test_an_engine_survives_every_fault(
    tmp_path: Path, seed: int, faults: list[str], options: list[str]
) -> None:
    """Nothing is lost, doubled, leaked or stalled, all games end, and the command says so. The history holds no token
    and no secret of a seat: it may be shown to anybody.
    """
    directory = tmp_path / "history"
    command = [sys.executable, "-m", "drills", "--seed", f"{seed}", "--rounds", "1", "--hold", "1", *options]
    command += ["--faults", ",".join(faults), "--within", f"{WITHIN}", "--out", str(directory)]
    done = ended(command, seconds=3 * LIMIT)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert "nothing is lost, doubled, leaked or stalled" in done.stdout
    assert f"seed {seed}" in done.stdout
    assert orjson.loads((directory / "order.json").read_bytes())["seed"] == seed
    entries = read(directory, DRILL)
    assert {entry["when"] for entry in entries if entry["is"] == "fsck"} == {
        "beside the engine",
        "with nothing running",
    }
    struck = [entry["name"] for entry in entries if entry["is"] == "fault"]
    assert len(struck) == len(set(struck))
    assert set(struck) <= set(faults) <= {*struck, *NOT_ON_EVERY_MACHINE}
    verdict = check(directory, WITHIN)
    assert verdict.violations == []
    assert verdict.games >= int(options[options.index("--parties") + 1])
    assert verdict.moves > 10
    assert sum(fault["kills"] for fault in verdict.faults) >= 1
    for game_id in games_in(directory):
        assert f"mg_{game_id}" not in (directory / "games" / f"{game_id}.jsonl").read_text()
    drill = (directory / f"{DRILL}.jsonl").read_text()
    assert "mg_" not in drill
    assert "whsec_" not in drill


class Verifying:
    """In the place of an engine: verifies as the command says."""

    def __init__(self, *lines: dict[str, object]) -> None:
        self.lines = lines

    def command(self, *_: str) -> subprocess.CompletedProcess[str]:
        """The output of the command."""
        out = "".join(orjson.dumps(line).decode() + "\n" for line in self.lines)
        return subprocess.CompletedProcess([], 0, out, "")


def test_the_summary_of_a_verification_is_no_game(tmp_path: Path) -> None:
    """A game's own fault is told, and no line that is about all games."""
    history = History(tmp_path)
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "a.ndjson").touch()
    (tmp_path / "exports" / "b.ndjson").touch()
    games = [{"game_id": "a", "verdict": "passed"}, {"game_id": "b", "verdict": "failed"}]
    _verify(Verifying(*games, {"summary": {"games": 2}}), history, tmp_path)  # type: ignore[arg-type]
    told = [(entry["is"], entry.get("games"), entry.get("game_id")) for entry in read(tmp_path, DRILL)]
    assert told == [("verify", 2, None), ("finding", None, "b")]


def test_a_game_that_lost_its_end_has_to_go_on_from_there(tmp_path: Path) -> None:
    """A cut is no progress, and a game that nobody plays any more is not missed."""
    history = History(tmp_path)
    for game in ("cut", "over"):
        history.told(game, 10)
    since = history.now()
    history.cut("cut", 8)
    history.told("cut", 8)
    assert history.standing(since) == ["cut", "over"]
    history.over("over")
    assert history.standing(since) == ["cut"]
    history.told("cut", 9)
    assert history.standing(since) == []
