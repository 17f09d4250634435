"""Signs of life, at the end of their sender."""

import os
import threading
import time
from collections.abc import Iterator
from fcntl import F_GETPIPE_SZ, fcntl
from pathlib import Path
from types import SimpleNamespace

import pytest

from events.runtime import heartbeat
from events.runtime.heartbeat import VARIABLE, Heartbeat
from tests.support.waiting import until


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that blocks nobody. Its writing end stays open: a thread goes on to write to that number."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    yield ends
    os.close(ends[0])


def signs(reading: int) -> int:
    """The number of those that came since the last call."""
    try:
        return len(os.read(reading, 65_536))
    except BlockingIOError:
        return 0


def until_a_sign(reading: int) -> None:
    until(lambda: signs(reading))


def is_silent(reading: int) -> bool:
    """True if none has come in time enough for many: that nothing comes can only be seen by waiting."""
    signs(reading)
    time.sleep(0.04)
    return signs(reading) == 0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs come in quick succession."""
    monkeypatch.setattr(heartbeat, "INTERVAL", 0.002)


@pytest.mark.usefixtures("quick")
def test_signs_go_on_while_one_turn_of_the_loop_takes_long(pipe: tuple[int, int]) -> None:
    """A bot that thinks, or a day that is archived, is no hang."""
    reading, writing = pipe
    asked = Heartbeat(writing).around(lambda: True)
    assert asked() is True
    for _ in range(20):  # without asking again
        until_a_sign(reading)


@pytest.mark.usefixtures("quick")
def test_a_loop_that_never_comes_back_gives_no_signs(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop that comes back after all gives them again."""
    monkeypatch.setattr(heartbeat, "STUCK_AFTER", 0.1)
    reading, writing = pipe
    life = Heartbeat(writing)
    loops = [life.around(lambda: False) for _ in range(2)]
    until_a_sign(reading)

    def one_is_stuck() -> bool:
        loops[0]()
        return is_silent(reading)

    until(one_is_stuck)
    for loop in loops:
        loop()
    until_a_sign(reading)


def test_a_reader_who_is_late_holds_nobody_up(pipe: tuple[int, int]) -> None:
    """The pipe is full, and the process goes on."""
    beating = Heartbeat(pipe[1])
    for _ in range(70_000):
        beating.beat()
    assert signs(pipe[0]) == fcntl(pipe[1], F_GETPIPE_SZ)  # which is less where somebody has many pipes


def test_a_reader_who_is_gone_is_no_matter() -> None:
    """A reader that is gone does a process no harm; the process has other ways to learn of that."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    beating = Heartbeat(writing)
    beating.beat()
    assert signs(reading) == 1
    os.close(reading)
    beating.beat()
    with pytest.raises(BrokenPipeError):  # so the sign was indeed sent after a reader who is gone
        os.write(writing, b".")
    os.close(writing)


def test_without_a_reader_there_are_no_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written anywhere; also where the variable has outlived its pipe."""
    reading, writing = os.pipe()
    os.close(writing)
    os.close(reading)
    written: list[int] = []

    def write(descriptor: int, _: bytes) -> None:
        if threading.current_thread() is threading.main_thread():  # and not another test's, which goes on
            written.append(descriptor)

    monkeypatch.setattr(heartbeat, "os", SimpleNamespace(write=write, fstat=os.fstat))
    Heartbeat.from_environ({}).beat()
    for value in ("", "x", "-1", "999999", str(writing)):
        Heartbeat.from_environ({VARIABLE: value}).beat()
    assert written == []
    Heartbeat(writing).beat()
    assert written == [writing]  # this is where a sign would have been seen


def test_a_file_is_touched(tmp_path: Path) -> None:
    """For a probe that looks how old it is; a place where there can be none does no harm."""
    file = tmp_path / "alive"
    beating = Heartbeat.from_environ({VARIABLE: str(file)})
    for _ in range(2):
        beating.beat()
        os.utime(file, (0, 0))
        beating.beat()
        assert file.stat().st_mtime > 0
    Heartbeat.from_environ({VARIABLE: str(tmp_path / "nowhere" / "alive")}).beat()


def test_nothing_but_a_pipe_is_written_to(tmp_path: Path) -> None:
    """The number of a pipe that is gone may be a file's by now."""
    file = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
    Heartbeat.from_environ({VARIABLE: str(file)}).beat()
    assert os.fstat(file).st_size == 0
    os.close(file)
