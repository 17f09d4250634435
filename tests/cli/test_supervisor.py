"""The process tree that `migrato serve` keeps, with small programs in it."""

import errno
import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.runtime.heartbeat import FIRST_WITHIN
from events.runtime.settings import Settings
from service.cli.exits import Failure, Refusal
from service.cli.supervision import port, server_process
from service.cli.supervision.child_process import ChildProcess, Program, describe_exit
from service.cli.supervision.heartbeat_watch import WatchTimer
from service.cli.supervision.merged_log import MergedLog
from service.cli.supervision.server_process import OVERCOMMIT, ServerProcess
from service.cli.supervision.supervisor import Supervisor
from tests.support.engine import is_alive
from tests.support.running import ROOT
from tests.support.waiting import LIMIT, until

HANGS = ("tail", "-f", "/dev/null")

SIGNS = """
import os
from events.runtime import heartbeat
heartbeat.INTERVAL = 0.02
heartbeat.Heartbeat.from_environ(os.environ).around(lambda: False)
print("up", flush=True)
while True: signal.pause()
"""
FOREVER = "print('up', flush=True); signal.pause()"
STUBBORN = (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True)\nwhile True: signal.pause()"
)
NewChild = Callable[..., ChildProcess]


@pytest.fixture
def python(text: io.StringIO) -> NewChild:
    """Makes children that run Python code."""
    log = MergedLog(text, width=1)

    def child(
        name: str, code: str, patience: float = LIMIT, heartbeat_limit: float | None = None
    ) -> ChildProcess:
        command = (sys.executable, "-S", "-c", f"import signal\n{code}")
        program = Program(
            name, command, dict(os.environ), str(ROOT), patience=patience, heartbeat_limit=heartbeat_limit
        )
        return ChildProcess(program, log)

    return child


def eventually(question: Callable[[], bool], supervisor: Supervisor) -> None:
    """Let the supervisor work until the answer is yes."""
    deadline = time.monotonic() + LIMIT
    while not question():
        assert time.monotonic() < deadline, f"not within {LIMIT} s"
        supervisor._tick()


@pytest.fixture
def text() -> io.StringIO:
    """The merged log's text."""
    return io.StringIO()


@pytest.fixture
def supervisor(text: io.StringIO) -> Iterator[Supervisor]:
    """A supervisor without programs, which stops all that it has started."""
    supervisor = Supervisor(MergedLog(text, width=1))
    yield supervisor
    supervisor.stop()


def test_a_killed_program_comes_back_without_its_children(
    supervisor: Supervisor, python: NewChild, text: io.StringIO, tmp_path: Path
) -> None:
    """The log tells the death, and the new process's lines follow.

    What a dead process leaves behind would keep its port: the whole group is killed before the restart.
    """
    child = python(
        "a",
        "import fcntl, os, subprocess\n"
        f"fd = os.open({str(tmp_path / 'lock')!r}, os.O_CREAT | os.O_RDWR)\n"
        "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        f"subprocess.Popen({HANGS!r}, pass_fds=(fd,))\n"
        "print('locked', flush=True)\n"
        "signal.pause()\n",
    )
    supervisor.start_stage([child])
    eventually(lambda: text.getvalue().count("a | locked") == 1, supervisor)
    os.kill(child.pid or 0, signal.SIGKILL)
    eventually(lambda: text.getvalue().count("a | locked") == 2, supervisor)
    assert "a was killed by SIGKILL" in text.getvalue()


