"""Several makes in one directory do not destroy each other's environment."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.running import ROOT
from tests.support.waiting import until

LOCKED = ROOT / "requirements/locked.py"


def changing(directory: Path, command: str) -> subprocess.Popen[str]:
    """A make that finds the environment too old."""
    arguments = [sys.executable, str(LOCKED), "made", "lock", "--", command]
    return subprocess.Popen(arguments, cwd=directory, stderr=subprocess.PIPE, text=True)


def test_one_make_at_a_time_changes_the_environment(tmp_path: Path) -> None:
    """The other one waits, and finds it done; one that failed leaves it to the next, and so does one that is old."""
    (tmp_path / "lock").touch()
    os.mkfifo(tmp_path / "go")
    with changing(tmp_path, "touch begun; read line < go; echo first >> made") as first:
        until((tmp_path / "begun").exists)
        with changing(tmp_path, "echo second >> made") as second:
            assert second.stderr is not None
            assert "waiting" in second.stderr.readline()
            (tmp_path / "go").write_text("on\n")
    assert (first.returncode, second.returncode) == (0, 0)
    assert (tmp_path / "made").read_text() == "first\n"
    os.utime(tmp_path / "lock", (2**32, 2**32))
    for command, code, holds in (("exit 3", 3, "first\n"), ("echo third > made", 0, "third\n")):
        with changing(tmp_path, command) as process:
            pass
        assert (process.returncode, (tmp_path / "made").read_text()) == (code, holds)


def test_every_change_of_the_environment_is_locked() -> None:
    """Each of make's targets in it."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", "")
    recipes = re.findall(r"^\$\(VENV\)/\S+:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert len(recipes) == 4
    assert [recipe for recipe in recipes if recipe.count("\n") != 1 or "$(LOCKED) $@ $^" not in recipe] == []
