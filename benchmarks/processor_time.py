"""The processor time of a service by what its processes are for, as the kernel counts it (user and system)."""

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")  # of /proc/PID/stat, in a second
CLIENT = "client"
THINKER = "workers think"  # in a command line
ROLES = (  # what a process is for, by a piece of its command line; the first that fits
    ("gunicorn", "web workers"),
    ("/data/redis/", "event store"),
    ("valkey-server", "job queue"),
    ("workers dispatch", "dispatcher"),
    ("workers work", "scoring"),
    ("workers ", "idle workers"),
    ("service.cli serve", "supervisor"),
)

Seconds = dict[str, float]


def processor_seconds(ancestor: int | None = None) -> Seconds:
    """The seconds used so far by the processes that this one started, by role, and by this one, which is the client.

    With `ancestor`, of those that it started only.
    """
    used = defaultdict[str, float](float)
    parents, seconds = _processes()
    used[CLIENT] = seconds.pop(os.getpid())
    for pid in seconds:
        if _descends(pid, parents, ancestor or os.getpid()):
            used[_role(pid)] += seconds[pid]
    return used


def seconds_of_thinkers(ancestor: int) -> Mapping[int, float]:
    """Processor seconds of each thinker of a service so far, by process."""
    parents, seconds = _processes()
    return {
        pid: used
        for pid, used in seconds.items()
        if _descends(pid, parents, ancestor) and THINKER in _command(pid)
    }


def microseconds_each(before: Seconds, after: Seconds, count: int) -> dict[str, float]:
    """Processor time of every role for each of `count` things between two readings, in microseconds."""
    return {role: 1e6 * (seconds - before.get(role, 0.0)) / count for role, seconds in after.items()}


def _processes() -> tuple[dict[int, int], dict[int, float]]:
    """Of every process its parent and its seconds."""
    parents, seconds = dict[int, int](), dict[int, float]()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(folder.name)] = int(fields[1])
        seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / TICKS
    return parents, seconds


def _descends(pid: int, parents: dict[int, int], ancestor: int) -> bool:
    while pid and pid != ancestor:
        pid = parents.get(pid, 0)
    return bool(pid)


def _role(pid: int) -> str:
    command = _command(pid)
    return next((role for piece, role in ROLES if piece in command), "other")


def _command(pid: int) -> str:
    """The command line; "" once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
