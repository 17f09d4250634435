"""A short drill on six servers: every fault of a cluster once, while games are played."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from drills.checker.check import check
from drills.faults import cluster
from drills.history import DRILL, read
from tests.project.running import ROOT, clean_environment

WITHIN: Final = 120.0  # seconds until every game goes on, on a busy machine; at rest it is 10
LIMIT: Final = 900.0  # seconds, on a busy machine; usually 40


def test_games_survive_every_fault_of_a_cluster(tmp_path: Path) -> None:
    """Masters die and stand still, slots move, servers come and go: nothing is lost or doubled, and all games end."""
    names = [fault.name for fault in cluster.FAULTS]
    directory = tmp_path / "history"
    command = [sys.executable, "-m", "drills", "--seed", "12", "--rounds", "1", "--faults", ",".join(names)]
    command += ["--cluster", "3", "--parties", "4", "--hold", "1", "--patience", "300"]
    command += ["--within", str(WITHIN), "--out", str(directory)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    struck = [entry["name"] for entry in read(directory, DRILL) if entry["is"] == "fault"]
    assert sorted(struck) == sorted(names)
    verdict = check(directory, WITHIN)
    assert verdict.violations == []
    assert verdict.games >= 4
    assert verdict.moves > 10
