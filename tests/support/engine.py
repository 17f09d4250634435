"""A real engine under test: `migrato serve` with everything it starts, and ways to hurt it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from drills.engine import QUEUE, READY, STORE, kind_of, parents
from drills.ports import free_port
from tests.support.running import ROOT, as_a_child, clean_environment
from tests.support.waiting import LIMIT, until

Json = dict[str, Any]

FEW = {
    "MIGRATO_WEB_WORKERS": "1",
    "MIGRATO_THINK_WORKERS": "0",
    "MIGRATO_REMOTE_WORKERS": "0",
    "MIGRATO_WEBHOOK_WORKERS": "0",
}  # the fewest processes that can play games of bots, as each takes its time to start
ALL = {**dict.fromkeys(FEW, "1"), "MIGRATO_WEB_WORKERS": "2"}


class Engine:
    """One `migrato serve` on a port and a data directory of its own."""

    def __init__(self, data_dir: Path, *options: str, **environ: str) -> None:
        """`options`: further options of `migrato serve`; `environ`: its settings."""
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data_dir.with_suffix(".log")
        self._options = options
        self._environ = environ
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Engine":
        """Start it and wait until it is ready."""
        command = [sys.executable, "-m", "service.cli", "serve", *self._options]
        command += ["--port", str(self.port), "--data-dir", str(self.data_dir)]
        announced = self._announcements()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=clean_environment(self._environ),
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
            )
        until(lambda: self._announcements() > announced or self._has_ended(), otherwise=self.tail)
        assert not self._has_ended(), self.tail()
        return self

    def _has_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None

    def tail(self) -> str:
        """The end of the log."""
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def _announcements(self) -> int:
        """The times that it has said that it is ready; asking /readyz might reach what is left of a killed one."""
        return self.log.read_text(errors="replace").count(READY) if self.log.exists() else 0

    @property
    def pid(self) -> int:
        """The supervisor's process."""
        assert self._process is not None
        return self._process.pid

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to stop; its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(LIMIT)

    def end(self) -> None:
        """Make sure that nothing of it is left; for the end of a test."""
        if self._process is not None and self._process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.kill_supervisor()

    def kill_supervisor(self) -> None:
        """SIGKILL: no chance to say anything to anybody."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def processes(self) -> dict[int, str]:
        """Every process below the supervisor, with its kind."""
        children: dict[int, list[int]] = {}
        for pid, parent in parents():
            children.setdefault(parent, []).append(pid)
        found: dict[int, str] = {}
        for pid in children.get(self.pid, []):
            found[pid] = _kind(pid)
            found.update(dict.fromkeys(children.get(pid, []), "web worker"))
        return found

    def kill(self, kind: str) -> int:
        """SIGKILL one process of that kind, and wait until it is gone; which one it was."""
        pid = self.signal(kind, signal.SIGKILL)
        until(lambda: not is_alive(pid))
        return pid

    def signal(self, kind: str, number: signal.Signals) -> int:
        """Send a signal to one process of that kind; which one it was."""
        pid = next(pid for pid, found in sorted(self.processes().items()) if found == kind)
        os.kill(pid, number)
        return pid


SERVERS: Final = {"data/redis/redis.sock": STORE, "unixsocket": QUEUE}


def _kind(pid: int) -> str:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return "gone"
    server = next((kind for words, kind in SERVERS.items() if words in line), None)
    return server or kind_of(line) or f"unknown: {line}"


def is_alive(pid: int) -> bool:
    """True if the process runs (a zombie does not)."""
    return pid in dict(parents())
