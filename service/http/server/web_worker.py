"""The gunicorn worker: a gevent worker that refuses invalid HTTP by a problem document, like every other refusal."""

import errno
import socket
import struct
import time
from functools import cache, partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import gevent  # type: ignore[import-untyped]
import prometheus_client  # noqa: F401 (see below)
from gunicorn import util
from gunicorn.http import errors
from gunicorn.http.body import Body, ChunkedReader, LengthReader
from gunicorn.workers.ggevent import GeventWorker

import events.caching  # noqa: F401
from service.http import problems
from service.http.admission.cors import ON_EVERY_ANSWER
from service.http.call import BODY_LIMIT, REQUEST_ID, new_request_id
from service.http.problems import Problem
from service.http.server.fair_accepting import ConnectionCounts, FairServer
from service.http.server.plain_connection import HUNG_UP, PlainConnection, Resumed
from service.http.server.plain_requests import PlainRequests, is_usual
from service.http.server.standing_by import AcceptingPlaces, Turn

READ_AWAY = (
    1024 * 1024
)  # bytes of a refused body that are still read, so that its sender gets to see the answer
PATIENCE = 2  # seconds for that
STALLED = 30.0  # seconds in which a caller takes or confirms nothing of its answer; then it gets no more
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
RESET = struct.pack("ii", 1, 0)  # of a connection, so that the system keeps nothing of the answer either

# Metrics and caches are imported here, before gunicorn has gevent replace the locks, so that they keep threads' locks.
# They take one several times a request, and never wait under it; gevent's would cost ten times as much.


@cache
def connections() -> ConnectionCounts:
    """Counts of all workers; gunicorn's arbiter makes them before it forks the first."""
    return ConnectionCounts()


@cache
def places() -> AcceptingPlaces:
    """Places of all workers; gunicorn's arbiter makes them before it forks the first."""
    return AcceptingPlaces()


class PromptBody(Body):  # type: ignore[misc]
    """A request's body, all of which has to be there within a time; TimeoutError for who reads one that is not.

    A client that waits for 100 Continue gets it when somebody reads the body (RFC 9110, 10.1.1). If nobody does, it is
    unknown whether it comes, so the connection ends with the answer.
    """

    def __init__(self, req: Any, seconds: float, sock: Any) -> None:
        """`sock`: the caller's connection."""
        super().__init__(req.body.reader)
        self._req = req
        self._force_close = req.force_close
        self._end = time.monotonic() + seconds
        self._sock = sock
        self._closes = req.must_close
        self._is_awaited = bool(req._expected_100_continue and _unread(req))  # noqa: SLF001 -- gunicorn's name
        req._expected_100_continue = False  # noqa: SLF001 -- gunicorn would send it before anybody reads
        if self._is_awaited:
            self._force_close()

    def leave(self) -> None:
        """Send no further 100 Continue; the rest of the body is read and thrown away."""
        self._is_awaited = False

    def read(self, size: int | None = None) -> bytes:
        """Up to `size` bytes, or all of them; where the next request would begin is unknown if they are late."""
        if self._is_awaited:
            self._is_awaited = False
            self._sock.sendall(CONTINUE)
            self._req.must_close = self._closes
        try:
            with gevent.Timeout(max(0.0, self._end - time.monotonic()), TimeoutError):
                return bytes(super().read(size))
        except TimeoutError:
            self._force_close()
            raise


class PatientSocket:
    """A caller's connection, for its answer; a caller that does not read is cut off.

    Until then it takes what a caller takes, who counts for as long: a place among those who get an export, a stream.
    """

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def sendall(self, data: bytes) -> None:
        """Send all of it, however long that takes, as long as some of it goes; ConnectionResetError if none does."""
        left, before = memoryview(data), self._sock.gettimeout()
        self._sock.settimeout(STALLED)
        try:
            while left:
                left = left[self._sock.send(left) :]
        except TimeoutError:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            raise ConnectionResetError(errno.ECONNRESET, "the caller does not read its answer") from None
        finally:
            self._sock.settimeout(before)


