"""Supervised processes: they die with their parent, their output goes into the log, and they can come back."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from events.runtime.embedded import die_with_parent
from events.runtime.heartbeat import READY, VARIABLE
from service.cli.supervision.heartbeat_watch import HeartbeatWatch
from service.cli.supervision.merged_log import Lines, MergedLog

FIRST_DELAY = 0.1  # seconds before a restart, at the least
# Seconds from one start to the next of what keeps dying young; doubled each time, up to this.
LONGEST_DELAY = 5.0
SETTLED = 10.0  # a process that lived so long was well: its next restart is a first one again
WRONG_SETTINGS = 2  # the exit code of a process of ours that will never do as it is configured

HEARTBEATS_READ = 65_536  # bytes: as many as a pipe holds, when nobody has listened for long


@dataclass(frozen=True, slots=True)
class Exit:
    """End of a process; `hopeless` if it would do so again."""

    words: str
    hopeless: bool = False


class SupervisedProcess(ABC):
    """A process under supervision: the common part of all kinds, with the log and the growing delay of restarts."""

    def __init__(
        self, name: str, log: MergedLog, patience: float = 5.0, heartbeat_limit: float | None = None
    ) -> None:
        """`patience`: seconds from being asked to stop to being killed.

        `heartbeat_limit`: seconds without a sign of life after which it hangs; None for a process that gives no signs.
        """
        self.name = name
        self.patience = patience
        self._log = log
        self._output: int | None = None
        self._lines = Lines()
        self._delay = FIRST_DELAY
        self._started_at = 0.0
        self._restart_at: float | None = None
        self._watch = None if heartbeat_limit is None else HeartbeatWatch(heartbeat_limit)

    @property
    def output(self) -> int | None:
        """The descriptor from which the log reads what the running process writes."""
        return self._output

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """The running process's id."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """True if there is a process that has not been found dead yet."""

    @abstractmethod
    def ended(self) -> Exit | None:
        """End of the process, if it came since the last call."""

    @abstractmethod
    def _has_beaten(self) -> bool:
        """True if the running process has given a sign of life since the last call."""

    @abstractmethod
    def _start(self) -> None:
        """Start the process."""

    @abstractmethod
    def _ask_to_stop(self) -> None:
        """Ask a running process to end."""

    @abstractmethod
    def _kill(self) -> None:
        """End a running process at once."""

    def start(self) -> None:
        """Start the process."""
        self._restart_at = None
        self._started_at = time.monotonic()
        self._start()
        if self._watch is not None:
            self._watch.started()

    def hangs(self, seconds: float) -> bool:
        """Listen to the process, `seconds` after the last time; whether it has been silent for too long."""
        if self._watch is None or not self.running:
            return False
        if self._has_beaten():
            self._watch.beat()
            return False
        return self._watch.missed(seconds)

    def restart_later(self) -> float:
        """Plan a restart; the seconds until then, which grow while the process keeps dying young.

        The time that it lived counts, because the delay is between starts.
        """
        now = time.monotonic()
        lived = now - self._started_at
        if lived > SETTLED:
            self._delay = FIRST_DELAY
        delay = max(FIRST_DELAY, self._delay - lived)
        self._delay = min(2 * self._delay, LONGEST_DELAY)
        self._restart_at = now + delay
        return delay

    def restart_if_due(self) -> bool:
        """Start again if a restart is planned for now or earlier; whether it was."""
        if self._restart_at is None or time.monotonic() < self._restart_at:
            return False
        self.start()
        return True

    def ask_to_stop(self) -> None:
        """Ask the process to end, and plan no restart."""
        self._restart_at = None
        if self.running:
            self._ask_to_stop()

    def kill(self) -> None:
        """End the process at once, and plan no restart."""
        self._restart_at = None
        if self.running:
            self._kill()

    def copy_output(self) -> bool:
        """Move what the process has written since the last call into the log; False at the end of it."""
        while self._output is not None:
            try:
                data = os.read(self._output, 65536)
            except BlockingIOError:
                return True
            self._log.lines(self.name, self._told(self._lines.feed(data)))
            if not data:
                break
        return False

    def _told(self, lines: list[str]) -> list[str]:
        """The lines of the process as the log tells them."""
        return lines

    def _pipe(self) -> int:
        """A new way into the log; its writing end."""
        self._lines = Lines()
        self._output, writing = os.pipe()
        os.set_blocking(self._output, False)
        return writing


