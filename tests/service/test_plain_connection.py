"""Connections over which plain requests come: how these are answered, and when gunicorn takes over."""

import logging
import re
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.workers.ggevent import GeventWorker

from service.http.responses import STATUS, Pieces, Reply
from service.http.server import plain_connection
from service.http.server import web_worker as web_worker_module
from service.http.server.plain_connection import PlainConnection, Resumed
from service.http.server.plain_requests import PlainRequests
from service.http.server.web_worker import ProblemWorker
from tests.support.waiting import LIMIT

GET = b"GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /here HTTP/1.1\r\nContent-Length: 4\r\n\r\n"
ODD = b"GET /here HTTP/1.0\r\n\r\n"
HERE, THERE = ("127.0.0.1", 8000), ("192.0.2.7", 5555)
JSON = "Content-Type: application/json\r\n"


def in_pieces(pieces: Iterable[Any], closed: list[str]) -> Reply:
    """An answer in pieces, which notes when it is closed."""
    return Reply(b"", 200, JSON, Pieces(pieces, lambda: closed.append("closed")))


@dataclass
class Application:
    """An application that answers what it is told to."""

    reply: Reply
    asked: list[tuple[str, bytes]] = field(default_factory=list)

    def answer(self, environ: dict[str, Any]) -> Reply:
        self.asked.append((environ["REQUEST_METHOD"], environ["wsgi.input"].read()))
        return self.reply

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        reply = self.answer(environ)
        start_response(STATUS[reply.status], reply.headers)
        return [reply.body]


@dataclass
class Worker:
    """The part of gunicorn's worker that a connection needs."""

    reply: Reply = field(default_factory=lambda: Reply(b"{}", 200, f"{JSON}Content-Length: 2\r\n"))
    alive: bool = True
    nr: int = 0
    cfg: Config = field(default_factory=Config)
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("test"))

    def __post_init__(self) -> None:
        self.wsgi = Application(self.reply)

    @property
    def asked(self) -> list[tuple[str, bytes]]:
        """Methods and bodies of the requests that came."""
        return self.wsgi.asked


class Sends:
    """A connection, which keeps what is sent at once."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.sent: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def send(self, data: bytes) -> int:
        self.sent.append(data)
        return len(data)

    def sendall(self, data: bytes) -> None:
        self.sent.append(bytes(data))


class Line:
    """A connection to such a worker."""

    def __init__(self, worker: Worker) -> None:
        worker.cfg.set("keepalive", 1)
        self.here, self.there = socket.socketpair()
        self.back = Sends(self.there)
        requests = PlainRequests(worker.cfg)
        self.connection = PlainConnection(worker, requests, HERE, self.back, self.back, THERE)

    def serve(self, data: bytes) -> bytes | None:
        """Send so much and hang up; what is left for gunicorn."""
        self.here.sendall(data)
        self.here.shutdown(socket.SHUT_WR)
        try:
            return self.connection.serve()
        finally:
            self.here.close()
            self.there.close()


def answered(worker: Worker, data: bytes = GET) -> tuple[bytes | None, list[bytes]]:
    """The bytes left for gunicorn, and the sent pieces, without their dates."""
    line = Line(worker)
    left = line.serve(data)
    return left, [re.sub(rb"Date: [^\r]*\r\n", b"", piece) for piece in line.back.sent]


HEAD = b"HTTP/1.1 200 OK\r\nServer: gunicorn\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"


def test_head_and_body_in_one_send() -> None:
    """One request after the other, with bodies and without."""
    worker = Worker()
    left, sent = answered(worker, GET + POST + b"body" + GET)
    assert sent == [HEAD + b"Content-Length: 2\r\n\r\n{}"] * 3
    assert worker.asked == [("GET", b""), ("POST", b"body"), ("GET", b"")]
    assert (left, worker.nr) == (None, 3)


@pytest.mark.parametrize("odd", [ODD, b"nonsense", GET[:-2], POST + b"bo"])
def test_gunicorn_takes_over(odd: bytes) -> None:
    """At the first request that is not plain, or that does not come as a whole: with all of its bytes."""
    left, sent = answered(Worker(), GET + odd)
    assert (left, len(sent)) == (odd, 1)


def test_bytes_that_were_read_are_read_first() -> None:
    """Bytes that were read before are read first, as if they had not been read."""
    here, there = socket.socketpair()
    with here, there:
        here.sendall(b"and more")
        resumed = Resumed(there, b"some ")
        assert [resumed.recv(3), resumed.recv(3), resumed.recv(100)] == [b"som", b"e ", b"and more"]
        assert resumed.fileno() == there.fileno()


def test_a_connection_woken_for_nothing_waits_on() -> None:
    """A system may say that there is something to read where there is nothing yet."""

    class Early(Sends):
        asked = 0

        def recv(self, size: int) -> bytes:
            self.asked += 1
            if self.asked == 1:
                raise BlockingIOError
            return bytes(self._sock.recv(size))

    worker = Worker()
    worker.cfg.set("keepalive", 1)
    here, there = socket.socketpair()
    with here, there:
        here.sendall(GET)
        here.shutdown(socket.SHUT_WR)
        back = Early(there)
        assert PlainConnection(worker, PlainRequests(worker.cfg), HERE, back, back, THERE).serve() is None
    assert (worker.asked, len(back.sent)) == ([("GET", b"")], 1)


@pytest.mark.plain
def test_a_caller_who_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is hung up on after a time; a body that does not follow its head soon is gunicorn's to wait for."""
    monkeypatch.setattr(plain_connection, "BODY_FOLLOWS", 0.05)
    line = Line(Worker())
    assert line.connection.serve() is None
    line = Line(Worker())
    line.here.sendall(POST)
    assert line.connection.serve() == POST