class ProblemWorker(GeventWorker):  # type: ignore[misc]
    """Worker of gunicorn that makes the answer to requests that gunicorn itself refuses.

    Plain requests are read and answered past gunicorn; all others go to gunicorn.
    """

    def __init__(self, *args: Any) -> None:
        """Make the worker; the arbiter does so before it forks."""
        super().__init__(*args)
        self.share = connections().take()
        self.places = places()
        self._servers: list[FairServer] = []
        self._turn: Turn | None = None

    def server_class(self, listener: Any, *, spawn: Any, ssl_context: Any = None, **_: Any) -> FairServer:
        """Server that takes the connections of a socket, when it is this worker's turn."""
        options = {"ssl_context": ssl_context} if ssl_context else {}
        hang_up_on_the_silent(listener)
        server = FairServer(
            listener,
            partial(self.handle, listener),
            self.share,
            spawn=spawn,
            leave=self._leave,
            **options,
        )
        self._servers.append(server)
        return server

    def notify(self) -> None:
        """Give a sign of life; called once a second, from when the servers are there."""
        super().notify()
        if self._turn is None:
            self._turn = Turn(self.places, self._begin, self._end)
        self._turn.look()

    def _begin(self) -> None:
        for server in self._servers:
            server.begin()

    def _end(self) -> None:
        for server in self._servers:
            server.end()

    def _leave(self) -> None:
        if self._turn is not None:
            self._turn.leave()

    def init_process(self) -> None:
        """Begin to serve."""
        self._plain = PlainRequests(self.cfg) if is_usual(self.cfg) else None
        super().init_process()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve a connection."""
        left = self._serve_plain(listener.getsockname(), client, addr, b"")
        if left is not None:
            super().handle(listener, Resumed(client, left), addr)

    def _serve_plain(self, server: Any, client: Any, addr: Any, data: bytes) -> bytes | None:
        """Answer plain requests; what was read of the first that is not plain, None when the connection is over."""
        if self._plain is None or not isinstance(addr, tuple):
            return data
        left = None
        try:
            connection = PlainConnection(self, self._plain, server, client, PatientSocket(client), addr)
            left = connection.serve(data)
        except (gevent.GreenletExit, SystemExit):
            self.log.debug("the worker ends, and its connections with it")
        except OSError as error:
            if error.errno not in HUNG_UP:
                self.log.exception("Socket error processing request.")
        except BaseException as error:  # noqa: BLE001 -- gunicorn does as much
            self.handle_error(None, client, addr, error)
        finally:
            if left is None:
                util.close(client)
        return left

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> None:
        """Serve one request; a body that nobody read ends the connection."""
        # A caller whose next request is always there already must not keep the others waiting.
        gevent.sleep(0)
        refuse_codings(req)
        take_target(req)
        if _unread(req) > BODY_LIMIT:
            req.force_close()
        patient = PatientSocket(sock)
        req.body = PromptBody(req, self.cfg.keepalive, patient)
        try:
            super().handle_request(listener_name, req, patient, addr)
        finally:
            req.body.leave()
            if _unread(req) and not req.body.failed:
                _read_away(req)
        if self.alive and not req.must_close and not req.body.failed:
            self._go_on(listener_name, req, sock, addr)

    def _go_on(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> None:
        """Serve the plain requests that follow on one that was not plain."""
        left = self._serve_plain(listener_name, sock, addr, req.unreader.take_buffered())
        if left is None:
            raise StopIteration
        sock.setblocking(1)
        req.unreader.unread(left)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what could not be parsed, or log what should not have happened."""
        request_id = new_request_id()
        match exc:
            case errors.LimitRequestLine():
                problem = Problem("uri-too-long", "The request line is too long.")
            case errors.LimitRequestHeaders():
                problem = Problem(
                    "headers-too-large", "There are too many header fields, or one is too long."
                )
            case errors.UnsupportedTransferCoding():
                problem = Problem("not-implemented", "Only the transfer coding `chunked` is understood.")
            case errors.ParseException():
                problem = Problem("bad-request", "The request is not valid HTTP/1.1.")
            case _:
                about = {"request_id": request_id}
                self.log.error("an error outside of the application", exc_info=exc, extra=about)
                problem = Problem("internal-error", "An error in the service stopped this request.")
        try:
            PatientSocket(client).sendall(_on_the_wire(problem, request_id))
        except OSError:
            self.log.debug("the client did not wait for its answer")


def hang_up_on_the_silent(listener: Any) -> None:
    """Let the system end each connection whose other side confirms nothing of what is sent for `STALLED`.

    The system itself waits for a quarter of an hour. A phone without a network would count as connected until then.
    """
    if listener.family in (socket.AF_INET, socket.AF_INET6) and hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(STALLED * 1000))


def refuse_codings(req: Any) -> None:
    """RFC 9112, 6.1: nothing here undoes another transfer coding, so a body in one would be read as it is."""
    for name, value in req.headers:
        if name == "TRANSFER-ENCODING" and value.lower() != "chunked":
            raise errors.UnsupportedTransferCoding(value)


def take_target(req: Any) -> None:
    """RFC 9112, 3.2.2: where the target is a whole address, that says which host is asked, and `Host` does not."""
    if req.uri[:1] in ("/", "*") or req.method == "CONNECT":
        return
    target = urlsplit(req.uri)
    if target.scheme not in ("http", "https") or not target.netloc or "@" in target.netloc:
        raise errors.InvalidRequestLine(req.uri)
    req.path = req.path or "/"
    req.headers = [(name, target.netloc if name == "HOST" else value) for name, value in req.headers]


def _unread(req: Any) -> int:
    """The bytes of the body that are still to come; 1 where only its end will tell."""
    match req.body.reader:
        case LengthReader(length=length):
            return int(length)
        case ChunkedReader(parser=parser):
            return 1 if parser else 0
        case _:
            return 0


def _read_away(req: Any) -> None:
    left = READ_AWAY
    with gevent.Timeout(PATIENCE, False):
        try:
            while left > 0 and (piece := req.body.read(min(left, 65536))):
                left -= len(piece)
        except (OSError, errors.ParseException):
            left = 0
    if _unread(req):
        req.force_close()


def _on_the_wire(problem: Problem, request_id: str) -> bytes:
    reply = problems.answer(problem, request_id)
    first = f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n"
    last = f"Content-Length: {len(reply.body)}\r\nConnection: close\r\n{REQUEST_ID}: {request_id}\r\n"
    return f"{first}{reply.lines}{last}{ON_EVERY_ANSWER}\r\n".encode("latin-1") + reply.body
