"""Servers that take a connection and never say anything, as a Redis does that was stopped."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Barrier, Thread

from tests.support.waiting import LIMIT


@contextmanager
def silent(name: str, heard: list[str], meeting: Barrier | None = None) -> Iterator[str]:
    """The URL of such a server; for each connection its name is put on the list, at the end for every one.

    With a `meeting` it hangs up once all servers that meet there were asked.
    """
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as last:
        last.bind(("127.0.0.1", 0))

        def listen() -> None:
            while (taken := listening.accept())[1] != last.getsockname():
                kept.append(taken[0])
                heard.append(name)
                if meeting is not None:
                    meeting.wait(LIMIT)
                    taken[0].close()

        listener = Thread(target=listen, daemon=True)
        listener.start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}"
        last.connect(listening.getsockname())
        listener.join()
    for connection in kept:
        connection.close()
