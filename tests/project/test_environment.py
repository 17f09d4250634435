"""The environment: one make at a time changes it, and uv fills it, or pip."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import ROOT
from tests.support.waiting import until

LOCKED = ROOT / "requirements/locked.py"
INSTALL = ROOT / "requirements/install.py"


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
    """Each target of make that changes the environment holds its lock."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", "")
    recipes = re.findall(r"^\$\(VENV\)/\S+:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert len(recipes) == 5
    assert [recipe for recipe in recipes if recipe.count("\n") != 1 or "$(LOCKED) $@ $^" not in recipe] == []


FAKE = """#!{python}
import os, sys
from pathlib import Path

here, arguments = Path({here!r}), sys.argv[1:]
with (here / "log").open("a") as log:
    log.write(f"{{Path(sys.argv[0]).parent.name}}: {{' '.join(arguments)}}; {{os.environ.get('UV_DEFAULT_INDEX')}}\\n")
if "config" in arguments:
    print("global.index-url='https://mirror.example/simple'\\n:env:.find-links='/a /b'")
sys.exit(({failing!r} in " ".join(arguments)) * 3)
"""


@pytest.mark.parametrize(
    ("failing", "installers"),
    [
        ("nothing", ["bin"]),
        ("pip install --quiet", ["bin", "pip"]),
        ("uv.txt", ["pip"]),
        ("install", ["bin", "pip"]),
    ],
)
def test_uv_installs_and_pip_where_uv_cannot(tmp_path: Path, failing: str, installers: list[str]) -> None:
    """uv gets the index that pip is configured for; what both refuse fails."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = tmp_path / "bin/python"
    fake = FAKE.format(python=python, here=str(tmp_path), failing=failing)
    package = next(tmp_path.glob("lib/python3*/site-packages")) / "pip"
    package.mkdir()
    (package / "__main__.py").write_text(fake)
    if failing != "uv.txt":
        (tmp_path / "bin/uv").write_text(fake)
        (tmp_path / "bin/uv").chmod(0o755)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    done = subprocess.run(
        [python, INSTALL, "--require-hashes", "-r", "lock"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in (tmp_path / "log").read_text().splitlines() if line.count("-r lock")]
    assert [line.partition(":")[0] for line in lines] == installers
    assert done.returncode == (3 if failing == "install" else 0)
    assert ("so pip tries" in done.stderr) == (installers == ["bin", "pip"])
    assert all("https://mirror.example/simple" in line for line in lines if line.startswith("bin"))
