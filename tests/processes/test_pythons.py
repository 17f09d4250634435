"""Later versions of Python: what is compiled for 3.11 compiles there too, and says the same."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.processes.conftest import NewEngine
from tests.support.players import Player, bots_game, is_settled
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import LIMIT, until

VERSIONS = ("3.12", "3.13")
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
LOCKS = ("-r", "requirements/build.txt", "-r", "requirements/runtime.txt")


def interpreter(version: str) -> str:
    """Python of that version, on the PATH or of pyenv; the test is skipped without one."""
    of_pyenv = sorted(PYENV.glob(f"versions/{version}.*/bin/python"))
    found = str(of_pyenv[-1]) if of_pyenv else shutil.which(f"python{version}")
    if found is None:
        pytest.skip(f"there is no Python {version}, neither on the PATH nor of pyenv")
    return found


def told(*command: str | Path) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(
        command, cwd=ROOT, env=clean_environment({}), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.nightly(
    "a version of Python on which the engine does not compile, or compiles to something else"
)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_later_python_runs_it_compiled(
    version: str, tmp_path: Path, new_engine: NewEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later Python installs the same lock files, and gives the same legal moves, events, views and bots' moves."""
    python = tmp_path / "venv/bin/python"
    told(interpreter(version), "-m", "venv", tmp_path / "venv")
    told(python, "requirements/install.py", "--require-hashes", *LOCKS)
    assert told(python, "-m", "compiled").startswith(str(tmp_path))
    there, here = (
        json.loads(told(one, "-m", "tests.domain.checksum", "0.05")) for one in (python, sys.executable)
    )
    assert there["domain"] == "compiled"
    assert there["said"] == here["said"]
    monkeypatch.setattr(sys, "executable", str(python))
    engine = new_engine("data", "--ephemeral").start()
    game = bots_game(Player(engine.url), turns=10)
    until(lambda: is_settled(Player(engine.url).view(game)))
    assert requests.get(f"{engine.url}/healthz", timeout=LIMIT).json()["domain"] == "compiled"
