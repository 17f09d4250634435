"""The process tree that `migrato serve` keeps, with small programs in it."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from events.runtime.heartbeat import FIRST_WITHIN
from service.cli.exits import Failure
from service.cli.supervision.child_process import ChildProcess, Program, describe_exit
from service.cli.supervision.heartbeat_watch import WatchTimer
from service.cli.supervision.merged_log import MergedLog
from service.cli.supervision.supervisor import Supervisor
from tests.processes.engine import is_alive
from tests.project.running import ROOT
from tests.waiting import until

SIGNS = (
    "import os, sys, time\n"
    "from events.runtime.heartbeat import Heartbeat\n"
    "heartbeat = Heartbeat.from_environ(os.environ)\n"
    "asked = heartbeat.around(lambda: False)\n"
    "print('up', flush=True)\n"
    "while not asked(): time.sleep(0.05)\n"
)
FOREVER = "import time, signal; print('up', flush=True); time.sleep(60)"
STUBBORN = "import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


@pytest.fixture
def python(text: io.StringIO) -> Callable[..., ChildProcess]:
    """Makes children that run Python code."""
    log = MergedLog(text, width=1)

    def child(
        name: str, code: str, patience: float = 5.0, heartbeat_limit: float | None = None
    ) -> ChildProcess:
        command = (sys.executable, "-c", code)
        program = Program(
            name, command, dict(os.environ), str(ROOT), patience=patience, heartbeat_limit=heartbeat_limit
        )
        return ChildProcess(program, log)

    return child


def eventually(question: Callable[[], bool], supervisor: Supervisor, seconds: float = 10.0) -> None:
    """Let the supervisor work until the answer is yes."""
    deadline = time.monotonic() + seconds
    while not question():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        supervisor._tick()


@pytest.fixture
def text() -> io.StringIO:
    """What the merged log says."""
    return io.StringIO()


@pytest.fixture
def supervisor(text: io.StringIO) -> Supervisor:
    """A supervisor without programs."""
    return Supervisor(MergedLog(text, width=1))


def test_a_killed_program_comes_back(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO
) -> None:
    """The log tells the death, and the new process's lines follow."""
    child = python("a", FOREVER)
    supervisor.start_stage([child])
    eventually(lambda: text.getvalue().count("a | up") == 1, supervisor)
    os.kill(child.pid or 0, signal.SIGKILL)
    eventually(lambda: text.getvalue().count("a | up") == 2, supervisor)
    assert "a was killed by SIGKILL" in text.getvalue()
    supervisor.stop()


def test_a_program_that_hangs_is_replaced(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO
) -> None:
    """It lives, and says so, until it is stopped; the log tells why another one is started."""
    child = python("a", SIGNS, heartbeat_limit=3.0)
    supervisor.start_stage([child], ready=lambda: "a | up" in text.getvalue())
    first, began = child.pid, time.monotonic()
    eventually(lambda: time.monotonic() > began + 5, supervisor)
    assert child.pid == first
    os.kill(first or 0, signal.SIGSTOP)
    eventually(lambda: text.getvalue().count("a | up") == 2, supervisor, 60.0)
    assert "a hangs, it gives no sign of life: killed\n" in text.getvalue()
    assert "a was killed by SIGKILL; starting it again" in text.getvalue()
    supervisor.stop()


def test_a_program_without_signs_may_be_silent(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO
) -> None:
    """Nobody waits for signs that were never promised."""
    child = python("a", FOREVER)
    supervisor.start_stage([child], ready=lambda: "a | up" in text.getvalue())
    assert not child.hangs(1_000_000)
    supervisor.stop()


def test_a_slow_start_is_no_hang(python: Callable[..., ChildProcess]) -> None:
    """The first sign may take longer than the next ones, of a process that was started again too."""
    child = python("a", FOREVER, heartbeat_limit=3.0)
    for _ in range(2):
        child.start()
        assert not child.hangs(FIRST_WITHIN)
        assert child.hangs(1.0)
        child.kill()
        until(lambda: child.ended() is not None)


