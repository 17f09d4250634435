"""The history of a short drill that was kept, from which all tests of the checker start."""

import tarfile
from pathlib import Path

import pytest

from tests.drills.histories import Kept
from tests.drills.record import HISTORY


@pytest.fixture(scope="session")
def recorded() -> dict[str, bytes]:
    """The files of the history, by name."""
    with tarfile.open(HISTORY) as tar:
        opened = {member.name: tar.extractfile(member) for member in tar}
        return {name: file.read() for name, file in opened.items() if file is not None}


@pytest.fixture
def kept(recorded: dict[str, bytes], tmp_path: Path) -> Kept:
    """A copy of that history, for a test to tamper with."""
    for name, content in recorded.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return Kept(tmp_path)
