"""`python -m benchmarks reached [PYTEST ARGUMENT ...]`: which lines and branches the tests reach, by package.

The tests run on the sources, in two processes; what they start is followed, too. `.coverage` then tells for each line
which tests reach it, which `python -m benchmarks.mutants --lines .coverage` takes.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage

PACKAGES: Final = ("domain", "events", "service", "workers")
SETTINGS: Final = f"""
[run]
branch = True
source = {", ".join(PACKAGES)}
data_file = {Path.cwd() / ".coverage"}
parallel = True
concurrency = thread, greenlet
patch = subprocess, _exit, execv
sigterm = True
context = ${{PYTEST_CURRENT_TEST-}}
relative_files = True
disable_warnings = no-data-collected, module-not-imported, couldnt-parse, trace-changed, already-imported, no-ctracer
"""
TESTS: Final = ("-p", "benchmarks.reached", "-n", "2", "--dist", "loadgroup", "-q", "-m", "not nightly")


def main(arguments: list[str]) -> int:
    """Run the tests and print a table; the exit status is that of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "coveragerc"
        settings.write_text(SETTINGS)
        run = [sys.executable, "-m", "coverage"]
        environment = os.environ | {"MIGRATO_COMPILED": "0", "COVERAGE_RCFILE": str(settings)}
        for old in Path.cwd().glob(".coverage*"):
            old.unlink()
        tests = subprocess.run(
            [*run, "run", "-m", "pytest", *TESTS, *arguments], env=environment, check=False
        )
        subprocess.run([*run, "combine", "--quiet"], env=environment, check=True)
        report = Path(folder) / "report.json"
        subprocess.run([*run, "json", "--quiet", "-i", "-o", report], env=environment, check=True)
        sys.stdout.write("\n".join([*table(json.loads(report.read_text())["files"]), ""]))
    return tests.returncode


def table(files: dict[str, dict[str, dict[str, int]]]) -> list[str]:
    """A row for each package."""
    rows = list[str]()
    for package in PACKAGES:
        parts = [found["summary"] for name, found in files.items() if name.startswith(f"{package}/")]
        lines, branches = (
            (sum(part[reached] for part in parts), sum(part[there] for part in parts))
            for reached, there in (("covered_lines", "num_statements"), ("covered_branches", "num_branches"))
        )
        shares = [f"{had:,} of {there:,} ({had / there:.2%})" for had, there in (lines, branches)]
        rows.append(f"| {package} | {' | '.join(shares)} |")
    return ["| package | lines | branches |", "|---|---|---|", *rows]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count what is reached as the test's own."""
    measuring = Coverage.current()
    if measuring is not None:
        measuring.switch_context(item.nodeid)
    return (yield)
