"""Metrics that several processes keep together."""

import subprocess
import sys
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from events.runtime.metrics import Place
from tests.project.running import ROOT, clean_environment

COUNTING = """
import sys
from events.runtime import metrics

metrics.FALLBACKS.labels("overran").inc()
if sys.argv[1:] == ["wait"]:
    print("counted", flush=True)
    sys.stdin.read()
"""
FORKING = """
import os
from events.runtime import metrics

counter = metrics.FALLBACKS.labels("overran")
counter.inc()
if os.fork() == 0:
    counter.inc()
    os._exit(0)
os.wait()
counter.inc()
"""
SHOWING = "from events.runtime import metrics; print(metrics.exposition().decode(), end='')"


def start(code: str, directory: Path, *arguments: str) -> subprocess.Popen[str]:
    """A process that shares the directory."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=clean_environment({"PROMETHEUS_MULTIPROC_DIR": str(directory)}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def shown(directory: Path) -> float:
    """The fallback moves that all processes together have counted."""
    with start(SHOWING, directory) as process:
        text = process.communicate(timeout=30)[0]
    families = {family.name: family for family in text_string_to_metric_families(text)}
    return sum(sample.value for sample in families["migrato_fallback_moves"].samples)


def test_any_process_shows_the_sum_of_all(tmp_path: Path) -> None:
    """Of those that live, of those that ended, and of those that took their place."""
    directory = tmp_path / "metrics"
    with start(COUNTING, directory, "wait") as one, start(COUNTING, directory, "wait") as other:
        assert one.stdout is not None
        assert other.stdout is not None
        assert [one.stdout.readline(), other.stdout.readline()] == ["counted\n"] * 2
        assert shown(directory) == 2
        one.kill()
        one.communicate()
        with start(COUNTING, directory) as successor:
            successor.communicate(timeout=30)
        assert shown(directory) == 3
        other.kill()
        other.communicate()
    assert shown(directory) == 3


def test_the_dead_leave_their_place_to_the_next(tmp_path: Path) -> None:
    """So there are never more files than processes at a time."""
    for _ in range(3):
        with start(COUNTING, tmp_path) as process:
            process.communicate(timeout=30)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.lock", "counter_0.db"]


def test_a_place_is_kept(tmp_path: Path) -> None:
    """Asked again, the same process has the same; another holder in the process has another."""
    one, other = Place(tmp_path), Place(tmp_path)
    assert (one(), other(), one(), other()) == (0, 1, 0, 1)


def test_a_fork_counts_for_itself(tmp_path: Path) -> None:
    """In files of its own: what it inherited is its parent's."""
    directory = tmp_path / "metrics"
    with start(FORKING, directory) as process:
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert shown(directory) == 3
    assert len(list(directory.glob("counter_*.db"))) == 2


THREADS = """
import sys
import threading
from events.runtime import metrics

sys.setswitchinterval(1e-6)
counter = metrics.FALLBACKS.labels("overran")
threads = [threading.Thread(target=lambda: [counter.inc() for _ in range(20_000)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_lose_no_count(tmp_path: Path) -> None:
    """Though they take no lock."""
    with start(THREADS, tmp_path) as process:
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert shown(tmp_path) == 80_000
