"""The parts of faults: a proxy in a socket's place, a clock that jumps, tokens that stay out of the history."""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.faults.clock import _set, movable_clock
from drills.faults.proxy import Proxy, Weather, cutting, delaying
from drills.history import without_tokens
from tests.support.waiting import LIMIT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="drills are for Linux")


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Path]:
    """The socket of a server that sends everything back."""
    path = tmp_path / "echo.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def answer(connection: socket.socket) -> None:
        while data := connection.recv(65536):
            connection.sendall(data)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield path
    listener.close()


def sent(path: Path, data: bytes) -> bytes:
    """All that comes back of it until the connection is cut off, or all is there."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(LIMIT)
        client.connect(str(path))
        client.sendall(data)
        got = b""
        while len(got) < len(data) and (more := client.recv(65536)):
            got += more
    return got


def straight(data: bytes) -> int | None:
    """A way of the bytes on which nothing happens to them."""
    return None


def test_a_way_through_a_proxy_takes_its_time(echo: Path) -> None:
    slow: Weather = delaying(random.Random(1), 0.1, 0.1)
    before = echo.stat().st_ino
    with Proxy(echo, slow, straight):
        began = time.monotonic()
        assert sent(echo, b"move") == b"move"
        assert time.monotonic() - began >= 0.1
        assert echo.stat().st_ino != before
    assert echo.stat().st_ino == before
    assert sent(echo, b"move") == b"move"


def test_a_connection_is_cut_off_within_an_answer(echo: Path) -> None:
    with Proxy(echo, straight, cutting(random.Random(3), one_in=1)):
        lengths = {len(sent(echo, b"0123456789")) for _ in range(20)}
    assert lengths <= set(range(11))
    assert len(lengths) > 3


def test_a_server_that_was_started_anew_keeps_its_socket(echo: Path) -> None:
    """A server that was started anew behind a proxy keeps its own socket when the proxy ends."""
    with Proxy(echo, straight, straight):
        echo.unlink()
        new = socket.socket(socket.AF_UNIX)
        new.bind(str(echo))
        inode = echo.stat().st_ino
    assert echo.stat().st_ino == inode
    assert [path.name for path in echo.parent.iterdir()] == [echo.name]
    new.close()


def test_the_clock_of_a_process_jumps(tmp_path: Path) -> None:
    """While it runs; ours stays, and so does every other clock of that process."""
    movable = movable_clock(tmp_path)
    if movable is None:
        pytest.skip("there is no C compiler")
    clock, environment = movable
    program = "import time\nfor _ in range(2): print(time.time(), time.monotonic(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = [float(word) for word in process.stdout.readline().split()]
        _set(clock, -3600)
        process.stdin.write("\n")
        process.stdin.flush()
        second = [float(word) for word in process.stdout.readline().split()]
        process.communicate("\n")
    assert abs(first[0] - time.time()) < LIMIT
    assert -3610 < second[0] - first[0] < LIMIT - 3600
    assert 0 <= second[1] - first[1] < LIMIT


def test_a_hash_stands_for_a_token() -> None:
    """The same one for the same token: so answers can be compared."""
    shown = without_tokens({"seats": [{"seat": 0, "token": "mg_secret"}], "token": "mg_secret"})
    assert shown["token"] == shown["seats"][0]["token"] != "mg_secret"
    assert shown["seats"][0]["seat"] == 0
