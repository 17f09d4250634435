"""A server of somebody else's, as bad as may be: each request is answered by the next of its scripts."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Script = Callable[[socket.socket], None]


@dataclass(frozen=True, slots=True)
class Received:
    """A request: its first line, its headers in lower case, its body."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        """The body."""
        found: dict[str, Any] = json.loads(self.body)
        return found


def answer(body: bytes | dict[str, Any] = b"", status: int = 200, *headers: str) -> Script:
    """An answer as it should be. The server hangs up after it, and says so: else a client asks again on it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [
        f"HTTP/1.1 {status} Whatever",
        f"Content-Length: {len(raw)}",
        "Connection: close",
        *headers,
        "",
        "",
    ]
    return lambda connection: connection.sendall("\r\n".join(head).encode() + raw)


def say(raw: bytes) -> Script:
    """Send these bytes, and hang up."""
    return lambda connection: connection.sendall(raw)


def hang_up(connection: socket.socket) -> None:
    """Hang up without a word."""


def drip(raw: bytes, then: bytes, pause: float = 0.05) -> Script:
    """So slowly that every single read is answered soon: first `raw`, then `then` again and again."""

    def script(connection: socket.socket) -> None:
        connection.sendall(raw)
        while True:
            connection.sendall(then)
            time.sleep(min(0.05, pause))

    return script


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
MOVE = b'10\r\n{"move": "pass"}\r\n'
# Answers that never end, and of which the next part is always there already: no read ever waits.
ENDLESS: dict[str, Script] = {
    "preliminary answers": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500, 0.0),
    "early hints": drip(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 500, 0.0),
    "headers": drip(OK, b"X-Header: 1\r\n" * 1000, 0.0),
    "one header": drip(OK + b"X-Header: ", b"x" * 16_384, 0.0),
    "status line": drip(b"HTTP/1.1 200 ", b"x" * 16_384, 0.0),
    "trailers": drip(CHUNKED + MOVE + b"0\r\n", b"X-Trailer: 1\r\n" * 1000, 0.0),
    "chunk extensions": drip(CHUNKED, b"1;" + b"x" * 65_000 + b"\r\n \r\n", 0.0),
    "small chunk extensions": drip(CHUNKED, (b"1;" + b"x" * 8_000 + b"\r\n \r\n") * 8, 0.0),
    "one chunk extension": drip(CHUNKED + b"1;", b"x" * 16_384, 0.0),
    "tiny chunks": drip(CHUNKED, b"1\r\n \r\n" * 2_000, 0.0),
    "a body": drip(OK + b"\r\n", b" " * 16_384, 0.0),
    "a redirect": drip(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", b" " * 16_384, 0.0),
}


def be_silent(connection: socket.socket) -> None:
    """Take the request and never answer."""
    connection.recv(1)


@dataclass
class BotServer:
    """Listens on a port of its own; the last script answers all that follow."""

    scripts: list[Script]
    certificate: Path | None = None
    received: list[Received] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)  # that TLS clients asked for

    def __post_init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._socket.getsockname()[1]
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if self.certificate is not None:
            self._tls.load_cert_chain(self.certificate)
            self._tls.sni_callback = lambda _, name, __: self.names.append(name)
        self._connections = 0

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def listen(self) -> None:
        """Serve until the socket is closed."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            number, self._connections = self._connections, self._connections + 1
            script = self.scripts[min(number, len(self.scripts) - 1)]
            threading.Thread(target=self._serve, args=(connection, script), daemon=True).start()

    def close(self) -> None:
        """Stop listening; nobody gets an answer any more."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self, plain: socket.socket, script: Script) -> None:
        try:
            connection = self._tls.wrap_socket(plain, server_side=True) if self.certificate else plain
            with connection:
                received = _read(connection)
                self.at.append(time.monotonic())
                self.received.append(received)
                script(connection)
        except OSError:
            plain.close()


@contextmanager
def bot_server(*scripts: Script, certificate: Path | None = None) -> Iterator[BotServer]:
    """A server that listens."""
    server = BotServer(list(scripts), certificate)
    threading.Thread(target=server.listen, daemon=True).start()
    try:
        yield server
    finally:
        server.close()


def _read(connection: socket.socket) -> Received:
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += _more(connection)
    head, _, body = raw.partition(b"\r\n\r\n")
    line, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (entry.partition(":") for entry in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += _more(connection)
    return Received(line, headers, body)


def _more(connection: socket.socket) -> bytes:
    found = connection.recv(65536)
    if not found:
        raise ConnectionError
    return found
