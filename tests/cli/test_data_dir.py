"""The locks on a data directory."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from service.cli.exits import Refusal, of_system
from service.cli.store_access import store_settings
from service.cli.supervision.data_dir import DataDirLock

# Holds the directory's locks; a child holds the inherited one for as long as somebody could write to it.
OWNER = """
import subprocess, sys
from pathlib import Path
from unittest.mock import Mock
from service.cli.supervision.data_dir import DataDirLock
lock = DataDirLock(Path(sys.argv[1]))
subprocess.Popen(["cat"], stdin=int(sys.argv[2]), pass_fds=(lock.fileno(),), stdout=subprocess.DEVNULL)
print("held", flush=True)
sys.stdin.read()
"""


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    """Another living `serve` is named and not waited for; the leftovers of a killed one are waited for, up to a time.

    Its event store may finish writing before the next one opens its files.
    """
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path), str(reading)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(reading,),
    ) as first:
        os.close(reading)
        assert first.stdout is not None
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(Refusal, match=rf"process {first.pid}.*--data-dir"):
            DataDirLock(tmp_path, patience=60)
        first.kill()
        first.wait()
    with (tmp_path / "lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(DataDirLock, tmp_path, 60)
        os.close(writing)
        second.result().release()
    with (tmp_path / "lock").open() as leftover:
        fcntl.flock(leftover, fcntl.LOCK_EX)
        with pytest.raises(Refusal, match="earlier run"):
            DataDirLock(tmp_path, patience=0.05)


def test_release_lets_the_next_one_in(tmp_path: Path) -> None:
    """A clean end leaves nothing locked, and the directory is made when it is missing."""
    lock = DataDirLock(tmp_path / "new")
    with pytest.raises(Refusal, match="in use by"):
        DataDirLock(tmp_path / "new", patience=0)
    lock.release()
    DataDirLock(tmp_path / "new", patience=0).release()


def test_a_new_directory_is_its_owners(tmp_path: Path) -> None:
    """A new directory is its owner's alone; one that was there before stays as it is, as it may hold other things."""
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


def test_a_full_disk_is_not_taken_for_another_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no room for the owner's name, which is a courtesy: who needs the room says what is wrong."""
    monkeypatch.setattr("os.pwrite", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    for _ in range(2):
        DataDirLock(tmp_path).release()


def test_a_file_that_cannot_be_locked_is_named_and_nothing_stays_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network file system without locks: it is no fault of the program."""
    with monkeypatch.context() as without:
        without.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
        with pytest.raises(OSError, match="No locks available") as failure:
            DataDirLock(tmp_path)
    refusal = of_system(failure.value)
    assert refusal is not None
    assert (refusal.exit_code, refusal.message) == (2, f"{tmp_path / 'owner'}: No locks available.")
    DataDirLock(tmp_path).release()


def test_an_engine_whose_disk_is_full_has_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command beside it is told so, and not only to stop an engine that seems to be in its way."""
    (tmp_path / "redis").mkdir()
    (tmp_path / "redis" / "redis.log").write_text("# Can't recover from AOF write error\n")
    monkeypatch.setenv("MIGRATO_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("events.runtime.embedded.hardly_any_room", lambda _: True)
    lock = DataDirLock(tmp_path)
    with pytest.raises(Refusal) as refused, store_settings():
        pass
    lock.release()
    assert refused.value.message.startswith(f"There is hardly any room left on the disk of {tmp_path}.")
    assert "AOF write error" in refused.value.message
