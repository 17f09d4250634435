"""What is generated is what the description and the sources generate."""

import subprocess
import sys
from pathlib import Path

from tests.node import node_modules
from tests.project.running import ROOT, clean_environment


def test_every_generated_file_is_up_to_date() -> None:
    """Otherwise: `make clients`."""
    node_modules()
    command: list[str | Path] = [sys.executable, ROOT / "clients/generate.py", "--check"]
    done = subprocess.run(
        command, env=clean_environment({}), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
