"""A server in the Redis protocol that answers as a test says."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

Behaviour = Callable[[int, str], bytes | None]


class ScriptedServer:
    """Answers every request with what `behave(connection, request)` returns; None cuts the connection.

    A connection is its number, a request its arguments with spaces between. `sends` has, by connection, the requests
    that came together.
    """

    def __init__(self, directory: Path, behave: Behaviour) -> None:
        self.behave = behave
        self.sends: list[tuple[int, list[str]]] = []
        self.connections = 0
        self._clients: list[socket.socket] = []
        self._path = directory / "scripted.sock"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen(128)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"unix://{self._path}"

    @property
    def requests(self) -> list[str]:
        """All that was asked for, in order."""
        return [request for _, requests in self.sends for request in requests]

    def close(self) -> None:
        """No more connections."""
        self._path.unlink(missing_ok=True)
        self._listener.close()

    def cut(self) -> None:
        """Cut all open connections."""
        for client in self._clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._clients.append(client)
                threading.Thread(target=self._serve, args=(client, self.connections), daemon=True).start()
                self.connections += 1

    def _serve(self, client: socket.socket, number: int) -> None:
        with client, suppress(OSError):
            while piece := client.recv(1 << 20):
                requests = _requests(piece)
                self.sends.append((number, requests))
                for request in requests:
                    reply = self.behave(number, request)
                    if reply is None:
                        return
                    client.sendall(reply)


def _requests(piece: bytes) -> list[str]:
    """The requests that one read brings: those sent together are small enough to arrive together."""
    lines, requests = piece.decode().split("\r\n"), list[str]()
    while lines[0]:
        count = 2 * int(lines[0].removeprefix("*"))
        requests.append(" ".join(lines[2 : 1 + count : 2]))
        lines = lines[1 + count :]
    return requests


def echo(_: int, request: str) -> bytes:
    """A reply that repeats the request, so that a caller knows its own."""
    return b"+%b\r\n" % request.encode()
