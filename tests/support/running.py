"""Starts real processes of this project, for the texts and the image to be tried on."""

import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from events.runtime.embedded import die_with_parent
from tests.support.waiting import LIMIT, until

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This environment without a surrounding engine's settings, and with the project's commands on PATH."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MIGRATO_")}
    return ours | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **extra}


def as_in_the_foreground() -> None:
    """The first act of a child that is to be interrupted, before its program is loaded (`preexec_fn`).

    A shell starts what is to run in the background with SIGINT ignored, and children inherit that: without this,
    Ctrl-C would mean nothing to a child of tests that were started so. One system call, and no lock is taken.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def as_a_child() -> Callable[[], None]:
    """Prepare a child before its program is loaded: it can be interrupted, and ends when its parent dies.

    It ends so on Linux, and if the main thread starts it: it would end with any other thread.
    """
    is_main = threading.current_thread() is threading.main_thread()
    end_with_parent = die_with_parent() if is_main else None

    def begin() -> None:
        as_in_the_foreground()
        if end_with_parent is not None:
            end_with_parent()

    return begin


def ended(
    command: Sequence[str | Path],
    folder: Path = ROOT,
    environ: Mapping[str, str] = {},
    *,
    seconds: float = LIMIT,
    stderr: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """A command with what it said, in a folder and under these settings alone, once it has come to its end."""
    return subprocess.run(
        command,
        cwd=folder,
        env=clean_environment(environ),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=seconds,
        check=False,
    )


def output(command: Sequence[str | Path], folder: Path = ROOT, **environ: str) -> str:
    """The output of a command that is run as by `ended` and must succeed."""
    done = ended(command, folder, environ, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{command} gave {done.returncode}: {done.stdout[-8000:]}"
    return done.stdout


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str], log: Path, ready: str | None
) -> Iterator[None]:
    """Run a command until the block ends; the block starts once the address `ready`, if any, answers 200."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=clean_environment(environment),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
        )
    try:
        until(
            lambda: ready is None or process.poll() is not None or answers(ready),
            otherwise=lambda: f"{command} is not ready: {log.read_text()}",
        )
        assert process.poll() is None, f"{command} ended: {log.read_text()}"
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise


@contextmanager
def interruptible(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A command that leads a process group, of which nothing is left when the block ends, however it ends.

    SIGINT means to it what Ctrl-C means at a terminal: see `as_in_the_foreground`.
    """
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=clean_environment(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def answers(url: str) -> bool:
    """True if the address answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=LIMIT) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
