"""A proxy in the place of a server's unix socket: what goes through it can be delayed, or cut off at any byte."""

import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

CHUNK: Final = 65536
ONE_SEND: Final = b"CLIENT KILL TYPE normal\r\n"

# What becomes of bytes on their way: they are passed on whole (None), or only so many, and then both ends are closed.
Weather = Callable[[bytes], int | None]


class Proxy:
    """A proxy in place of a socket: every connection to it runs through the proxy."""

    def __init__(self, path: Path, to_server: Weather, to_client: Weather) -> None:
        """`to_server` and `to_client` may also take their time: bytes wait meanwhile, in order."""
        self._path = path
        self._real = path.with_name(path.name + ".behind")
        self._to_server, self._to_client = to_server, to_client
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._inode = -1
        self._removed = False

    def __enter__(self) -> Self:
        """Take the socket's place, and make everybody connect anew."""
        self._path.rename(self._real)
        self._listener.bind(str(self._path))
        self._path.chmod(0o700)
        self._inode = self._path.stat().st_ino
        self._listener.listen(256)
        threading.Thread(target=self._accept, daemon=True).start()
        with suppress(OSError), socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self._real))
            control.sendall(ONE_SEND)
            control.recv(CHUNK)
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the socket back, unless a new server has made one meanwhile, and cut off whatever is on its way."""
        self._removed = True
        with suppress(OSError):
            if self._path.stat().st_ino == self._inode:
                self._real.rename(self._path)
        self._real.unlink(missing_ok=True)
        self._listener.close()
        with self._lock:
            for end in self._open:
                _shut(end)

    def _accept(self) -> None:
        while not self._removed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._real))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open |= {client, server}
            for source, sink, weather in (
                (client, server, self._to_server),
                (server, client, self._to_client),
            ):
                threading.Thread(target=self._pass_on, args=(source, sink, weather), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, weather: Weather) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                allowed = weather(data)
                sink.sendall(data if allowed is None else data[:allowed])
                if allowed is not None:
                    break
        _shut(source)
        _shut(sink)


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def delaying(rng: random.Random, least: float, most: float) -> Weather:
    """Bytes take so many seconds."""

    def weather(data: bytes) -> int | None:
        time.sleep(rng.uniform(least, most))
        return None

    return weather


def cutting(rng: random.Random, one_in: int) -> Weather:
    """Weather that cuts off one of so many sends, anywhere: before it, within it, or behind its last byte."""

    def weather(data: bytes) -> int | None:
        return rng.randint(0, len(data)) if rng.randrange(one_in) == 0 else None

    return weather
