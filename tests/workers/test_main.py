"""`python -m workers`: the processes themselves."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from events.application import Application
from events.runtime.embedded import EmbeddedServer
from events.runtime.heartbeat import Heartbeat
from tests.support.running import ROOT, clean_environment
from tests.support.sure import sure
from tests.support.waiting import LIMIT, until
from workers import bootstrap
from workers.__main__ import NAMES, USAGE, main, until_signalled
from workers.job_queue.queue import JobQueue

Refused = Callable[..., str]


def start(*arguments: str, module: str = "workers", **environ: str) -> subprocess.Popen[str]:
    """The process, with its log in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=clean_environment(environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def running(*roles: str, url: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    process = start(*roles, MIGRATO_REDIS_URL=url, MIGRATO_EPHEMERAL="1", **environ)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert any(word in line for word in ("working", "dispatching", "wait for a bot", "logging")), line
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Refused]:
    """The words of a process that ends with exit code 2; in this process, whose log, signals and form of new games stay
    as they are: it announces itself to no store.
    """
    monkeypatch.setattr("workers.__main__.logs.set_up", lambda *_: None)
    monkeypatch.setattr("workers.__main__.announce", lambda _: None)
    monkeypatch.setattr("workers.__main__.until_signalled", lambda: lambda: True)
    monkeypatch.setattr(Heartbeat, "around", lambda _, question: question)
    for name in [name for name in os.environ if name.startswith("MIGRATO_")]:
        monkeypatch.delenv(name)
    parts = (bootstrap.settings, bootstrap.together, bootstrap.application, bootstrap.bot_questions)

    def forget() -> None:
        for part in parts:
            part.cache_clear()

    def refused(*arguments: str, **environ: str) -> str:
        forget()
        with monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            assert main(list(arguments)) == 2
        return capsys.readouterr().err

    yield refused
    forget()


def test_wrong_use_and_wrong_settings_are_told_in_a_line(refused: Refused) -> None:
    """It says what there is, or names the variable, or what was meant; in every role, and with exit code 2."""
    for arguments in ((), ("play",), ("work", "dispatch"), ("dispatch", "dispatch")):
        assert refused(*arguments) == f"{USAGE}\n"
    wrong: list[dict[str, str]] = [{}, {"MIGRATO_REDIS_URL": "http://redis"}, {"MIGRATO_LOG_LEVEL": "loud"}]
    slip = {"MIGRATO_" + "REDISURL": "redis://127.0.0.1:1"}
    for role in NAMES:
        for environ in wrong:
            text = refused(role, **environ)
            assert text.startswith(f"Error: {next(iter(environ), 'MIGRATO_REDIS_URL')} must"), role
            assert text.count("\n") == 1
        meant = "Error: MIGRATO_" + "REDISURL is no setting. Did you mean MIGRATO_REDIS_URL?\n"
        assert refused(role, **slip) == meant
    text = refused("archive", MIGRATO_REDIS_URL="redis://127.0.0.1:1")
    assert text == "Error: MIGRATO_ARCHIVE must be set: there is no archive.\n"


def test_no_role_begins_on_a_store_that_evicts(refused: Refused, evicting_url: str, tmp_path: Path) -> None:
    for role in NAMES:
        text = refused(role, MIGRATO_REDIS_URL=evicting_url, MIGRATO_ARCHIVE=str(tmp_path))
        assert text.startswith("Error: The event store evicts"), role
        assert text.count("\n") == 1


def test_a_process_says_how_it_is_used() -> None:
    with start("play") as process:
        assert process.communicate(timeout=LIMIT)[0] == f"{USAGE}\n"
        assert process.returncode == 2


def stops_cleanly(process: subprocess.Popen[str], number: signal.Signals) -> bool:
    """True if it ends after that signal, with exit code 0 and no traceback."""
    process.send_signal(number)
    text = process.communicate(timeout=LIMIT)[0]
    return (process.returncode, "Traceback" in text) == (0, False)


def test_both_together_play_and_stop(
    redis_url: str, redis: Redis, application: Application, bots_game: str, tmp_path: Path
) -> None:
    """A worker, of which /readyz asks the queue's server, registers again where that has lost its memory."""
    beside = ("remote", "webhooks", "archive")
    archive = {"MIGRATO_ARCHIVE": str(tmp_path)}
    with (
        running("work", url=redis_url) as worker,
        running("dispatch", *beside, url=redis_url, **archive) as dispatcher,
    ):
        until(lambda: application.views.snapshot(bots_game).version >= 20)
        for _ in range(2):
            until(lambda: redis.smembers("rq:workers"))
            redis.delete(*redis.keys("rq:*"))
        assert stops_cleanly(worker, signal.SIGTERM)
        assert stops_cleanly(dispatcher, signal.SIGINT)


def test_a_signal_in_the_middle_of_another_holds_nothing_up() -> None:
    """As when an operator is impatient, or a terminal and a supervisor both tell a worker to stop."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)}
    stopping, further = until_signalled(), iter(range(9))

    def interrupt(*_: object) -> None:
        if next(further, None) is not None:
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGALRM, give_up)
    assert not stopping()
    try:
        signal.alarm(int(LIMIT))
        sys.setprofile(interrupt)  # at every call
        signal.raise_signal(signal.SIGTERM)
        sys.setprofile(None)
        assert stopping()
    finally:
        sys.setprofile(None)
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_hanging_worker_ends(redis_url: str, queue: JobQueue) -> None:
    """Not even a bot that hangs in C code holds a worker for ever: the process ends, and is started again."""
    queue.rq.enqueue_call("tests.workers.hanging.hang", timeout=1)
    with start("work", module="tests.workers.hanging", MIGRATO_REDIS_URL=redis_url) as process:
        text = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 1
    assert "Timeout (0:00:" in text


def test_a_server_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    """The processes of a deployment may start in any order."""
    server = EmbeddedServer(tmp_path)
    with (
        start("dispatch", MIGRATO_REDIS_URL=server.url) as dispatcher,
        start("work", MIGRATO_REDIS_URL=server.url) as worker,
    ):
        for process in (dispatcher, worker):
            assert "does not answer" in sure(process.stdout).readline()
        assert [dispatcher.poll(), worker.poll()] == [None, None]
        with server:
            client = Redis.from_url(server.url)
            until(lambda: client.exists("migrato:dispatcher:alive") and client.smembers("rq:workers"))
            assert stops_cleanly(dispatcher, signal.SIGTERM)
            assert stops_cleanly(worker, signal.SIGINT)
