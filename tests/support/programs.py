"""Programs that a machine need not have; Debian has them."""

import shutil
from pathlib import Path
from typing import Final

import pytest

ABSENT: Final = "is not on this machine: apt-get install"


def program(name: str, package: str) -> str:
    """The path of a program; without it the test is skipped, and the run counts that at its end."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} {ABSENT} {package}")
    return found


def library(path: Path, package: str) -> Path:
    """A folder that a package of Debian installs; without it the test is skipped, and so counted."""
    if not path.is_dir():
        pytest.skip(f"{path} {ABSENT} {package}")
    return path
