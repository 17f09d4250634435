"""`migrato worker`."""

import subprocess
import sys
from pathlib import Path

from tests.project.running import ROOT, clean_environment


def test_it_becomes_a_worker_process_of_ours(tmp_path: Path) -> None:
    """Exit code and message are the worker's own, wherever it is started, whatever lies there."""
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers" / "__main__.py").write_text("print('a stranger')")
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "worker", "dispatch"],
        cwd=tmp_path,
        env=clean_environment({"PYTHONPATH": str(ROOT)}),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: MIGRATO_REDIS_URL must be set")
