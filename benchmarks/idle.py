"""Wake-ups a second and memory of an engine that runs, by process: what it takes while it has nothing to do."""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
SECONDS: Final = 20
WAKES: Final = "voluntary_ctxt_switches:"  # a thread waits, which ends by a wake-up
SHOWN: Final = 80  # characters of a command line


def tree(root: int) -> list[int]:
    """Process ids of a process and all its descendants."""
    children = defaultdict[int, list[int]](list)
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            children[int(stat.read_text().rpartition(")")[2].split()[1])].append(int(stat.parent.name))
        except OSError:
            continue  # it has just ended
    found = [root]
    for pid in found:
        found += children[pid]
    return found


def wakes(pids: list[int]) -> Mapping[int, int]:
    """Times that the threads of each process have waited so far."""
    return {pid: sum(_waits(PROC / str(pid) / "task")) for pid in pids}


def _waits(threads: Path) -> Iterator[int]:
    for status in threads.glob("*/status"):
        yield next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(WAKES))


def megabytes(pid: int) -> float:
    """Memory of a process in MB (PSS): what several share counts once in all."""
    lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def main(arguments: list[str]) -> int:
    """`python -m benchmarks idle PID [SECONDS]`: of `migrato serve`, which nobody may ask anything meanwhile."""
    if not 1 <= len(arguments) <= 2 or not all(map(str.isdecimal, arguments)):
        sys.stderr.write(f"{main.__doc__}\n")
        return 2
    root, seconds = int(arguments[0]), int(arguments[1]) if arguments[1:] else SECONDS
    pids = tree(root)
    before, began = wakes(pids), time.monotonic()
    time.sleep(seconds)
    after, lasted = wakes(pids), time.monotonic() - began
    rows = [(pid, (after[pid] - before[pid]) / lasted, megabytes(pid)) for pid in pids]
    sys.stdout.write("| process | wake-ups a second | MB (PSS) |\n|---|---|---|\n")
    for pid, often, size in rows:
        command = (PROC / str(pid) / "cmdline").read_text().replace("\0", " ")[:SHOWN].strip()
        sys.stdout.write(f"| {command} | {often:.1f} | {size:.0f} |\n")
    sys.stdout.write(f"| **all** | {sum(row[1] for row in rows):.1f} | {sum(row[2] for row in rows):.0f} |\n")
    return 0
