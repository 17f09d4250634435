"""The locks on a data directory."""

import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.exits import Refusal
from service.cli.supervision.data_dir import DataDirLock

HOLD_IN_CHILD = """
import subprocess, sys
from pathlib import Path
from service.cli.supervision.data_dir import DataDirLock
lock = DataDirLock(Path(sys.argv[1]))
child = subprocess.Popen(["sleep", sys.argv[2]], pass_fds=(lock.fileno(),), stdout=subprocess.DEVNULL)
print("held", flush=True)
sys.stdin.read()
"""


def owner(data_dir: Path, child_seconds: str) -> subprocess.Popen[str]:
    """A process that holds the directory's locks, with a child that holds the inherited one for some seconds."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_IN_CHILD, str(data_dir), child_seconds],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_owner_is_refused_at_once(tmp_path: Path) -> None:
    """Another living `serve` is named and not waited for."""
    with owner(tmp_path, "0") as first:
        with pytest.raises(Refusal, match=rf"process {first.pid}.*--data-dir"):
            DataDirLock(tmp_path, patience=60)
        first.kill()


def test_the_leftovers_of_a_killed_owner_are_waited_for(tmp_path: Path) -> None:
    """The event store of a killed `serve` may finish writing before the next one opens its files."""
    with owner(tmp_path, "0.7") as first:
        first.kill()
        first.wait()
        with (tmp_path / "lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        DataDirLock(tmp_path, patience=60).release()


def test_leftovers_that_stay_are_a_refusal(tmp_path: Path) -> None:
    """A directory whose old processes do not end is not touched."""
    with owner(tmp_path, "2") as first:
        first.kill()
        first.wait()
        with pytest.raises(Refusal, match="earlier run"):
            DataDirLock(tmp_path, patience=0.2)


def test_release_lets_the_next_one_in(tmp_path: Path) -> None:
    """A clean end leaves nothing locked, and the directory is made when it is missing."""
    lock = DataDirLock(tmp_path / "new")
    with pytest.raises(Refusal, match="in use by"):
        DataDirLock(tmp_path / "new", patience=0)
    lock.release()
    DataDirLock(tmp_path / "new", patience=0).release()


def test_a_new_directory_is_its_owners(tmp_path: Path) -> None:
    """One that was there before stays as it is: it may hold other things, too."""
    before = os.umask(0o022)
    try:
        (tmp_path / "old").mkdir(mode=0o755)
        for name in ("old", "new"):
            DataDirLock(tmp_path / name).release()
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"old": 0o755, "new": 0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("*/*")} == {0o600}


def test_an_unusable_directory_is_a_refusal(tmp_path: Path) -> None:
    """A path below a file cannot be a directory; the message says so."""
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal, match="cannot be used"):
        DataDirLock(tmp_path / "file" / "dir")
