"""A bad connection: stands between a client and a real server and does harm when told to."""

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote


class BadConnection:
    """Forwards requests and replies; `lose_replies` next replies are read from the server and thrown away.

    With `silent`, the connection of a lost reply stays open, so that the client's time runs out; else it is cut.
    `requests` counts what went through. A server that has yet to learn a script says so, and is asked once more: this
    answer is not lost, and the request counts once. So no test depends on the scripts of the tests before it.
    """

    def __init__(self, server_url: str, directory: Path) -> None:
        self.lose_replies = 0
        self.silent = False
        self.requests = 0
        self.requested: Callable[[bytes], None] = lambda _: None
        self._server = unquote(server_url.removeprefix("unix://"))
        self._path = directory / "bad.sock"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"unix://{self._path}"

    def close(self) -> None:
        """No more connections."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """Forward until either side goes, with or without a word, at any moment of a test or after its end."""
        with client, socket.socket(socket.AF_UNIX) as server, suppress(ConnectionError, FileNotFoundError):
            server.connect(self._server)
            self._forward(client, server)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        """Bytes of either side go on when they come: a long request may arrive in pieces."""
        answered = True
        while True:
            ready, _, _ = select.select([client, server], [], [])
            if client in ready:
                piece = client.recv(1 << 20)
                if not piece:
                    return
                self.requests += answered
                answered = False
                self.requested(piece)
                server.sendall(piece)
                continue
            reply = server.recv(1 << 20)
            answered = True
            if not reply:
                return
            learns = reply.startswith(b"-NOSCRIPT")
            self.requests -= learns
            if learns or self.lose_replies == 0:
                client.sendall(reply)
                continue
            self.lose_replies -= 1
            if self.silent:
                client.recv(1)  # keep the connection open until the client gives up
            return
