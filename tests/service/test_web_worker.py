"""Refusals of gunicorn itself, and the fate of connections: raw bytes against a real gunicorn."""

import select
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest
import requests

from events.runtime.embedded import EmbeddedServer
from service.http.server.web_worker import STALLED, PatientSocket
from tests.service.conftest import gunicorn
from tests.support.waiting import LIMIT

WITH_LOCKS = """
import sys
import service.http.server.web_worker
print(*[name for name, module in sys.modules.items() if {"Lock", "threading"} & vars(module).keys()])
from gevent.monkey import get_original, patch_all
patch_all()
import threading
import events.caching
import prometheus_client.values as values
of_threads = get_original("_thread", "allocate_lock")
assert threading.Lock is not of_threads
assert events.caching.Lock is of_threads and values.Lock is of_threads
"""
OF_THE_PROJECT = {"service", "events", "domain", "workers"}


def test_no_lock_but_those_of_metrics_is_a_threads() -> None:
    """The worker imports them before gevent replaces locks; nobody waits for them. On others greenlets would hang."""
    found = subprocess.run([sys.executable, "-c", WITH_LOCKS], capture_output=True, text=True, check=True)
    ours = {name for name in found.stdout.split() if name.partition(".")[0] in OF_THE_PROJECT}
    assert ours == {"events.caching"}


class Wire:
    """A connection on which anything can be said."""

    def __init__(self, address: str) -> None:
        where = urlsplit(address)
        self.socket = socket.create_connection((where.hostname, where.port), timeout=LIMIT)
        self.stream = self.socket.makefile("rb")

    def say(self, request: bytes) -> "Wire":
        """Send bytes."""
        self.socket.sendall(request)
        return self

    def hear(self) -> tuple[int, dict[str, str], bytes]:
        """The next answer: status, headers, body."""
        status = int(self.stream.readline().split()[1])
        headers = {}
        while line := self.stream.readline().strip():
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        return status, headers, self.stream.read(int(headers.get("content-length", 0)))

    def is_closed(self) -> bool:
        """True if the other end has hung up."""
        try:
            return self.stream.read(1) == b""
        except ConnectionResetError:
            return True


@pytest.fixture
def wire(web: str) -> Wire:
    """A new connection."""
    return Wire(web)


POST = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


