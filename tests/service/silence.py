"""Servers that take a connection and never say anything, as a Redis does that was stopped."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


@contextmanager
def silent(name: str, heard: list[str]) -> Iterator[str]:
    """The URL of such a server; for each connection its name is put on the list."""
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def listen() -> None:
            with suppress(OSError):
                while True:
                    kept.append(listening.accept()[0])
                    heard.append(name)

        listener = Thread(target=listen)
        listener.start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        listener.join()
    for connection in kept:
        connection.close()
