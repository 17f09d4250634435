"""Metrics that several processes keep together."""

import subprocess
import sys
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from events.runtime.metrics import Place
from tests.support.running import ROOT, clean_environment
from tests.support.sure import sure
from tests.support.waiting import LIMIT

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
import sys
import threading
from events.runtime import metrics

sys.setswitchinterval(1e-6)
counter = metrics.FALLBACKS.labels("overran")
counter.inc()
if os.fork() == 0:
    counter.inc()
    os._exit(0)
os.wait()
threads = [threading.Thread(target=lambda: [counter.inc() for _ in range(20_000)]) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
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
        text = process.communicate(timeout=LIMIT)[0]
    families = {family.name: family for family in text_string_to_metric_families(text)}
    return sum(sample.value for sample in families["migrato_fallback_moves"].samples)


def test_any_process_shows_the_sum_of_all(tmp_path: Path) -> None:
    """Of those that live and of those that ended; the dead leave their place, and so their file, to the next."""
    directory = tmp_path / "metrics"
    with start(COUNTING, directory, "wait") as one, start(COUNTING, directory, "wait") as other:
        assert [sure(one.stdout).readline(), sure(other.stdout).readline()] == ["counted\n"] * 2
        assert shown(directory) == 2
        one.kill()
        one.communicate()
        with start(COUNTING, directory) as successor:
            successor.communicate(timeout=LIMIT)
        other.kill()
        other.communicate()
    assert shown(directory) == 3
    assert sorted(path.name for path in directory.glob("counter_*")) == ["counter_0.db", "counter_1.db"]


def test_a_place_is_kept(tmp_path: Path) -> None:
    """A process that asks again keeps its place; another holder in the same process has another place."""
    one, other = Place(tmp_path), Place(tmp_path)
    assert (one(), other(), one(), other()) == (0, 1, 0, 1)


def test_forks_and_threads_lose_no_count(tmp_path: Path) -> None:
    """A fork counts in files of its own, for what it inherited is its parent's; threads take no lock."""
    directory = tmp_path / "metrics"
    with start(FORKING, directory) as process:
        process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert shown(directory) == 80_002
    assert len(list(directory.glob("counter_*.db"))) == 2
