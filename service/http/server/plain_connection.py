# compiled into serving
"""A connection while plain requests come over it: each is answered with one send, past gunicorn."""

import errno
import time
from io import BytesIO
from typing import Any, Final, NamedTuple

import gevent  # type: ignore[import-untyped]
from gevent.socket import socket as greenlets_socket  # type: ignore[import-untyped]
from gunicorn import SERVER, util
from gunicorn.http.wsgi import Response

from service.http.responses import STATUS, Pieces, Reply
from service.http.server.arrivals import Arrivals
from service.http.server.plain_requests import PlainRequests

AT_ONCE: Final = 8192  # bytes that are read at once
BODY_FOLLOWS: Final = 1.0  # seconds after which a body that came apart from its head is left to gunicorn, too
HUNG_UP: Final = (
    errno.EPIPE,
    errno.ECONNRESET,
    errno.ENOTCONN,
    errno.ETIMEDOUT,
    errno.EHOSTUNREACH,
    errno.ENETUNREACH,
)  # a caller that is gone, or whose network is


class Resumed:
    """A caller's connection of which something has been read already; that is read first."""

    def __init__(self, sock: Any, read: bytes) -> None:
        self._sock = sock
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def recv(self, size: int) -> bytes:
        """Next bytes."""
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
        # What gevent does around the system's calls is for those who wait; here nobody does.
        at_once = sock._sock if type(sock) is greenlets_socket else sock  # noqa: SLF001 -- gevent's name
        self._recv: Any = at_once.recv
        self._send_some: Any = at_once.send
        self._environ = requests.connection(server, client)
        self._answer: Any = worker.wsgi.answer

    def serve(self, data: bytes = b"") -> bytes | None:
        """Answer one request after the other; the bytes of the first that is not plain, None when all is over.

        `data`: what was read already. The connection does not block from now on.
        """
        self._sock.setblocking(False)
        arrivals = Arrivals(self._sock, self._worker.cfg.keepalive)
        try:
            return self._serve(arrivals, data)
        finally:
            arrivals.close()

    def _serve(self, arrivals: Arrivals, data: bytes) -> bytes | None:
        while True:
            if data:
                gevent.sleep(0)  # its next request was there already: the others come first
            else:
                if not arrivals.wait():
                    return None
                try:
                    data = self._recv(AT_ONCE)
                except BlockingIOError:  # woken for nothing, as a system may do
                    continue
                if not data:
                    return None
            request = self._requests.read(data, self._environ)
            if request is None:
                return data
            if len(data) < request.end and len(data := data + self._rest()) < request.end:
                return data
            request.environ["wsgi.input"] = BytesIO(data[request.body : request.end])
            data = data[request.end :]
            self._worker.nr += 1
            reply: Reply = self._answer(request.environ)
            keep = bool(self._worker.alive)
            if reply.pieces is None:
                self._send(whole_answer(reply, keep=keep))
            else:
                keep = self._streamed(request.environ["REQUEST_METHOD"], reply, reply.pieces)
            if not keep:
                return None

    def _rest(self) -> bytes:
        """Bytes that follow soon."""
        self._sock.settimeout(BODY_FOLLOWS)
        try:
            return bytes(self._sock.recv(AT_ONCE))
        except TimeoutError:
            return b""
        finally:
            self._sock.setblocking(False)

    def _send(self, data: bytes) -> None:
        """Send an answer, nearly always at once."""
        try:
            sent = self._send_some(data)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self._patient.sendall(memoryview(data)[sent:])

    def _streamed(self, method: str, reply: Reply, pieces: Pieces) -> bool:
        """Send an answer in pieces, as gunicorn does."""
        response = Response(Asked(method), self._patient, self._worker.cfg)
        if not self._worker.alive:
            response.force_close()
        try:
            response.start_response(STATUS[reply.status], reply.headers)
            for piece in pieces:
                response.write(piece)
            response.close()
        except Exception as error:
            if not response.headers_sent or isinstance(error, OSError):
                raise
            self._worker.log.exception("Error handling request")
            return False
        finally:
            pieces.close()
        return not response.should_close()


class Asked(NamedTuple):
    """The facts about a request that gunicorn needs for its answer."""

    method: str
    version: tuple[int, int] = (1, 1)

    def should_close(self) -> bool:
        """True if the caller wants the connection closed."""
        return False


def whole_answer(reply: Reply, *, keep: bool) -> bytes:
    """Head and body of an answer."""
    return f"{_first_lines(STATUS[reply.status], keep)}{reply.lines}\r\n".encode("latin-1") + reply.body


_made: dict[str, str] = {}  # by status, where the connection is kept
_made_last: dict[str, str] = {}  # and where it is not
_made_at = 0.0  # the second in which they were made; a date is in them


def _first_lines(status: str, keep: bool) -> str:
    """The lines of a head that are the same for a second."""
    global _made_at  # noqa: PLW0603
    now = time.time()
    if not _made_at <= now < _made_at + 1.0:
        _made.clear()
        _made_last.clear()
        _made_at = float(int(now))
    made = _made if keep else _made_last
    lines = made.get(status)
    if lines is None:
        lines = f"HTTP/1.1 {status}\r\nServer: {SERVER}\r\nDate: {util.http_date(_made_at)}\r\n"
        lines += "Connection: keep-alive\r\n" if keep else "Connection: close\r\n"
        made[status] = lines
    return lines
