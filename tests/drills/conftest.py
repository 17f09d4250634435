"""One short drill with a real engine, whose history all tests of the checker start from."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drills.histories import Kept
from tests.project.running import ROOT, clean_environment

HERE = Path(__file__).parent
FAULTS = "kill web worker,kill bot worker,kill store,cut connections,kill several"
LIMIT = 240.0  # seconds, on a busy machine; usually 30


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By the same worker of pytest-xdist as all other tests that start engines."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture(scope="session")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Where the history of a short drill is, and what the command said."""
    directory = tmp_path_factory.mktemp("drill") / "history"
    command = [sys.executable, "-m", "drills", "--seed", "5", "--minutes", "0.25", "--parties", "3"]
    command += ["--hold", "1", "--faults", FAULTS, "--within", "30", "--out", str(directory)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    return directory, done


@pytest.fixture
def kept(drilled: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> Kept:
    """A copy of that history, for a test to tamper with."""
    return Kept(Path(shutil.copytree(drilled[0], tmp_path / "history")))