@pytest.mark.parametrize(("status", "name"), [(304, "NOT MODIFIED"), (204, "NO CONTENT")])
def test_no_body(status: int, name: str) -> None:
    """No length is added to an answer that has none."""
    _, sent = answered(Worker(Reply(b"", status, 'ETag: "7"\r\n')))
    head = f'HTTP/1.1 {status} {name}\r\nServer: gunicorn\r\nConnection: keep-alive\r\nETag: "7"\r\n\r\n'
    assert sent == [head.encode()]


def test_an_answer_in_pieces() -> None:
    """Each is sent as it comes; without a length, in chunks."""
    closed = list[str]()
    left, sent = answered(Worker(in_pieces([b"{", b"}"], closed)), GET)
    head = HEAD.replace(b"Content-Type", b"Transfer-Encoding: chunked\r\nContent-Type") + b"\r\n"
    assert sent == [head, b"1\r\n{\r\n", b"1\r\n}\r\n", b"0\r\n\r\n"]
    assert (left, closed) == (None, ["closed"])


def test_a_worker_that_ends() -> None:
    """A worker that ends says so to its callers, and takes no further request."""
    worker = Worker(alive=False)
    left, sent = answered(worker, GET + GET)
    assert (left, len(sent)) == (None, 1)
    assert b"Connection: close" in sent[0]
    worker = Worker(in_pieces([b"{}"], []), alive=False)
    left, sent = answered(worker, GET + GET)
    assert (left, worker.nr) == (None, 1)
    assert b"Connection: close" in sent[0]


def test_an_application_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    """Before anything was sent the worker answers for it; after that the connection just ends."""

    def failing() -> Iterator[bytes]:
        yield b"{"
        raise ZeroDivisionError

    closed = list[str]()
    worker = Worker(in_pieces(failing(), closed))
    left, sent = answered(worker, GET + GET)
    assert (left, worker.nr, closed) == (None, 1, ["closed"])
    assert not b"".join(sent).endswith(b"0\r\n\r\n"), "the caller sees that it is not whole"
    assert "Error handling request" in caplog.text
    with pytest.raises(ZeroDivisionError):
        answered(Worker(in_pieces(iter(lambda: 1 // 0, 0), closed)))
    assert closed == ["closed"] * 2


def web_worker(told: Worker, *, usual: bool = True) -> ProblemWorker:
    """One of the service's own, whose application answers as that worker's."""
    worker = ProblemWorker.__new__(ProblemWorker)
    for name in ("cfg", "alive", "nr", "log", "wsgi"):
        setattr(worker, name, getattr(told, name))
    worker.cfg.set("keepalive", 30)
    worker.max_requests, worker._plain = 1000, PlainRequests(worker.cfg) if usual else None
    worker.log.access = lambda *_: None
    return worker


@pytest.mark.parametrize("usual", [True, False])
def test_gunicorn_gets_what_is_odd_and_nothing_else(monkeypatch: pytest.MonkeyPatch, usual: bool) -> None:
    """After it the next requests on the connection are plain again; set up unusually, it gets them all."""
    odd = b"PUT /there HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody"
    told, asked = Worker(), list[str]()
    worker, handle_request = web_worker(told, usual=usual), GeventWorker.handle_request

    def counted(self: Any, name: Any, req: Any, *rest: Any) -> None:
        asked.append(req.method)
        handle_request(self, name, req, *rest)

    monkeypatch.setattr(GeventWorker, "handle_request", counted)
    here, there = socket.socketpair()
    with here, there, socket.create_server(("127.0.0.1", 0)) as listener:
        here.sendall(GET + odd + POST + b"body" + GET + odd + odd + GET)
        here.shutdown(socket.SHUT_WR)
        worker.handle(listener, there, THERE)
        heard = here.makefile("rb").read()
    methods = ["GET", "PUT", "POST", "GET", "PUT", "PUT", "GET"]
    assert [method for method, _ in told.asked] == methods
    assert asked == (["PUT"] * 3 if usual else methods)
    assert heard.count(b"HTTP/1.1 200 OK\r\n") == heard.count(b"\r\n\r\n{}") == 7


@pytest.mark.plain
def test_a_late_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gunicorn waits for it, and reads it with the head that was read before; then the connection goes on."""
    monkeypatch.setattr(plain_connection, "BODY_FOLLOWS", 0.01)
    told, taken_over = Worker(), Event()

    def noted(*arguments: Any) -> Resumed:
        taken_over.set()
        return Resumed(*arguments)

    monkeypatch.setattr(web_worker_module, "Resumed", noted)
    here, there = socket.socketpair()
    with here, there, socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as caller:

        def call() -> None:
            here.sendall(POST)
            assert taken_over.wait(LIMIT)
            here.sendall(b"body" + GET)
            here.shutdown(socket.SHUT_WR)

        called = caller.submit(call)
        web_worker(told).handle(listener, there, THERE)
        called.result()
        assert here.makefile("rb").read().count(b"HTTP/1.1 200 OK\r\n") == 2
    assert told.asked == [("POST", b"body"), ("GET", b"")]
