"""A connection while plain requests come over it: each is answered with one send, past gunicorn."""

import errno
import time
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any, Final, NamedTuple
from wsgiref.types import WSGIEnvironment

import gevent  # type: ignore[import-untyped]
from gunicorn import SERVER, util
from gunicorn.http.wsgi import Response

from service.http.server.plain_requests import PlainRequests

AT_ONCE: Final = 8192  # bytes that are read at once
BODY_FOLLOWS: Final = 1.0  # seconds after which a body that came apart from its head is left to gunicorn, too
HUNG_UP: Final = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN)


class Resumed:
    """A caller's connection of which something has been read already; that is read first."""

    def __init__(self, sock: Any, read: bytes) -> None:
        self._sock = sock
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def recv(self, size: int) -> bytes:
        """What comes next."""
        if not self._read:
            return bytes(self._sock.recv(size))
        taken, self._read = self._read[:size], self._read[size:]
        return taken


class PlainConnection:
    """Answers plain requests, until one comes that is not plain."""

    def __init__(
        self, worker: Any, requests: PlainRequests, server: Any, sock: Any, patient: Any, client: Any
    ) -> None:
        """`worker`: gunicorn's; `sock`: the connection; `patient`: the same for answers; both ends' addresses."""
        self._worker = worker
        self._requests = requests
        self._sock = sock
        self._patient = patient
        self._environ = requests.connection(server, client)

    def serve(self, data: bytes = b"") -> bytes | None:
        """Answer one request after the other; the bytes of the first that is not plain, None when all is over.

        `data`: what was read already.
        """
        while True:
            data = data or self._received(self._worker.cfg.keepalive)
            if not data:
                return None
            request = self._requests.read(data, self._environ)
            if request is None:
                return data
            if len(data) < request.end and len(data := data + self._received(BODY_FOLLOWS)) < request.end:
                return data
            # A caller whose next request is always there already must not keep the others waiting.
            gevent.sleep(0)
            request.environ["wsgi.input"] = BytesIO(data[request.body : request.end])
            data = data[request.end :]
            if not self._answered(request.environ):
                return None

    def _received(self, seconds: float) -> bytes:
        """What the caller sends next; nothing if that takes longer, or if it has hung up."""
        self._sock.settimeout(seconds)
        try:
            return bytes(self._sock.recv(AT_ONCE))
        except TimeoutError:
            return b""

    def _answered(self, environ: WSGIEnvironment) -> bool:
        """Answer a request; whether another one may follow."""
        started: list[Started] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], _: Any = None
        ) -> Callable[[bytes], object]:
            started.append(Started(status, headers))
            return _no_write

        worker = self._worker
        worker.nr += 1
        pieces = worker.wsgi(environ, start_response)
        if type(pieces) is list and len(pieces) == 1:
            head = started[-1].head(len(pieces[0]), keep=worker.alive)
            if head is not None:
                self._patient.sendall(head + pieces[0])
                return bool(worker.alive)
        return self._streamed(environ["REQUEST_METHOD"], started[-1], pieces)

    def _streamed(self, method: str, started: "Started", pieces: Iterable[bytes]) -> bool:
        """Send an answer as gunicorn does: any form of body, headers checked."""
        response = Response(Asked(method), self._patient, self._worker.cfg)
        if not self._worker.alive:
            response.force_close()
        try:
            response.start_response(started.status, started.headers)
            for piece in pieces:
                response.write(piece)
            response.close()
        except Exception as error:
            if not response.headers_sent or isinstance(error, OSError):
                raise
            self._worker.log.exception("Error handling request")
            return False
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
        return not response.should_close()


class Asked(NamedTuple):
    """What gunicorn wants to know of a request in order to answer it."""

    method: str
    version: tuple[int, int] = (1, 1)

    def should_close(self) -> bool:
        """Whether the caller wants the connection closed."""
        return False


class Started(NamedTuple):
    """How an answer starts: its status and headers."""

    status: str
    headers: list[tuple[str, str]]

    def head(self, length: int, *, keep: bool) -> bytes | None:
        """The head of an answer with a body of that length; None if gunicorn has to look at it.

        `keep`: whether the connection is kept.
        """
        lengths = [value for name, value in self.headers if name == "Content-Length"]
        if lengths != ([] if self.status[:3] == "304" and not length else [str(length)]):
            return None
        if self.status[0] == "1" or self.status[:3] == "204":
            return None
        connection = "keep-alive" if keep else "close"
        lines = [
            f"HTTP/1.1 {self.status}",
            f"Server: {SERVER}",
            f"Date: {_now()}",
            f"Connection: {connection}",
        ]
        lines += [f"{name}: {value}" for name, value in self.headers]
        head = "\r\n".join(lines)
        if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
            return None
        return head.encode("latin-1") + b"\r\n\r\n"


def _no_write(_: bytes) -> None:
    raise NotImplementedError("answers are returned, not written")


_date = (0, "")


def _now() -> str:
    """The time as HTTP writes it."""
    global _date  # noqa: PLW0603 -- made once a second
    second = int(time.time())
    if second != _date[0]:
        _date = (second, util.http_date(second))
    return _date[1]