NO_HTTP: list[tuple[bytes, int, str]] = [
    (b"nonsense\r\n\r\n", 400, "bad-request"),
    (b"GET / HTTP/7.0\r\n\r\n", 400, "bad-request"),
    (b"GET / HTTP/1.1\r\nHost here\r\n\r\n", 400, "bad-request"),
    (b"GET / HTTP/1.1\r\nA b: c\r\n\r\n", 400, "bad-request"),
    (b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400, "bad-request"),
    (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "bad-request"),
    (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", 414, "uri-too-long"),
    (b"GET / HTTP/1.1\r\nA: " + b"x" * 9000 + b"\r\n\r\n", 431, "headers-too-large"),
    (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431, "headers-too-large"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: squeezed\r\n\r\n", 501, "not-implemented"),
    *(
        (POST + b"Transfer-Encoding: " + codings + b"\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 501, "not-implemented")
        for codings in (
            b"gzip, chunked",
            b"Deflate,chunked",
            b"identity, chunked",
            b"gzip\r\nTransfer-Encoding: chunked",
        )
    ),
    (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "bad-request"),
    (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh\r\n", 400, "bad-request"),
]


def test_bytes_that_are_no_http(web: str, subtests: pytest.Subtests) -> None:
    """A problem document like any other, and nothing of the request in it; then the connection ends."""
    for request_, status, code in NO_HTTP:
        with subtests.test(repr(request_[:80])):
            wire = Wire(web)
            heard, headers, body = wire.say(request_).hear()
            assert (heard, headers["content-type"]) == (status, "application/problem+json")
            problem = orjson.loads(body)
            assert (problem["code"], problem["status"]) == (code, status)
            assert b"squeezed" not in body
            assert headers["access-control-allow-origin"] == "*", (
                "a page sees the document, not a network error"
            )
            assert headers["x-content-type-options"] == "nosniff"
            assert wire.is_closed()


def test_a_huge_body_is_refused_before_it_is_sent(wire: Wire) -> None:
    """The length alone is enough; the connection ends with the answer."""
    status, headers, body = wire.say(POST + b"Content-Length: 10000000000\r\n\r\n").hear()
    assert (status, headers["connection"], orjson.loads(body)["code"]) == (413, "close", "too-large")
    wire.socket.shutdown(socket.SHUT_WR)
    assert wire.is_closed()


def test_an_endless_body_is_not_read_to_its_end(wire: Wire) -> None:
    """A body in chunks is refused once it is too large, and its sender is hung up on."""
    wire.say(POST + b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        wire.say(chunk * 1000)


def test_a_caller_that_sends_too_much_gets_to_read_the_reason(web: str) -> None:
    """The answer is not lost to a reset of the connection while the body is still under way."""
    body = b" " * 700_000
    for data in [body, None] * 5:  # of a known length, and in chunks
        headers = {"Content-Type": "application/json"}
        answer = requests.post(f"{web}/v1/games", data=data or iter([body]), headers=headers, timeout=LIMIT)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_a_connection_is_kept(wire: Wire) -> None:
    """For the next request: after answers and refusals alike, with bodies that nobody read, and several at once."""
    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    small = POST.replace(b"application/json", b"text/plain") + b"Content-Length: 9\r\n\r\nunread by"
    odd, create = b"PUT" + health[3:], POST + b"Content-Length: 2\r\n\r\n{}"
    for request_, status in ((small, 415), (health, 200), (odd, 405), (health, 200)):
        assert wire.say(request_).hear()[0] == status
    wire.say((health + create + odd + create + health) * 2)
    assert [wire.hear()[0] for _ in range(10)] == [200, 201, 405, 201, 200] * 2


PLAIN = [
    b"GET /healthz HTTP/1.1\r\n",
    b"GET /v1/games/nothing HTTP/1.1\r\n",
    b"GET /v1/games/nothing/moves?x=1 HTTP/1.1\r\n",
    b"GET /nowhere HTTP/1.1\r\n",
    b"GET /developers HTTP/1.1\r\n",
    b"GET /v1/bots HTTP/1.1\r\nAuthorization: Bearer nobody\r\n",
    b"POST /v1/games/nothing/moves HTTP/1.1\r\nContent-Length: 0\r\n",
    b"POST /v1/games HTTP/1.1\r\nContent-Length: 0\r\nContent-Type: text/plain\r\nIdempotency-Key: short\r\n",
]


def test_plain_requests_are_answered_as_all_others(web: str) -> None:
    """The same bytes, whether gunicorn reads the request or the worker; a header given twice is gunicorn's to read."""
    for request_ in PLAIN:
        heard = []
        for more in (b"", b"X-Twice: a\r\nX-Twice: b\r\n"):
            asked = request_ + b"X-Request-Id: the-same\r\nHost: localhost\r\n" + more + b"\r\n"
            status, headers, body = Wire(web).say(asked).hear()
            del headers["date"]
            headers["ratelimit"] = headers.get("ratelimit", "").partition(";")[0]  # the second counts as well
            heard.append((status, list(headers.items()), body))
        assert heard[0] == heard[1]


def test_a_body_apart_from_its_head(wire: Wire) -> None:
    """Whole, in pieces, and as many bytes as a body may have over a bad line; then the connection goes on."""
    body = b'{"visibility": "public"}'
    most = [b"{", *[b" " * 4095] * 16, b" " * 14 + b"}"]
    for pieces, pause in (([body], 0.0), ([body[:5], body[5:]], 0.05), (most, 0.05)):
        wire.say(POST + b"Content-Length: %d\r\n\r\n" % sum(map(len, pieces)))
        for piece in pieces:
            time.sleep(min(0.05, pause))  # it is slowness that is tested, that of a line
            wire.say(piece)
        status, headers, _ = wire.hear()
        assert (status, headers["connection"]) == (201, "keep-alive")


def test_a_request_that_is_smuggled_behind_a_body(wire: Wire) -> None:
    """A request begins where the body before it ends, and nowhere else."""
    inner = b"GET /v1/games/inner HTTP/1.1\r\nHost: localhost\r\n\r\n"
    wire.say(
        POST.replace(b"application/json", b"text/plain") + b"Content-Length: %d\r\n\r\n" % len(inner) + inner
    )
    assert wire.hear()[0] == 415
    wire.say(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert wire.hear()[0] == 200


PATIENCE = 1  # seconds that the impatient service waits for a request
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b"Content-Length: 1000\r\n\r\n"
CHUNK = b"1\r\n \r\n"
DRIBBLED = [(POST + LONG, b" "), (POST + CHUNKED, CHUNK), (POST + CHUNKED + b"ff\r\n", b" ")]
UNREAD = [
    (start + b" HTTP/1.1\r\nHost: here\r\n" + end, piece)
    for start in (b"GET /healthz", b"DELETE /v1/games", b"POST /nowhere")
    for end, piece in ((LONG, b" "), (CHUNKED, CHUNK))
]


def dribble(wire: Wire, piece: bytes) -> float:
    """Send a piece now and again until the other end answers or hangs up; the seconds until then."""
    began = time.monotonic()
    while not select.select([wire.socket], [], [], 0.1)[0]:
        assert time.monotonic() - began < LIMIT, "nobody minds"
        wire.say(piece)
    return time.monotonic() - began


def test_requests_that_dribble_in_are_cut_off(server: EmbeddedServer, tmp_path: Path) -> None:
    """The time is that of the whole body, and each further byte buys none; what follows is no request."""
    with gunicorn(server.url, tmp_path / "web.log", "--keep-alive", str(PATIENCE)) as impatient:

        def body(head: bytes, piece: bytes) -> None:
            wire = Wire(impatient).say(head)
            assert dribble(wire, piece) >= PATIENCE / 2
            status, headers, problem = wire.hear()
            assert (status, orjson.loads(problem)["code"]) == (408, "request-timeout")
            assert headers["connection"] == "close"
            assert wire.is_closed()

        def unread(head: bytes, piece: bytes) -> None:
            wire = Wire(impatient).say(head)
            assert wire.hear()[0] in (200, 404, 405)
            with suppress(BrokenPipeError, ConnectionResetError):
                dribble(wire, piece)
            assert wire.is_closed()

        def headers() -> None:
            wire = Wire(impatient).say(b"GET /healthz HTTP/1.1\r\nHost: here\r\nA: ")
            dribble(wire, b"a")
            assert wire.is_closed()

        with ThreadPoolExecutor(10) as callers:
            told = [callers.submit(body, *one) for one in DRIBBLED]
            told += [callers.submit(unread, *one) for one in UNREAD]
            told.append(callers.submit(headers))
            for one in told:
                one.result()


HOSTS = [b"", *(b"Host: %b\r\n" % name for name in (b"", b"<b>", b"a b", b"localhost:99999", b"[::1"))]


def test_a_host_that_is_missing_or_impossible(web: str) -> None:
    """400 by RFC 9112, 3.2, however the request is read and whoever answers it; and the connection goes on."""
    for host in HOSTS:
        wire = Wire(web)
        for path in (b"/healthz", b"/v1/games/nothing"):
            for more in (b"", b"X-Twice: a\r\nX-Twice: b\r\n"):
                status, headers, body = wire.say(
                    b"GET " + path + b" HTTP/1.1\r\n" + host + more + b"\r\n"
                ).hear()
                assert (status, orjson.loads(body)["code"]) == (400, "bad-request"), (host, path, more)
                assert headers["x-content-type-options"] == "nosniff"
    assert Wire(web).say(b"GET /healthz HTTP/1.0\r\n\r\n").hear()[0] == 200


ABSOLUTE: list[tuple[bytes, int]] = [
    (b"http://localhost/healthz", 200),
    (b"HTTPS://localhost:443/healthz?", 200),
    (b"http://localhost/v1/games/nothing", 404),
    (b"http://localhost", 200),
    (b"http://localhost?", 200),
    (b"http://elsewhere.example/v1/games", 403),  # as if its Host were that: no name of this service
    (b"http:///healthz", 400),
    (b"http://me@localhost/healthz", 400),
    (b"http://local<host/healthz", 400),
    (b"ftp://localhost/healthz", 400),
    (b"healthz?http://localhost", 400),
]


def test_a_target_that_is_a_whole_address(web: str) -> None:
    """RFC 9112, 3.2.2: it says which host is asked, whatever Host says, and never leads anybody there."""
    for target, status in ABSOLUTE:
        for host in (b"elsewhere.example", b"localhost"):
            request = b"GET " + target + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
            heard, headers, _ = Wire(web).say(request).hear()
            assert heard == status, target
            assert "location" not in headers


EXPECTING = b"Content-Type: application/json\r\nExpect: 100-continue\r\n"
NOT_WANTED: list[tuple[bytes, bytes, int]] = [
    (b"POST /v1/games", EXPECTING + b"Content-Length: 70000\r\n", 413),
    (b"POST /v1/games", b"Expect: 100-continue\r\nContent-Length: 9\r\n", 415),
    (b"POST /v1/games?a=b", EXPECTING + b"Content-Length: 9\r\n", 422),
    *(
        (path, EXPECTING + b"Content-Length: 9\r\nAuthorization: Bearer nobody\r\n", 401)
        for path in (b"POST /v1/games", b"POST /v1/games/nothing/moves")
    ),
    (b"POST /nowhere", EXPECTING + b"Transfer-Encoding: chunked\r\n", 404),
    (b"PUT /v1/games", EXPECTING + b"Content-Length: 9\r\n", 405),
]


def test_a_body_that_nobody_wants_is_not_asked_for(web: str) -> None:
    """No 100 Continue before a refusal that needs no body. Nobody knows then whether it comes: the connection ends."""
    for line, more, status in NOT_WANTED:
        wire = Wire(web).say(line + b" HTTP/1.1\r\nHost: localhost\r\n" + more + b"\r\n")
        heard, headers, _ = wire.hear()
        assert (heard, headers["connection"]) == (status, "close")
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.is_closed()


def test_a_body_that_is_wanted_is_asked_for(wire: Wire) -> None:
    """By 100 Continue, once; then the connection goes on. Where there is none, it is not."""
    chunks = (b"2\r\n{}\r\n0\r\n\r\n", b"Transfer-Encoding: chunked\r\n")
    for body, length in ((b"{}", b"Content-Length: 2\r\n"), chunks):
        head = POST + length + b"Expect: 100-Continue\r\n\r\n"
        assert wire.say(head).hear()[0] == 100
        status, headers, _ = wire.say(body).hear()
        assert (status, headers["connection"]) == (201, "keep-alive")
    status, headers, _ = wire.say(POST + b"Content-Length: 0\r\nExpect: 100-continue\r\n\r\n").hear()
    assert (status, headers["connection"]) == (201, "keep-alive")
    assert wire.say(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").hear()[0] == 200


class Stuck:
    """A connection of gevent's, whose reader takes so many bytes and then nothing."""

    def __init__(self, takes: int) -> None:
        self.takes, self.reset = takes, False
        self.timeout: float | None = None

    def gettimeout(self) -> float | None:
        return self.timeout

    def settimeout(self, seconds: float | None) -> None:
        self.timeout = seconds

    def setsockopt(self, *option: object) -> None:
        self.reset = socket.SO_LINGER in option

    def send(self, data: memoryview) -> int:
        assert self.timeout == STALLED
        if not self.takes:
            raise TimeoutError
        sent = min(1000, self.takes, len(data))
        self.takes -= sent
        return sent


def test_a_caller_that_does_not_read_is_hung_up_on() -> None:
    """After a time in which nothing went; whoever takes its time is not."""
    slow = Stuck(5000)
    PatientSocket(slow).sendall(b"x" * 5000)
    assert [slow.takes, slow.timeout, slow.reset] == [0, None, False]
    stuck = Stuck(4999)
    with pytest.raises(ConnectionResetError):
        PatientSocket(stuck).sendall(b"x" * 5000)
    assert [stuck.timeout, stuck.reset] == [None, True]
