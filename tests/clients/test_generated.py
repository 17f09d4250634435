"""Generated files are what the description and the sources generate; `make check` compares what it can, too."""

import sys
from pathlib import Path

import pytest

from tests.support.node import node_modules
from tests.support.running import ROOT, ended


@pytest.mark.nightly("old TypeScript, on a machine where npm's packages came after `make check`")
def test_every_generated_file_is_up_to_date() -> None:
    """Otherwise: `make clients`."""
    node_modules()
    command: list[str | Path] = [sys.executable, ROOT / "clients/generate.py", "--check"]
    done = ended(command)
    assert (done.returncode, done.stderr) == (0, "")
