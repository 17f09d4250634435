"""Signs of life, at the end of their sender."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.runtime import heartbeat
from events.runtime.heartbeat import VARIABLE, Heartbeat


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that blocks nobody. Its writing end stays open: a thread goes on to write to that number."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    yield ends
    os.close(ends[0])


def signs(reading: int) -> int:
    """How many have come since the last call."""
    try:
        return len(os.read(reading, 65_536))
    except BlockingIOError:
        return 0


def until_a_sign(reading: int) -> None:
    """Wait for the next one."""
    deadline = time.monotonic() + 30
    while not signs(reading):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs come in quick succession."""
    monkeypatch.setattr(heartbeat, "INTERVAL", 0.01)


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
    """And one that does after all gives them again."""
    monkeypatch.setattr(heartbeat, "STUCK_AFTER", 0.3)
    reading, writing = pipe
    asked = Heartbeat(writing).around(lambda: False)
    until_a_sign(reading)
    deadline, silent_since = time.monotonic() + 30, time.monotonic()
    while time.monotonic() < silent_since + 0.2:
        assert time.monotonic() < deadline
        if signs(reading):
            silent_since = time.monotonic()
        time.sleep(0.01)
    asked()
    until_a_sign(reading)


def test_a_reader_who_is_late_holds_nobody_up(pipe: tuple[int, int]) -> None:
    """The pipe is full, and the process goes on."""
    beating = Heartbeat(pipe[1])
    for _ in range(70_000):
        beating.beat()
    assert signs(pipe[0]) == 65_536


def test_a_reader_who_is_gone_is_no_matter() -> None:
    """The process has other ways to learn that."""
    reading, writing = os.pipe()
    os.close(reading)
    Heartbeat(writing).beat()
    os.close(writing)


@pytest.mark.parametrize("value", ["", "x", "-1", "999999"])
def test_without_a_reader_there_are_no_signs(value: str) -> None:
    """Nor where the variable has outlived its pipe: what is open under that number now is not written to."""
    Heartbeat.from_environ({VARIABLE: value}).beat()
    Heartbeat.from_environ({}).beat()


def test_nothing_but_a_pipe_is_written_to(tmp_path: Path) -> None:
    """See above."""
    file = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
    Heartbeat.from_environ({VARIABLE: str(file)}).beat()
    assert os.fstat(file).st_size == 0
    os.close(file)
