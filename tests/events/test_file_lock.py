"""Locks on files: one holder, who may be a child, and who lets go by dying."""

import stat
import subprocess
import threading
from pathlib import Path

import pytest

from events.runtime.file_lock import FileLock
from tests.support.waiting import LIMIT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_there_is_one_holder_at_a_time(path: Path) -> None:
    """Another one is refused, waits as long as it is told, or in a `with` for as long as it takes."""
    holder, other = FileLock(path), FileLock(path)
    assert holder.acquire()
    assert not other.acquire()
    assert not other.acquire(patience=0.05)
    threading.Timer(0.1, holder.release).start()
    assert other.acquire(patience=LIMIT)
    threading.Timer(0.1, other.release).start()
    with FileLock(path):
        assert not FileLock(path).acquire()
    assert FileLock(path).acquire()


def test_a_child_that_inherited_the_lock_holds_it_until_it_is_killed(path: Path) -> None:
    holder, other = FileLock(path), FileLock(path)
    holder.acquire()
    with subprocess.Popen(["sleep", "60"], pass_fds=[holder.fileno()]) as child:
        holder.release()
        assert not other.acquire()
        child.kill()
    assert other.acquire()


def test_the_file_is_its_owners_and_keeps_what_stands_in_it(path: Path) -> None:
    """A lock's file belongs to its owner, and keeps its text, such as the holder of a data directory."""
    path.write_bytes(b"41\n")
    FileLock(path).acquire()

    assert path.read_bytes() == b"41\n"
    FileLock(path.with_name("new")).acquire()
    assert stat.S_IMODE(path.with_name("new").stat().st_mode) == 0o600