def test_time_in_which_nobody_listened_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an hour of sleep it was silent for two seconds, and not for an hour."""
    now = 1000.0
    monkeypatch.setattr("service.cli.supervision.heartbeat_watch.time.monotonic", lambda: now)
    timer = WatchTimer()
    assert timer.due() == 0.0
    counted = []
    for passed in (0.5, 0.6, 0.5, 3600.0, 0.1, 1.0):
        now += passed
        counted.append(timer.due())
    assert counted == pytest.approx([0.0, 1.1, 0.0, 2.0, 0.0, 1.1])


def test_the_children_of_a_killed_program_go_with_it(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO, tmp_path: Path
) -> None:
    """What a dead process leaves behind would keep its port: the whole group is killed before the restart."""
    lock = tmp_path / "lock"
    code = (
        "import fcntl, os, subprocess, sys, time\n"
        f"fd = os.open({str(lock)!r}, os.O_CREAT | os.O_RDWR)\n"
        "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "subprocess.Popen(['sleep', '60'], pass_fds=(fd,))\n"
        "print('locked', flush=True)\n"
        "time.sleep(60)\n"
    )
    child = python("a", code)
    supervisor.start_stage([child])
    eventually(lambda: text.getvalue().count("locked") == 1, supervisor)
    os.kill(child.pid or 0, signal.SIGKILL)
    eventually(lambda: text.getvalue().count("locked") == 2, supervisor)
    supervisor.stop()


def test_stages_stop_in_reverse(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO
) -> None:
    """The event store, which was started first, is the last to go."""
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('bye', flush=True), sys.exit()))\n"
        "print('up', flush=True)\ntime.sleep(60)"
    )
    for name in ("store", "web"):
        supervisor.start_stage(
            [python(name, code)],
            ready=lambda name=name: f"{name} | up" in text.getvalue(),  # type: ignore[misc]
        )
    supervisor.stop()
    assert text.getvalue().index("web | bye") < text.getvalue().index("store | bye")


def test_a_program_that_does_not_stop_is_killed(
    supervisor: Supervisor, python: Callable[..., ChildProcess], text: io.StringIO
) -> None:
    """Patience ends."""
    supervisor.start_stage([python("a", STUBBORN, patience=0.3)], ready=lambda: "up" in text.getvalue())
    supervisor.stop()
    assert "a does not stop: killed" in text.getvalue()


def test_a_program_that_never_starts_well_is_given_up(
    supervisor: Supervisor, python: Callable[..., ChildProcess]
) -> None:
    """Wrong settings (exit code 2) end the start instead of repeating for ever."""
    with pytest.raises(Failure, match="a exited with code 2 while starting"):
        supervisor.start_stage([python("a", "raise SystemExit(2)")], ready=lambda: False)


def test_a_stage_that_does_not_become_ready_is_given_up(
    supervisor: Supervisor, python: Callable[..., ChildProcess]
) -> None:
    """The start has a deadline."""
    with pytest.raises(Failure, match="a did not become ready within 0 seconds"):
        supervisor.start_stage([python("a", FOREVER)], ready=lambda: False, within=0.2)
    supervisor.stop()


@pytest.mark.parametrize(
    ("lived", "delays"),
    [
        (0.0, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]),
        (3.0, [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 2.0, 2.0]),
        (6.0, [0.1] * 8),
    ],
)
def test_starts_come_further_and_further_apart(
    python: Callable[..., ChildProcess], monkeypatch: pytest.MonkeyPatch, lived: float, delays: list[float]
) -> None:
    """A program that dies young is not started in a busy loop; one that has served a while comes back at once."""
    child, now = python("a", ""), time.monotonic()
    child.start()
    monkeypatch.setattr(f"{ChildProcess.__module__}.time.monotonic", lambda: now)
    child._started_at = now - lived
    assert [child.restart_later() for _ in range(8)] == pytest.approx(delays)
    child.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    """Not even SIGKILL leaves orphans behind."""
    code = (
        "import os, sys, time\n"
        "from service.cli.supervision.child_process import ChildProcess, Program\n"
        "from service.cli.supervision.merged_log import MergedLog\n"
        "child = ChildProcess(Program('a', ('sleep', '60'), dict(os.environ), '/'), MergedLog())\n"
        "child.start()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    until(lambda: not is_alive(pid))


def test_exits_in_words() -> None:
    """The log says how a process ended."""
    assert [describe_exit(code) for code in (1, -9, -200)] == [
        "exited with code 1",
        "was killed by SIGKILL",
        "was killed by signal 200",
    ]
