# compiled into serving
"""Plain requests: what most clients send, read in a fraction of the time that all of HTTP takes.

A request is plain if its head came in one piece and says nothing unusual: GET or POST in HTTP/1.1, a path without
escapes, each header once, and for a POST the length of its body. All other requests, and everything that is not HTTP,
are for gunicorn to read. A plain request has the WSGI environment that gunicorn would give it; a test holds it to that.
"""

import os
import re
from typing import Any, Final
from wsgiref.types import WSGIEnvironment

from gunicorn.config import Config
from gunicorn.http.wsgi import base_environ

from service.http.call import BODY_LIMIT

_START: Final = re.compile(rb"(GET|POST) ((/(?!/)[A-Za-z0-9._~/-]*)(?:\?([A-Za-z0-9._~=&,:+-]*))?) HTTP/1\.1")
_HEADER: Final = re.compile(rb"[A-Za-z0-9-]+:[\t -~]*")
_NEEDS_THOUGHT: Final = {
    "EXPECT", "TRANSFER-ENCODING", "TRAILER", "TE", "UPGRADE", "HTTP2-SETTINGS", "KEEP-ALIVE", "PROXY-CONNECTION",
}  # fmt: skip
_WITHOUT_PREFIX: Final = {"CONTENT-TYPE", "CONTENT-LENGTH"}
# Callers send the same lines of headers again and again, and who plays a game the same head but for the length of the
# body. So both are remembered:
_LINES_KEPT: Final = 1000  # lines, at most
_LINE_KEPT: Final = 256  # bytes of one, at most
_HEADS_KEPT: Final = 2000  # heads, at most
_HEAD_KEPT: Final = 1024  # bytes of one, at most
_LENGTH: Final = b"\r\nContent-Length: "
_OF_CONNECTION: Final = ("REMOTE_ADDR", "REMOTE_PORT", "SERVER_NAME", "SERVER_PORT")


def is_usual(cfg: Config) -> bool:
    """True if gunicorn is set up as it comes: no TLS, no proxy protocol, no log of requests, no path of its own."""
    logs = (cfg.accesslog, cfg.logconfig, cfg.logconfig_dict, cfg.logconfig_json, cfg.syslog, cfg.statsd_host)
    special = (cfg.is_ssl, cfg.proxy_protocol != "off", cfg.http2_cleartext != "off", cfg.max_requests)
    return not any(logs) and not any(special) and bool(cfg.keepalive) and "SCRIPT_NAME" not in os.environ


class PlainRequest:
    """A plain request: its environment, without its body; where in the bytes that came its body begins and ends."""

    __slots__ = ("body", "end", "environ")

    def __init__(self, environ: WSGIEnvironment, body: int, end: int) -> None:
        self.environ = environ
        self.body = body
        self.end = end


class PlainRequests:
    """Reads the plain requests of one worker."""

    def __init__(self, cfg: Config) -> None:
        """`cfg`: gunicorn's settings."""
        self._base = base_environ(cfg) | {
            "wsgi.multithread": True,
            "wsgi.url_scheme": "http",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SCRIPT_NAME": "",
        }
        self._longest = min(cfg.limit_request_line, cfg.limit_request_field_size)
        self._most = cfg.limit_request_fields
        self._needs_thought = _NEEDS_THOUGHT | set(cfg.secure_scheme_headers)
        self._known: dict[bytes, tuple[str, str]] = {}
        self._heads: dict[bytes, WSGIEnvironment] = {}  # without their lengths

    def connection(self, server: tuple[Any, ...], client: tuple[Any, ...]) -> WSGIEnvironment:
        """Common part of the environments of all requests of a connection; both addresses as sockets give them."""
        environ: WSGIEnvironment = self._base | {
            "REMOTE_ADDR": client[0],
            "REMOTE_PORT": str(client[1]),
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
        }
        return environ

    def read(self, data: bytes, connection: WSGIEnvironment) -> PlainRequest | None:
        """The request that the bytes begin with, all of whose head must be there; None if it is not plain."""
        head, ends, _ = data.partition(b"\r\n\r\n")
        body = len(head) + 4
        if not ends or body > self._longest:
            return None
        before, is_said, rest = head.partition(_LENGTH)
        if not is_said:
            return self._without_length(head, body, connection)
        length, more, after = rest.partition(b"\r\n")
        if not length.isdigit() or len(length) > 6 or int(length) > BODY_LIMIT:
            return self._read_whole(head, body, connection)
        key = before + more + after
        known = self._heads.get(key)
        if known is None or known["REQUEST_METHOD"] != "POST":
            request = self._read_whole(head, body, connection)
            if request is not None:
                self._remember(key, request.environ)
            return request
        environ = _of(known, connection)
        environ["CONTENT_LENGTH"] = length.decode("ascii")
        return PlainRequest(environ, body, body + int(length))

    def _without_length(self, head: bytes, body: int, connection: WSGIEnvironment) -> PlainRequest | None:
        """The same where no line says the length as most callers say it; a GET has none at all."""
        known = self._heads.get(head)
        if known is not None and known["REQUEST_METHOD"] == "GET":
            return PlainRequest(_of(known, connection), body, body)
        request = self._read_whole(head, body, connection)
        if request is not None and request.environ["REQUEST_METHOD"] == "GET":
            self._remember(head, request.environ)
        return request

    def _remember(self, head: bytes, environ: WSGIEnvironment) -> None:
        if len(head) <= _HEAD_KEPT:
            if len(self._heads) >= _HEADS_KEPT:
                self._heads.clear()
            self._heads[head] = environ.copy()

    def _read_whole(self, head: bytes, body: int, connection: WSGIEnvironment) -> PlainRequest | None:
        lines = head.split(b"\r\n")
        start = _START.fullmatch(lines[0])
        if start is None or not 2 <= len(lines) <= self._most + 1:
            return None
        environ = connection.copy()
        for line in lines[1:]:
            place, value = self._known.get(line) or self._read(line)
            if not place or place in environ:
                return None
            environ[place] = value
        method, uri, path, query = start.groups()
        environ["REQUEST_METHOD"] = "GET" if method == b"GET" else "POST"
        environ["RAW_URI"] = uri.decode("ascii")
        environ["PATH_INFO"] = path.decode("ascii")
        environ["QUERY_STRING"] = "" if query is None else query.decode("ascii")
        length = environ.get("CONTENT_LENGTH")
        kept = environ.get("HTTP_CONNECTION", "keep-alive").lower() == "keep-alive"
        if not kept or (length is None) is (method == b"POST"):
            return None
        if length is None:
            return PlainRequest(environ, body, body)
        if not length.isdecimal() or len(length) > 6 or int(length) > BODY_LIMIT:
            return None
        return PlainRequest(environ, body, body + int(length))

    def _read(self, line: bytes) -> tuple[str, str]:
        """A header's place in an environment, and its value; an empty place for what needs thought, or is none."""
        if _HEADER.fullmatch(line) is None:
            return "", ""
        name, _, value = line.decode("ascii").partition(":")
        upper = name.upper()
        if upper in self._needs_thought:
            return "", ""
        place = ("" if upper in _WITHOUT_PREFIX else "HTTP_") + upper.replace("-", "_")
        known = place, value.strip(" \t")
        if len(line) <= _LINE_KEPT:
            if len(self._known) >= _LINES_KEPT:
                self._known.clear()
            self._known[line] = known
        return known


def _of(known: WSGIEnvironment, connection: WSGIEnvironment) -> WSGIEnvironment:
    """The environment of a head that is known, on this connection."""
    environ = known.copy()
    for place in _OF_CONNECTION:
        environ[place] = connection[place]
    return environ