@dataclass(frozen=True, slots=True)
class Program:
    """Program that runs under a name.

    `orphan_signal` is the signal that the kernel sends it when its parent dies suddenly, `hopeless` are the exit codes
    after which another start would end the same way. `heartbeat_limit` is for programs that send signs of life
    (`events.runtime.heartbeat`): the seconds without one after which the program hangs.
    """

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    cwd: str
    orphan_signal: signal.Signals = signal.SIGKILL
    patience: float = 5.0
    heartbeat_limit: float | None = None
    hopeless: frozenset[int] = frozenset({WRONG_SETTINGS})


class Running(Protocol):
    """A child process, as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int:
        """The process's id."""

    def poll(self) -> int | None:
        """Exit code, or the number of the signal that killed the process, negative; None while it runs."""

    def terminate(self) -> None:
        """Send SIGTERM."""


class ChildProcess(SupervisedProcess):
    """A program and the process that runs it now, which leads a process group of its own."""

    def __init__(
        self,
        program: Program,
        log: MergedLog,
        inherited: tuple[int, ...] = (),
        forking: Callable[[Program, int, int], Running | None] = lambda *_: None,
    ) -> None:
        """`inherited`: descriptors that the process keeps open.

        `forking` may fork the process from one that has imported all (see `nursery`); None where that cannot be.
        """
        super().__init__(program.name, log, program.patience, program.heartbeat_limit)
        self._program = program
        self._inherited = inherited
        self._forking = forking
        self._heartbeat: int | None = None
        self._is_ready = False
        self._process: Running | None = None

    @property
    def running(self) -> bool:
        """True if there is a process that has not been found dead yet."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """The process's id."""
        return self._process.pid if self._process else None

    @property
    def ready(self) -> bool:
        """True if the running process has said that it does its work."""
        if self._heartbeat is not None and self._has_beaten() and self._watch is not None:
            self._watch.beat()
        return self._is_ready

    def ended(self) -> Exit | None:
        """End of the process, if it came since the last call; its whole group is killed then."""
        process = self._process
        code = process.poll() if process else None
        if process is None or code is None:
            return None
        self._kill()  # children of the dead process must not keep its port or its files
        self.copy_output()
        if self._output is not None:
            os.close(self._output)
        if self._heartbeat is not None:
            os.close(self._heartbeat)
        self._process = self._output = self._heartbeat = None
        self._is_ready = False
        return Exit(describe_exit(code), hopeless=code in self._program.hopeless)

    def _start(self) -> None:
        program = self._program
        writing = self._pipe()
        self._is_ready = False
        self._heartbeat, beating = os.pipe()
        for descriptor in (self._heartbeat, beating):
            os.set_blocking(descriptor, False)
        self._process = self._forking(program, writing, beating) or self._executed(writing, beating)
        os.close(writing)
        os.close(beating)

    def _executed(self, output: int, heartbeat: int, requests: int = subprocess.DEVNULL) -> Running:
        program = self._program
        return subprocess.Popen(  # noqa: S603 (commands of ours)
            program.command,
            env={**program.environ, VARIABLE: str(heartbeat)},
            cwd=program.cwd,
            stdin=requests,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(*self._inherited, heartbeat),
            start_new_session=True,  # Ctrl-C reaches the supervisor alone, which then stops things in order
            preexec_fn=die_with_parent(program.orphan_signal),  # noqa: PLW1509 (nothing but two system calls)
        )

    def _has_beaten(self) -> bool:
        assert self._heartbeat is not None
        try:
            heard = os.read(self._heartbeat, HEARTBEATS_READ)
        except BlockingIOError:
            return False
        self._is_ready |= READY in heard
        return bool(heard)

    def _ask_to_stop(self) -> None:
        assert self._process is not None
        self._process.terminate()

    def _kill(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def describe_exit(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
