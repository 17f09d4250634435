"""`python -m workers`: the processes themselves."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis

from events.use_cases.application import Application
from tests.project.running import ROOT, clean_environment
from tests.waiting import until
from workers.job_queue.queue import JobQueue

PATIENCE = 20.0  # seconds


def start(*arguments: str, **environ: str) -> subprocess.Popen[str]:
    """The process, with its log in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-m", "workers", *arguments],
        cwd=ROOT,
        env=clean_environment(environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def running(role: str, url: str) -> Iterator[subprocess.Popen[str]]:
    """A worker process that is at work."""
    process = start(role, MIGRATO_REDIS_URL=url)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert "working" in line or "dispatching" in line or "wait for a bot" in line, line
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("arguments", [(), ("play",), ("work", "work")])
def test_wrong_use(arguments: tuple[str, ...]) -> None:
    """One line that says what there is, and exit code 2."""
    with start(*arguments) as process:
        assert (
            process.communicate(timeout=30)[0]
            == "usage: python -m workers dispatch|work|think|remote|webhooks|archive\n"
        )
        assert process.returncode == 2


@pytest.mark.parametrize("role", ["dispatch", "work", "remote", "webhooks", "archive"])
@pytest.mark.parametrize(
    "environ", [{}, {"MIGRATO_REDIS_URL": "http://redis"}, {"MIGRATO_LOG_LEVEL": "loud"}]
)
def test_wrong_settings(role: str, environ: dict[str, str]) -> None:
    """One line that names the variable, and exit code 2."""
    variable = next(iter(environ), "MIGRATO_REDIS_URL")
    with start(role, **environ) as process:
        text = process.communicate(timeout=30)[0]
        assert (process.returncode, text.count("\n")) == (2, 1)
        assert text.startswith(f"Error: {variable} must")


@pytest.mark.parametrize("role", ["dispatch", "work", "think", "remote", "webhooks", "archive"])
def test_an_unknown_name(role: str) -> None:
    """One line that names what was meant, and exit code 2."""
    with start(role, **{"MIGRATO_" + "REDISURL": "redis://127.0.0.1:1"}) as process:
        text = process.communicate(timeout=30)[0]
        assert process.returncode == 2
        assert text == "Error: MIGRATO_" + "REDISURL is no setting. Did you mean MIGRATO_REDIS_URL?\n"


def test_an_archiver_needs_an_archive() -> None:
    """The variable is named."""
    with start("archive", MIGRATO_REDIS_URL="redis://127.0.0.1:1") as process:
        text = process.communicate(timeout=30)[0]
        assert (process.returncode, text) == (2, "Error: MIGRATO_ARCHIVE must be set: there is no archive.\n")


@pytest.mark.parametrize("role", ["dispatch", "work"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_quick_and_clean(redis_url: str, role: str, number: signal.Signals) -> None:
    """Exit code 0 within seconds, and no traceback."""
    with running(role, redis_url) as process:
        process.send_signal(number)
        text = process.communicate(timeout=10)[0]
        assert (process.returncode, "Traceback" in text) == (0, False)


def test_both_together_play(redis_url: str, application: Application, bots_game: str) -> None:
    """A dispatcher and a bot worker are all that a game of bots needs."""
    with running("work", redis_url), running("dispatch", redis_url):
        until(lambda: application.views.snapshot(bots_game).version >= 20, PATIENCE)


def test_a_worker_registers_again_where_it_was_forgotten(redis_url: str, redis: Redis) -> None:
    """The queue's server may lose its memory; /readyz asks it who is at work."""
    with running("work", redis_url):
        for _ in range(2):
            until(lambda: redis.smembers("rq:workers"), PATIENCE)
            redis.flushall()


def test_a_hanging_worker_ends(redis_url: str, queue: JobQueue) -> None:
    """Not even a bot that hangs in C code holds a worker for ever: the process ends, and is started again."""
    queue.rq.enqueue_call("tests.workers.hanging.hang", timeout=1)
    with start("work", MIGRATO_REDIS_URL=redis_url) as process:
        text = process.communicate(timeout=30)[0]
    assert process.returncode == 1
    assert "Timeout (0:00:" in text


def test_a_server_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    """The processes of a deployment may start in any order."""
    from events.runtime.embedded import EmbeddedServer

    server = EmbeddedServer(tmp_path)
    processes = [start(role, MIGRATO_REDIS_URL=server.url) for role in ("dispatch", "work")]
    try:
        for process in processes:
            assert process.stdout is not None
            assert "does not answer" in process.stdout.readline()
        assert [process.poll() for process in processes] == [None, None]
        with server:
            client = Redis.from_url(server.url)
            until(
                lambda: client.exists("migrato:dispatcher:alive") and client.smembers("rq:workers"), PATIENCE
            )
    finally:
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
