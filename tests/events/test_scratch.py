"""Directories for a while: gone with whoever made them, and swept after those who were killed."""

import os
from contextlib import suppress
from pathlib import Path

from events.runtime.scratch import Scratch
from tests.events.forking import forked, status_of

PREFIX = "for-a-while-"


def test_files_of_dead_processes_are_swept(tmp_path: Path) -> None:
    """Files of living processes stay, and so do those that only have such a name."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "seeds").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "theirs")
    (tmp_path / f"{PREFIX}file").touch()

    def die() -> None:
        (Scratch(PREFIX, tmp_path).path / "half").touch()
        os._exit(7)

    assert status_of(forked(die)) == 7
    (left,) = tmp_path.glob(f"{PREFIX}*/half")
    with Scratch(PREFIX, tmp_path) as mine:
        assert not left.parent.exists()
        with Scratch(PREFIX, tmp_path) as another:
            assert mine.is_dir()
            assert another != mine
        assert not another.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"theirs", f"{PREFIX}link", f"{PREFIX}file"}
    assert (tmp_path / "theirs" / "seeds").exists()


def test_a_directory_that_is_closed_leaves_no_file_open(tmp_path: Path) -> None:
    """A directory that is closed leaves no file open; its lock is closed, too."""
    with Scratch(PREFIX, tmp_path):
        assert len(open_below(tmp_path)) == 1
    assert open_below(tmp_path) == []


def open_below(place: Path) -> list[str]:
    """Paths below a place that this process has open."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed meanwhile
            found.append(str(one.readlink()))
    return [path for path in found if path.startswith(str(place))]
