"""The Redis protocol, as far as it takes to ask a server for something."""

import socket
from collections.abc import Sequence
from typing import Any, BinaryIO, Final, Self

ANSWER: Final = 3.0  # seconds that one may take


class Refused(Exception):
    """The server refuses; the message is its own."""


def ask(host: str, port: int, *request: str | bytes | int) -> Any:
    """The reply to a request, over a connection of its own. Raises Refused, OSError."""
    with Talk(host, port) as talk:
        return talk.ask(*request)


class Talk:
    """One connection to a server."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), ANSWER)
        self._file = self._socket.makefile("rb")

    def ask(self, *request: str | bytes | int) -> Any:
        """The reply to a request. Raises Refused, OSError."""
        self._socket.sendall(_packed(request))
        return self.hear()

    def hear(self) -> Any:
        """The next reply. Raises Refused, OSError."""
        return _reply(self._file)

    def close(self) -> None:
        """End it."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _packed(request: Sequence[str | bytes | int]) -> bytes:
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in request]
    return b"*%d\r\n" % len(parts) + b"".join([b"$%d\r\n%s\r\n" % (len(part), part) for part in parts])


def _reply(file: BinaryIO) -> Any:
    line = file.readline()
    if not line.endswith(b"\r\n"):
        raise ConnectionError("the server has closed the connection")
    kind, rest = line[:1], line[1:-2]
    match kind:
        case b"+":
            return rest
        case b"-":
            raise Refused(rest.decode(errors="replace"))
        case b":":
            return int(rest)
        case b"$":
            return None if rest == b"-1" else file.read(int(rest) + 2)[:-2]
        case b"*":
            return [_reply(file) for _ in range(int(rest))]
    raise ConnectionError(f"no reply: {line!r}")
