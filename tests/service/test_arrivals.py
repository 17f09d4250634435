"""Waiting for what comes over a connection."""

import socket
from collections.abc import Iterator

import gevent  # type: ignore[import-untyped]
import pytest

from service.http.server.arrivals import Arrivals

SECONDS = 0.05
Line = tuple[socket.socket, socket.socket]


class Looks(Arrivals):
    """Counts how often the loop tells it that there is something to read."""

    looks = 0

    def _look(self) -> None:
        self.looks += 1
        super()._look()


@pytest.fixture
def line() -> Iterator[Line]:
    """Two ends of a connection."""
    here, there = socket.socketpair()
    with here, there:
        yield here, there


def test_something_comes(line: Line) -> None:
    """Before the wait, and in it; the end of the connection is something, too."""
    here, there = line
    arrivals = Arrivals(there, 5.0)
    here.sendall(b"a")
    assert arrivals.wait()
    assert there.recv(10) == b"a"
    gevent.spawn_later(0.01, here.sendall, b"b")
    assert arrivals.wait()
    assert there.recv(10) == b"b"
    gevent.spawn_later(0.01, here.close)
    assert arrivals.wait()
    assert there.recv(10) == b""
    arrivals.close()


def test_nothing_comes_in_time(line: Line) -> None:
    """Each wait has all of its time, whenever it begins."""
    here, there = line
    arrivals = Arrivals(there, SECONDS)
    here.sendall(b"a")
    assert arrivals.wait()
    there.recv(10)
    gevent.sleep(SECONDS * 0.7)
    assert waited_between(arrivals)
    gevent.sleep(SECONDS)  # meanwhile the timer has run down
    assert waited_between(arrivals)
    arrivals.close()


def waited_between(arrivals: Arrivals) -> bool:
    """True if a wait in vain ends after a timer that is due a little sooner, and before one that is due later."""
    rung = list[str]()
    sooner, later = (
        gevent.spawn_later(SECONDS * part, rung.append, name)
        for part, name in ((0.9, "sooner"), (2000, "later"))
    )
    assert not arrivals.wait()
    gevent.killall([sooner, later])
    return rung == ["sooner"]


@pytest.mark.plain
def test_an_early_arrival_wakes_nobody(line: Line) -> None:
    """Its greenlet waits for something else, and finds it later; the loop does not spin meanwhile."""
    here, there = line
    arrivals = Looks(there, SECONDS)
    here.sendall(b"a")
    assert arrivals.wait()
    there.recv(10)
    here.sendall(b"b")
    before = arrivals.looks
    gevent.sleep(0.05)
    assert arrivals.looks == before + 1
    assert arrivals.wait()
    assert there.recv(10) == b"b"
    arrivals.close()


def test_a_killed_greenlet_is_not_woken_again(line: Line) -> None:
    """It does not disturb the next one that waits on the connection."""
    here, there = line
    arrivals, came = Arrivals(there, 5.0), list[bool]()
    waiting = gevent.spawn(lambda: came.append(arrivals.wait()))
    gevent.sleep(0)
    waiting.kill()
    here.sendall(b"a")
    gevent.sleep(0.05)
    assert came == []
    assert arrivals.wait()
    arrivals.close()
