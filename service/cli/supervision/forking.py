"""Roles forked from nurseries, and the supervisor that has such processes for children."""

import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from service.cli.supervision.child_process import ChildProcess, Program, Running

PR_SET_CHILD_SUBREAPER: Final = 36
ANSWER_SECONDS: Final = 5.0  # in which a nursery that is ready has to fork
GO: Final = b"!"


def adopt_orphans() -> bool:
    """Make this process the parent of all orphans below it; False if the system cannot (it is not Linux)."""
    return sys.platform == "linux" and not ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_strangers(ours: Collection[int | None]) -> None:
    """Reap adopted children that have ended; stop at one of `ours`, whose exit code somebody else reads."""
    with suppress(ChildProcessError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid in ours:
                return
            os.waitpid(ended.si_pid, os.WNOHANG)


class Forked:
    """A child process that a nursery has forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Exit code, or the number of the signal that killed the process, negative; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


class Nursery(ChildProcess):
    """A process that has imported what roles of a kind need, and forks them."""

    _requests: socket.socket | None = None

    def fork(self, program: Program, output: int, heartbeat: int) -> Running | None:
        """The program's process; None if the nursery is not there for it, or does not answer, and so is killed."""
        if not self.ready or self._requests is None:
            return None
        module = program.command.index("-m") + 1
        request = {
            "arguments": program.command[module:],
            "environ": dict(program.environ),
            "orphan_signal": int(program.orphan_signal),
            "parent": os.getpid(),
        }
        reading, writing = os.pipe()
        try:
            socket.send_fds(self._requests, [json.dumps(request).encode()], [output, heartbeat, reading])
            pid = int(self._requests.recv(32))
            os.write(writing, GO)
        except (OSError, ValueError):
            self._kill()
            return None
        finally:
            os.close(reading)
            os.close(writing)  # without leave it ends
        return Forked(pid)

    def _executed(self, output: int, heartbeat: int, requests: int = -1) -> Running:
        if self._requests is not None:
            self._requests.close()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests.settimeout(ANSWER_SECONDS)
        with theirs:
            return super()._executed(output, heartbeat, theirs.fileno())