def test_a_program_that_hangs_is_replaced(
    supervisor: Supervisor, python: NewChild, text: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lives, and says so, until it is stopped; the log tells why another one is started."""
    child, heard, seconds = python("a", SIGNS, heartbeat_limit=3.0), list[bool](), [0.001]
    listen = child._has_beaten

    def has_beaten() -> bool:
        heard.append(listen())
        return heard[-1]

    monkeypatch.setattr(child, "_has_beaten", has_beaten)
    monkeypatch.setattr(supervisor._watch_timer, "due", lambda: seconds[0])
    supervisor.start_stage([child], ready=lambda: "a | up" in text.getvalue())
    first = child.pid
    eventually(lambda: sum(heard) >= 3, supervisor)
    assert child.pid == first
    os.kill(first or 0, signal.SIGSTOP)
    seconds[0] = 1.0
    eventually(lambda: "starting it again" in text.getvalue(), supervisor)
    seconds[0] = 0.001
    eventually(lambda: text.getvalue().count("a | up") == 2, supervisor)
    assert "a hangs, it gives no sign of life: killed\n" in text.getvalue()
    assert "a was killed by SIGKILL; starting it again" in text.getvalue()


def test_a_program_without_signs_may_be_silent(
    supervisor: Supervisor, python: NewChild, text: io.StringIO
) -> None:
    """Nobody waits for signs that were never promised."""
    child = python("a", FOREVER)
    supervisor.start_stage([child], ready=lambda: "a | up" in text.getvalue())
    assert not child.hangs(1_000_000)


def test_a_slow_start_is_no_hang(python: NewChild) -> None:
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


def test_stages_stop_in_reverse(supervisor: Supervisor, python: NewChild, text: io.StringIO) -> None:
    """The event store, which was started first, is the last to go; patience with what does not stop ends. What keeps
    the port open, and is of no use any more, goes before all others.
    """
    code = (
        "import sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('bye', flush=True), sys.exit()))\n"
        "print('up', flush=True)\nsignal.pause()"
    )
    children = [python(name, code) for name in ("store", "nursery", "web")]
    for child in (*children, python("a", STUBBORN, patience=0.05)):
        supervisor.start_stage(
            [child],
            ready=lambda child=child: f"{child.name} | up" in text.getvalue(),  # type: ignore[misc]
            stops_first=child.name == "nursery",
        )
    supervisor.stop()
    told = ["nursery | bye", "a does not stop: killed", "web | bye", "store | bye"]
    assert sorted(told, key=text.getvalue().index) == told


def test_a_start_that_comes_to_nothing_is_given_up(supervisor: Supervisor, python: NewChild) -> None:
    """Wrong settings (exit code 2) end it instead of repeating for ever; and it has a deadline."""
    with pytest.raises(Failure, match="a exited with code 2 while starting"):
        supervisor.start_stage([python("a", "raise SystemExit(2)")], ready=lambda: False)
    with pytest.raises(Failure, match="b did not become ready within 0 seconds"):
        supervisor.start_stage([python("b", FOREVER)], ready=lambda: False, within=0.05)


def test_starts_come_further_and_further_apart(python: NewChild, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that dies young is not started in a busy loop; one that has served a while comes back at once."""
    for lived, delays in (
        (0.0, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]),
        (3.0, [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 2.0, 2.0]),
        (10.0, [0.1] * 8),
    ):
        child, now = python("a", ""), time.monotonic()
        with monkeypatch.context() as patch:
            patch.setattr(f"{ChildProcess.__module__}.time.monotonic", lambda now=now: now)
            child._started_at = now - lived
            assert [child.restart_later() for _ in range(8)] == pytest.approx(delays)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux's")
