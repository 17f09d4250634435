"""Plain requests mean what gunicorn reads in them; whatever might not is left to gunicorn."""

from itertools import product
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser
from gunicorn.http.wsgi import create
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.call import BODY_LIMIT
from service.http.server.plain_requests import PlainRequest, PlainRequests, is_usual

SERVER, CLIENT = ("127.0.0.1", 8000), ("192.0.2.7", 5555)
MADE_ANEW = {"wsgi.errors", "wsgi.input", "gunicorn.socket", "wsgi.early_hints"}  # for each request
LIMITS = {"limit_request_line": 4094, "limit_request_field_size": 4094, "limit_request_fields": 64}


def config(**settings: Any) -> Config:
    """Gunicorn's settings as the service has them."""
    cfg = Config()
    for name, value in (LIMITS | settings).items():
        cfg.set(name, value)
    return cfg


CONFIG = config()
PLAIN = PlainRequests(CONFIG)


def read(data: bytes) -> PlainRequest | None:
    """The plain request in some bytes, if it is one."""
    return PLAIN.read(data, PLAIN.connection(SERVER, CLIENT))


def by_gunicorn(data: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    """The environment that gunicorn makes of a request, the body, and what comes after it."""
    parser = RequestParser(CONFIG, iter([data]), CLIENT)
    request = next(parser)
    _, environ = create(request, None, CLIENT, SERVER, CONFIG)
    body = request.body.read()
    return environ | {"wsgi.multithread": True}, body, parser.unreader.take_buffered()


def compared(environ: dict[str, Any]) -> dict[str, Any]:
    """The common part of two environments of one request."""
    return {name: value for name, value in environ.items() if name not in MADE_ANEW}


LENGTH = "Content-Length: 4\r\n"
USUAL_FRAMES = st.sampled_from([("GET", ""), ("POST", LENGTH)])
FRAMES = st.tuples(st.sampled_from(["GET", "POST", "HEAD", "PUT", "get"]), st.sampled_from(["", LENGTH]))
TARGETS = st.sampled_from(
    [
        "/", "/v1/games/x/moves", "/v1/games/x?wait=3&a=b", "/x?", "/x?a=b?c", "//x", "/x#y", "/x%41", "*",
        "http://here/x", "/x?a=%41",
    ]
) | st.text("/ab.~_-?&=%#:,;@ \t\u00e9", max_size=12).map(lambda text: "/" + text)  # fmt: skip
NAMES = st.sampled_from(
    [
        "Host", "Authorization", "Content-Type", "content-type", "Content-Length", "Connection", "Expect",
        "Transfer-Encoding", "X-Forwarded-For", "X-Forwarded-Proto", "X_Odd", "Content-Length ", "Accept", "Origin",
        "If-Match", "Upgrade", "SCRIPT_NAME", "Te", "x-1",
    ]
)  # fmt: skip
VALUES = st.sampled_from(
    [
        "localhost", "4", "0", "+4", "4, 4", "close", "keep-alive", "Keep-Alive", "100-continue", "chunked", "https",
        "", '"6"', "ü", "a\x00",
    ]
) | st.text(st.characters(max_codepoint=0xFF), max_size=6)  # fmt: skip
SPACES = st.sampled_from(["", " ", " ", " \t"])
LINES = st.tuples(NAMES, SPACES, VALUES, SPACES).map(
    lambda parts: f"{parts[0]}:{parts[1]}{parts[2]}{parts[3]}\r\n"
)
FIXED = st.sampled_from(["Host: localhost\r\n", "Content-Type: application/json\r\n"])


USUAL = st.sampled_from(["/", "/v1/games/x/moves", "/v1/games/x?wait=3&a=b"])
RESTS = st.sampled_from([b"", b"body", b"bodyGET / HTTP/1.1\r\n\r\n"])


def test_a_plain_request_is_read_as_gunicorn_reads_it() -> None:
    """The same environment, the same body, the same beginning of the next request."""
    plain = 0

    @settings(max_examples=800, deadline=None)
    @given(USUAL_FRAMES | FRAMES, USUAL | TARGETS, st.sets(FIXED), st.lists(LINES, max_size=2), RESTS)
    def holds(frame: tuple[str, str], target: str, fixed: set[str], lines: list[str], rest: bytes) -> None:
        nonlocal plain
        method, length = frame
        head = f"{method} {target} HTTP/1.1\r\n{length}{''.join([*sorted(fixed), *lines])}\r\n"
        data = head.encode("latin-1") + rest
        request = read(data)
        if request is None or request.end > len(data):
            return
        plain += 1
        environ, body, after = by_gunicorn(data)
        assert compared(request.environ) == compared(environ)
        assert (data[request.body : request.end], data[request.end :]) == (body, after)

    holds()
    assert plain > 50


POSTED = (
    b"POST /v1/games/x/moves?dry_run=true HTTP/1.1\r\nHost: localhost\r\n"
    b"Connection: keep-alive\r\nContent-Length: 4\r\n"
)


def test_a_plain_request() -> None:
    """One as it is sent all the time; its body may follow later."""
    request = read(POSTED + b"\r\nbo")
    assert request is not None
    assert (request.body, request.end) == (len(POSTED) + 2, len(POSTED) + 6)
    environ, body, after = by_gunicorn(POSTED + b"\r\nbody and more")
    assert (compared(request.environ), body, after) == (compared(environ), b"body", b" and more")
    assert "HTTP_CONTENT_LENGTH" not in request.environ


NOT_PLAIN = [
    b"",
    b"GET",
    POSTED,
    POSTED + b"\n",
    b"\r\n" + POSTED + b"\r\n",
    POSTED.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n",
    POSTED.replace(b"POST", b"PUT") + b"\r\n",
    POSTED.replace(b"POST", b"GET") + b"\r\n",
    POSTED.replace(b"/v1", b"//v1") + b"\r\n",
    POSTED.replace(b"games", b"g%61mes") + b"\r\n",
    POSTED.replace(b"keep-alive", b"close") + b"\r\n",
    POSTED.replace(b"keep-alive", b"Upgrade") + b"\r\n",
    POSTED.replace(b"Content-Length: 4\r\n", b"") + b"\r\n",
    POSTED.replace(b": 4", b": -4") + b"\r\n",
    POSTED.replace(b": 4", b": 4 4") + b"\r\n",
    POSTED.replace(b": 4", f": {BODY_LIMIT + 1}".encode()) + b"\r\n",
    POSTED + b"Content-Length: 4\r\n\r\n",
    POSTED + b"content-length: 4\r\n\r\n",
    POSTED + b"Host: elsewhere\r\n\r\n",
    POSTED + b"A: b\r\nA: c\r\n\r\n",
    POSTED + b"Expect: 100-continue\r\n\r\n",
    POSTED + b"Transfer-Encoding: chunked\r\n\r\n",
    POSTED + b"Upgrade: h2c\r\n\r\n",
    POSTED + b"X-Forwarded-Proto: https\r\n\r\n",
    POSTED + b"Content_Type: text/plain\r\n\r\n",
    POSTED + b"A : b\r\n\r\n",
    POSTED + b"A: b\r\n c\r\n\r\n",
    POSTED + b"A: \xe9\r\n\r\n",
    POSTED + b"A: b\rc\r\n\r\n",
    POSTED + b"A: b\nc: d\r\n\r\n",
    POSTED + b"".join(b"A%d: b\r\n" % number for number in range(64)) + b"\r\n",
    POSTED + b"A: " + b"x" * 4094 + b"\r\n\r\n",
]


def test_requests_that_are_not_plain() -> None:
    """Requests that are not plain are left to gunicorn, to be read or refused."""
    for data in NOT_PLAIN:
        assert read(data) is None, data


GET = b"GET /v1/games/x HTTP/1.1\r\nHost: localhost\r\n"
ODD_LENGTH = POSTED.replace(b"Content-Length: 4", b"content-length: 0")


def test_a_head_that_was_read_before() -> None:
    """It means the same again, on every connection and with every length of a body."""
    for client, length in product((CLIENT, ("192.0.2.8", 6666)), (b"4", b"0", b"17", b"0004")):
        plain, body = PlainRequests(CONFIG), b"x" * int(length)
        for data in (POSTED.replace(b": 4", b": " + length) + b"\r\n" + body, GET + b"\r\n"):
            for _ in range(3):
                request = plain.read(data, plain.connection(SERVER, client))
                assert request is not None
                assert request.environ["REMOTE_PORT"] == str(client[1])
                expected, expected_body, _ = by_gunicorn(data)
                there = {"REMOTE_ADDR": client[0], "REMOTE_PORT": str(client[1])}
                assert compared(request.environ) == compared(expected | there)
                assert data[request.body : request.end] == expected_body
                request.environ["HTTP_HOST"] = "changed by whoever answers it"


LIKE_PLAIN = [
    (POSTED, POSTED.replace(b"Content-Length: 4\r\n", b"")),
    (POSTED, POSTED + b"Content-Length: 4\r\n"),
    (POSTED, POSTED.replace(b": 4", b": 4x")),
    (POSTED, POSTED.replace(b": 4", b": 9999999")),
    (GET, GET + b"Content-Length: 4\r\n"),
    (ODD_LENGTH, ODD_LENGTH + b"Content-Length: 4\r\n"),
]


def test_a_head_like_one_that_was_read_before() -> None:
    """Whatever is no plain request is none after one that differs only in its length."""
    for known, data in LIKE_PLAIN:
        plain = PlainRequests(CONFIG)
        connection = plain.connection(SERVER, CLIENT)
        for _ in range(2):
            assert plain.read(known + b"\r\n", connection) is not None
            assert plain.read(data + b"\r\n", connection) is None


def test_lines_are_not_remembered_without_end() -> None:
    """Remembered lines have a limit, whatever callers send."""
    plain = PlainRequests(CONFIG)
    for number in range(3000):
        head = b"GET / HTTP/1.1\r\nA%d: b\r\n\r\n" % number
        request = plain.read(head, plain.connection(SERVER, CLIENT))
        assert request is not None
        assert request.environ[f"HTTP_A{number}"] == "b"
    assert len(plain._known) <= 1000
    assert len(plain._heads) <= 2000
    long = b"GET / HTTP/1.1\r\nA: %b\r\n\r\n" % (b"x" * 1000)
    known = dict(plain._known)
    assert plain.read(long, plain.connection(SERVER, CLIENT)) is not None
    assert plain._known == known


def test_gunicorn_as_it_is_seldom_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its further duties for each request are done."""
    assert is_usual(CONFIG)
    unusual: list[dict[str, Any]] = [
        {"accesslog": "-"}, {"certfile": "cert.pem"}, {"proxy_protocol": True}, {"max_requests": 5}, {"keepalive": 0},
    ]  # fmt: skip
    for changed in unusual:
        assert not is_usual(config(**changed)), changed
    monkeypatch.setenv("SCRIPT_NAME", "/games")
    assert not is_usual(CONFIG)
