"""Connections spread over web workers: each takes its share, and nobody's share is lost with it."""

import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from gevent import Timeout, sleep  # type: ignore[import-untyped]
from gevent.event import Event  # type: ignore[import-untyped]
from gevent.pool import Pool  # type: ignore[import-untyped]
from gevent.server import StreamServer  # type: ignore[import-untyped]
from gevent.socket import socket as green_socket  # type: ignore[import-untyped]

from events.runtime.embedded import EmbeddedServer
from service.http.server.fair_accepting import PLACES, ConnectionCounts, FairServer, Share
from tests.service.conftest import gunicorn
from tests.support.waiting import LIMIT, until


def shares(number: int, *, open_: bool = True) -> list[Share]:
    """The shares of so many workers, which count together."""
    counts = ConnectionCounts()
    made = [counts.take() for _ in range(number)]
    for share in made * open_:
        share.begin()
    return made


@pytest.mark.parametrize(
    ("own", "others", "waiting", "taken"),
    [
        (0, [0], 1, 1),
        (0, [0], 32, 16),
        (1, [0], 1, 0),
        (1, [0], 2, 1),
        (16, [10], 4, -1),
        (10, [16], 4, 5),
        (5, [5, 5], 1, 1),
        (0, [9, 9], 2, 7),
    ],
)
def test_a_share_is_what_all_would_have_alike(own: int, others: list[int], waiting: int, taken: int) -> None:
    """Rounded up, so that somebody takes the last one."""
    mine, *theirs = shares(1 + len(others))
    for share, count in zip([mine, *theirs], [own, *others], strict=True):
        share.add(count)
    assert mine.of(waiting) == taken


def test_a_lone_worker_takes_everything() -> None:
    """Also while others have not begun, have ended, or are no more, however they ended."""
    alone, starting, ending, killed = shares(4, open_=False)
    alone.begin()
    alone.add(100)
    assert alone.of(7) == 7
    for other in (ending, killed):
        other.begin()
        assert alone.of(7) < 7
        other.add(3)
    ending.end()
    killed.give_back()
    ending.add(-1)  # its connections end as well
    assert alone.of(7) == 7
    starting.begin()
    assert alone.of(7) < 7


def test_a_place_is_taken_again() -> None:
    """It counts from nothing; a worker that finds no free place takes any."""
    counts = ConnectionCounts()
    first, *others = [counts.take() for _ in range(PLACES)]
    for share in (first, *others):
        share.begin()
        share.add(5)
    without = counts.take()
    without.begin()
    without.add(99)
    assert without.of(3) == 3
    first.give_back()
    new = counts.take()
    new.begin()
    assert new.of(1) >= 4


def test_a_forked_worker_counts_for_all() -> None:
    """The counts are in memory that processes share."""
    mine, other = shares(2)
    child = os.fork()
    if child == 0:
        other.add(10)
        os._exit(0)
    os.waitpid(child, 0)
    mine.add(4)
    assert mine.of(2) == 4


def green_until(condition: Callable[[], bool]) -> None:
    """Wait as `until` does, and let greenlets run meanwhile."""
    with Timeout(LIMIT):
        while not condition():
            sleep(0.005)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A socket that waits for callers."""
    with green_socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        yield listening


@pytest.mark.parametrize(("callers", "others"), [(1, 0), (12, 0), (40, 0), (12, 12), (12, 1000)])
def test_nobody_waits_for_ever(listener: socket.socket, callers: int, others: int) -> None:
    """Whatever a stopped worker would have to take is taken by another one in the end."""
    mine, stopped = shares(2)
    stopped.add(others)
    served, end = [], Event()

    def handle(_: object, address: object) -> None:
        served.append(address)
        end.wait(LIMIT)

    with ExitStack() as all_:
        for _ in range(callers):
            all_.enter_context(green_socket()).connect(listener.getsockname())
        server = FairServer(listener, handle, mine, spawn=Pool(100))
        server.begin()
        server.start()
        all_.callback(server.stop)
        all_.callback(end.set)
        green_until(lambda: len(served) == callers)


def test_two_workers_have_the_same(listener: socket.socket) -> None:
    """With many that come at once, and again after some have gone."""
    ours = shares(2)
    taken: list[list[object]] = [[], []]
    end = Event()
    with ExitStack() as all_:
        for share, mine in zip(ours, taken, strict=True):

            def handle(_: object, address: object, mine: list[object] = mine) -> None:
                mine.append(address)
                end.wait(LIMIT)

            server = FairServer(listener, handle, share, spawn=Pool(100))
            server.begin()
            server.start()
            all_.callback(server.stop)
        all_.callback(end.set)
        for number in range(1, 31):
            all_.enter_context(green_socket()).connect(listener.getsockname())
            green_until(lambda number=number: sum(map(len, taken)) == number)  # type: ignore[misc]
            assert abs(len(taken[0]) - len(taken[1])) <= 1


def test_a_system_without_files_left_is_asked_again(
    listener: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A worker without free files tries again and again, and logs one line; a caller that hung up is worth none."""
    caplog.set_level("INFO", "migrato.web")
    monkeypatch.setattr("service.http.server.fair_accepting.PAUSE", 0.001)
    failures = [errno.EMFILE] * 50 + [errno.ECONNABORTED, errno.ENFILE]
    read = StreamServer.do_read

    def failing(server: StreamServer) -> object:
        if failures:
            number = failures.pop(0)
            raise OSError(number, os.strerror(number))
        return read(server)

    monkeypatch.setattr(StreamServer, "do_read", failing)
    served = Event()
    server = FairServer(listener, lambda *_: served.set(), shares(1)[0], spawn=Pool(10))
    with green_socket() as caller:
        caller.connect(listener.getsockname())
        server.begin()
        server.start()
        assert served.wait(LIMIT)
        server.stop()
    assert caplog.messages == [
        "no connection can be taken: Too many open files",
        "connections can be taken again",
    ]
    assert capfd.readouterr().err == ""


