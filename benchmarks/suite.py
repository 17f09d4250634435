"""`python -m benchmarks suite [ARGUMENT ...]`: run the tests as `python -m tests` does; print what each folder takes.

Processor time is that of the worker of pytest and of every process below it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

TIMES: Final = "SUITE_TIMES"  # the folder where each worker writes a line for each test
TICKS: Final = os.sysconf("SC_CLK_TCK")
SLOWEST: Final = 25  # files named below the table


@dataclass(slots=True)
class Taken:
    """Figures of some tests."""

    cases: int = 0
    wall: float = 0.0  # seconds
    processor: float = 0.0  # seconds

    def add(self, wall: float, processor: float) -> None:
        """Count one more test."""
        self.cases += 1
        self.wall += wall
        self.processor += processor


def main(arguments: list[str]) -> int:
    """Run the tests and print the table; the exit status is that of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        command = [sys.executable, "-m", "tests", *arguments, "-p", "benchmarks.suite"]
        status = subprocess.run(command, env=os.environ | {TIMES: folder}, check=False).returncode
        sys.stdout.write("\n".join([*table(Path(folder), time.monotonic() - started), ""]))
    return status


def table(folder: Path, wall: float) -> list[str]:
    """Lines of Markdown: a row for each folder of tests, then the slowest files."""
    by_folder, by_file, everything = defaultdict[str, Taken](Taken), defaultdict[str, Taken](Taken), Taken()
    for test, *figures in _lines(folder):
        path = test.partition("::")[0].removeprefix("tests/")
        for taken in (by_folder[path.partition("/")[0]], by_file[path], everything):
            taken.add(*figures)
    rows = [*_sorted(by_folder), ("all", everything), *[("", None)], *_sorted(by_file)[:SLOWEST]]
    return [
        f"## Tests: {everything.cases:,} cases in {wall:,.0f} s by the clock",
        "",
        "| tests/ | cases | seconds inside tests | seconds of processor time |",
        "|---|---|---|---|",
        *(
            f"| {name} | {t.cases:,} | {t.wall:,.1f} | {t.processor:,.1f} |" if t else "| | | | |"
            for name, t in rows
        ),
    ]


def _sorted(taken: dict[str, Taken]) -> list[tuple[str, Taken]]:
    return sorted(taken.items(), key=lambda row: -row[1].processor)


def _lines(folder: Path) -> Iterator[tuple[str, float, float]]:
    for path in folder.iterdir():
        for line in path.read_text().splitlines():
            yield tuple(json.loads(line))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Write what a test took, with the fixtures that were made and ended for it."""
    wall, processor = time.monotonic(), _processor_seconds(os.getpid())
    try:
        return (yield)
    finally:
        figures = time.monotonic() - wall, max(0.0, _processor_seconds(os.getpid()) - processor)
        with (Path(os.environ[TIMES]) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps([item.nodeid, *figures]) + "\n")


def _processor_seconds(pid: int) -> float:
    """Processor time of a process, of the children it has waited for, and of all that run below it."""
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    children = [child for task in _tasks(pid) for child in _read(task / "children").split()]
    return sum(map(int, fields[11:15])) / TICKS + sum(_processor_seconds(int(child)) for child in children)


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended meanwhile
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended meanwhile
        return ""
