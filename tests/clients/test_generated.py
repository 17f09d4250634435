"""Generated files are what the description and the sources generate; `make check` compares what it can, too."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.node import node_modules
from tests.project.running import ROOT, clean_environment


@pytest.mark.nightly("old TypeScript, on a machine where npm's packages came after `make check`")
def test_every_generated_file_is_up_to_date() -> None:
    """Otherwise: `make clients`."""
    node_modules()
    command: list[str | Path] = [sys.executable, ROOT / "clients/generate.py", "--check"]
    done = subprocess.run(
        command, env=clean_environment({}), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