@cache
def serves(pid: str, port: int) -> bool:
    """True for gunicorn's processes at that port, from their fork on."""
    with suppress(OSError):
        return f"MIGRATO_PORT={port}\0".encode() in (Path("/proc") / pid / "environ").read_bytes()
    return False


def held(port: int) -> dict[int, int]:
    """The web workers that serve the port, and how many callers' connections each of them holds."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    callers = {
        f"socket:[{line[9]}]" for line in lines if line[1].endswith(f":{port:04X}") and line[3] == "01"
    }
    found, above = dict[int, int](), set[int]()
    for process in Path("/proc").glob("[0-9]*"):
        if serves(process.name, port):
            with suppress(OSError):
                state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
                files = [str(file.readlink()) for file in (process / "fd").iterdir()]
                above.add(int(parent))
                if state != "Z":
                    found[int(process.name)] = len(callers.intersection(files))
    return {pid: count for pid, count in found.items() if pid not in above}


def test_callers_of_a_service(server: EmbeddedServer, tmp_path: Path) -> None:
    """Each worker gets some of them; when one is killed, new ones go to the one in its place until it has as many.

    How soon depends on what else the machine does: whoever is stopped for moments is not waited for.
    """
    with gunicorn(server.url, tmp_path / "log", MIGRATO_WEB_STANDBY="0") as address, ExitStack() as all_:
        where = urlsplit(address)
        assert where.port is not None
        port = where.port

        def come() -> dict[int, int]:
            caller = all_.enter_context(socket.create_connection(("127.0.0.1", port), timeout=LIMIT))
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            assert caller.recv(1000).startswith(b"HTTP/1.1 200")
            return held(port)

        until(lambda: len(held(port)) == 2 and all(come().values()))
        until(lambda: 2 * min(come().values()) >= max(held(port).values()) > 5)
        dies, _ = held(port)
        os.kill(dies, signal.SIGKILL)
        until(lambda: dies not in held(port))
        until(lambda: len(held(port)) == 2 and 2 * min(come().values()) >= max(held(port).values()))


def test_one_stands_by(web: str) -> None:
    """It answers once the one that takes connections is killed, before another has started, and while one hangs."""
    port = urlsplit(web).port
    assert port is not None
    with ExitStack() as all_:

        def come() -> int:
            before = held(port)
            caller = all_.enter_context(socket.create_connection(("127.0.0.1", port), timeout=LIMIT))
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            assert caller.recv(1000).startswith(b"HTTP/1.1 200")
            return next(pid for pid, count in held(port).items() if count > before.get(pid, 0))

        until(lambda: len(held(port)) == 2)
        first = come()
        second = next(pid for pid in held(port) if pid != first)
        assert [come() for _ in range(5)] == [first] * 5
        os.kill(first, signal.SIGKILL)
        assert come() == second
        until(lambda: len(held(port)) == 2)
        third = next(pid for pid in held(port) if pid != second)
        os.kill(second, signal.SIGSTOP)
        try:
            assert come() == third
        finally:
            os.kill(second, signal.SIGCONT)
        until(lambda: come() == second)  # which has its place still
