"""The engine that a drill hurts: `migrato serve` with every process that it starts, as an operator runs it."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from drills.ports import free_port

ROOT: Final = Path(__file__).parents[1]
PR_SET_PDEATHSIG: Final = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
START_SECONDS: Final = 90.0
STOP_SECONDS: Final = 30.0
READY: Final = "is ready: http"  # what `migrato serve` says once

# What a process is, by words of its command line; `STORE` and `QUEUE` are told apart by their sockets.
KINDS: Final = {
    "nursery\0plain": "nursery",
    "nursery\0greenlets": "nursery of greenlets",
    "gunicorn": "web",
    "workers\0dispatch": "dispatcher",
    "workers\0work": "bot worker",
    "workers\0think": "thinker",
    "workers\0remote": "remote worker",
    "workers\0webhooks": "webhook worker",
    "workers\0archive": "archiver",
}
BACKGROUND: Final = "background worker"  # in several of these roles
STORE, QUEUE, SUPERVISOR = "store", "queue", "supervisor"


class EngineFailed(Exception):
    """The engine did not start, or not end, in time; the message shows the end of its log."""


class Engine:
    """One `migrato serve` on a free port, over a data directory and a log."""

    def __init__(self, data_dir: Path, log: Path, settings: Mapping[str, str], sources: Path = ROOT) -> None:
        """`settings`: by the names of their variables; they may be changed between a stop and a start. `sources`: the
        checkout that it runs.
        """
        self.sources = sources
        self.data_dir = data_dir
        self.settings = dict(settings)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Environment of the engine's commands."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("MIGRATO_")}
        return {**ours, **self.settings, "MIGRATO_DATA_DIR": str(self.data_dir)}

    def start(self) -> None:
        """Start it and wait until it is ready. Raises EngineFailed."""
        before = self._times_ready()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "serve", "--port", str(self.port)],
                cwd=self.sources,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 (one system call)
            )
        deadline = time.monotonic() + START_SECONDS
        while self._times_ready() == before:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise EngineFailed(f"the engine does not start:\n{self.tail()}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask it to end, and wait until it has. Raises EngineFailed."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise EngineFailed(f"the engine does not end:\n{self.tail()}") from None

    def kill(self) -> int:
        """SIGKILL to the supervisor, and wait until all that it had started is gone; how many processes it was."""
        assert self._process is not None
        below = self.processes()
        self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + STOP_SECONDS
        while set(below) & {pid for pid, _ in parents()}:
            if time.monotonic() > deadline:
                raise EngineFailed(f"processes outlive their supervisor:\n{self.tail()}")
            time.sleep(0.02)
        return 1 + len(below)

    def end(self) -> None:
        """Make sure that nothing of it is left."""
        if self._process is not None and self._process.poll() is None:
            try:
                self.stop()
            except EngineFailed:
                self.kill()

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`migrato` with these arguments, beside the engine, as an operator runs it; what it said."""
        command = [sys.executable, "-m", "service.cli", *arguments]
        environment = {**self.environment, "LD_PRELOAD": ""}
        return subprocess.run(
            command, cwd=self.sources, env=environment, capture_output=True, text=True, check=False
        )

    def tail(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace")[-4000:] if self._log.exists() else ""

    def processes(self) -> dict[int, str]:
        """Every process below the supervisor, with its kind."""
        assert self._process is not None
        children: dict[int, list[int]] = {}
        for pid, parent in parents():
            children.setdefault(parent, []).append(pid)
        found: dict[int, str] = {}
        for pid in children.get(self._process.pid, []):
            kind = self._kind(pid)
            if kind is not None:
                found[pid] = kind
                found.update(dict.fromkeys(children.get(pid, []) if kind == "web" else [], "web worker"))
        return found

    def pid_of(self, kind: str) -> int | None:
        """A process of this kind; None while there is none."""
        return next((pid for pid, found in sorted(self.processes().items()) if found == kind), None)

    @property
    def socket(self) -> Path:
        """Address of the embedded store."""
        return self.data_dir / "redis" / "redis.sock"

    @property
    def append_only_file(self) -> Path:
        """The file that the store is writing to."""
        files = (self.data_dir / "redis" / "appendonlydir").glob("*.incr.aof")
        return max(files, key=lambda file: int(file.name.split(".")[-3]))

    def rotate_signing_key(self) -> str:
        """Make a new key that signs from now on; its id."""
        done = self.command("signing-key", "--rotate")
        if done.returncode:
            raise EngineFailed(f"no new signing key: {done.stderr}")
        return str(json.loads(done.stdout)["kid"])

    def _times_ready(self) -> int:
        """The times that it has said that it is ready; /readyz may be answered by what is left of a killed one."""
        return self._log.read_text(errors="replace").count(READY) if self._log.exists() else 0

    def _kind(self, pid: int) -> str | None:
        try:
            line = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:  # it is gone
            return None
        if "unixsocket" in line:
            return STORE if str(self.socket) in line else QUEUE
        return kind_of(line)


def kind_of(line: str) -> str | None:
    """The kind of a process of ours, by its command line; None for any other."""
    if "\0" in line.rstrip("\0").partition("\0workers\0")[2]:
        return BACKGROUND
    return next((kind for words, kind in KINDS.items() if words in line), None)


def _end_with_parent() -> None:
    """Ask for SIGTERM when the drill dies, however that dies (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def parents() -> Iterator[tuple[int, int]]:
    """Every process that runs, with its parent."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it ended just now
            continue
        if state != "Z":
            yield int(stat.parent.name), int(parent)