def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    """Not even SIGKILL leaves orphans behind."""
    code = (
        "import os, signal\n"
        "from service.cli.supervision.child_process import ChildProcess, Program\n"
        "from service.cli.supervision.merged_log import MergedLog\n"
        f"child = ChildProcess(Program('a', {HANGS!r}, dict(os.environ), '/'), MergedLog())\n"
        "child.start()\n"
        "print(child.pid, flush=True)\n"
        "signal.pause()\n"
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


READY = "import os\nfrom events.runtime.heartbeat import Heartbeat\nHeartbeat.from_environ(os.environ).say_ready()\n"


def no_memory() -> None:
    """Fail as a fork does for want of memory."""
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


def test_a_new_program_takes_over_when_it_is_ready(
    supervisor: Supervisor, python: NewChild, text: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the old one works; one that dies first, or is not ready in time, changes nothing. A death afterwards
    brings the new one back.
    """
    old = python("old", FOREVER)
    supervisor.start_stage([old], ready=lambda: "old | up" in text.getvalue())
    assert not supervisor.change_over(old, python("dead", "raise SystemExit(1)"), LIMIT)
    assert not supervisor.change_over(old, python("slow", FOREVER), 0.05)
    refused = python("refused", FOREVER)
    monkeypatch.setattr(refused, "_start", no_memory)
    assert not supervisor.change_over(old, refused, LIMIT)
    supervisor.run_beside(refused)
    assert text.getvalue().count("refused cannot be started: ") == 2
    first = old.pid
    assert first is not None
    assert is_alive(first)
    new = python("new", f"{READY}{FOREVER}")
    assert supervisor.change_over(old, new, LIMIT)
    assert not is_alive(first)
    eventually(lambda: text.getvalue().count("new | up") == 1, supervisor)
    os.kill(new.pid or 0, signal.SIGKILL)
    eventually(lambda: text.getvalue().count("new | up") == 2, supervisor)
    assert text.getvalue().count("old | up") == 1


def test_a_program_starts_again_in_order(supervisor: Supervisor, python: NewChild, text: io.StringIO) -> None:
    """It ends as it was asked to, and its restart is no death; work that is done once is not started again."""
    child = python("a", FOREVER)
    supervisor.start_stage([child], ready=lambda: "a | up" in text.getvalue())
    supervisor.run_beside(python("once", "print('done', flush=True)"))
    supervisor.restart(child)
    eventually(lambda: text.getvalue().count("a | up") == 2, supervisor)
    assert text.getvalue().count("once | done") == 1
    assert "again" not in text.getvalue()


@pytest.mark.parametrize("ephemeral", [False, True])
def test_the_store_warns_of_memory_in_one_sentence(
    tmp_path: Path, text: io.StringIO, ephemeral: bool
) -> None:
    """It does so once, however often it starts again. Of a file that it does not have, it does not warn."""
    settings = Settings(data_dir=tmp_path)
    server = ServerProcess("store", settings, MergedLog(text, width=1), ephemeral=ephemeral)
    warning = "7:M 29 Nov 2026 11:24:23.189 # WARNING Memory overcommit must be enabled! Without it, ..."
    assert server._told(["a", warning]) == (["a"] if ephemeral else [OVERCOMMIT, "a"])
    assert server._told([warning, "b"]) == ["b"]
    server.close()


def test_a_store_that_ends_on_a_full_disk(
    supervisor: Supervisor, tmp_path: Path, text: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says of itself only that a write was short; it is started again until there is room."""
    monkeypatch.setattr(server_process, "hardly_any_room", lambda place: place == tmp_path)
    server = ServerProcess("store", Settings(data_dir=tmp_path), MergedLog(text, width=1), ephemeral=False)
    supervisor.start_stage([server], ready=lambda: server.running)
    assert server._server.pid is not None
    os.kill(server._server.pid, signal.SIGKILL)
    eventually(
        lambda: f"store ended, and the disk of {tmp_path} is full; starting it again" in text.getvalue(),
        supervisor,
    )
    eventually(lambda: server.running, supervisor)


def test_systemd_may_have_opened_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its socket is taken as it is; two are refused, and one for another process is not ours."""
    with socket.socket() as opened, socket.socket() as free:
        opened.bind(("127.0.0.1", 0))
        free.bind(("127.0.0.1", 0))
        settings = Settings(port=free.getsockname()[1])
        free.close()
        monkeypatch.setattr(port, "FROM_SYSTEMD", os.dup(opened.fileno()))
        ours = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
        with port.listener(settings, ours) as found:
            assert found.getsockname() == opened.getsockname()
        with pytest.raises(Refusal, match="one socket"):
            port.listener(settings, {**ours, "LISTEN_FDS": "2"})
        with port.listener(settings, {**ours, "LISTEN_PID": "1"}) as found:
            assert found.getsockname()[1] == settings.port
