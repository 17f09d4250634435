"""A way to a server on which connections die without a word, as when packets are lost."""

import socket
import threading
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

PIECE: Final = 1 << 16  # bytes


class SilentWay:
    """Passes connections on. After `fall_silent` those that were open carry nothing more, and nobody is told; new ones
    work.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.opened = 0
        self.dead = 0
        self._kept: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        """Let every open connection carry nothing more."""
        self.dead = self.opened

    def close(self) -> None:
        """Take no more connections, and cut those that there are."""
        self._listener.close()
        for end in self._kept:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.opened += 1
                try:
                    server = socket.create_connection(self._server)
                except ConnectionError:  # it is away
                    client.close()
                    continue
                self._kept += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(
                        target=self._carry, args=(source, sink, self.opened), daemon=True
                    ).start()

    def _carry(self, source: socket.socket, sink: socket.socket, number: int) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if number > self.dead:
                    sink.sendall(piece)
            if number > self.dead:
                sink.shutdown(socket.SHUT_RDWR)
