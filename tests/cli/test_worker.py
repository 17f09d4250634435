"""`migrato worker`."""

import sys
from pathlib import Path

from tests.support.running import ROOT, ended


def test_it_becomes_a_worker_process_of_ours(tmp_path: Path) -> None:
    """Exit code and message are the worker's own, wherever it is started, whatever lies there."""
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers" / "__main__.py").write_text("print('a stranger')")
    command = [sys.executable, "-m", "service.cli", "worker", "dispatch"]
    done = ended(command, tmp_path, {"PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: MIGRATO_REDIS_URL must be set")
