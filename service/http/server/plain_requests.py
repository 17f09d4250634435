"""Plain requests: what most clients send, read in a fraction of the time that all of HTTP takes.

A request is plain if its head came in one piece and says nothing unusual: GET or POST in HTTP/1.1, a path without
escapes, each header once, and for a POST the length of its body. Whatever else is HTTP, and whatever is not, is for
gunicorn to read. A plain request has the WSGI environment that gunicorn would give it; a test holds it to that.
"""

import os
import re
from typing import Any, Final, NamedTuple
from wsgiref.types import WSGIEnvironment

from gunicorn.config import Config
from gunicorn.http.wsgi import base_environ

from service.http.limits import BODY_LIMIT

_HEAD: Final = re.compile(
    rb"(GET|POST) ((/(?!/)[A-Za-z0-9._~/-]*)(?:\?([A-Za-z0-9._~=&,:+-]*))?) HTTP/1\.1\r\n"
    rb"((?:[A-Za-z0-9-]+:[\t -~]*\r\n)+)\r\n"
)
_NEEDS_THOUGHT: Final = {
    "EXPECT", "TRANSFER-ENCODING", "TRAILER", "TE", "UPGRADE", "HTTP2-SETTINGS", "KEEP-ALIVE", "PROXY-CONNECTION",
}  # fmt: skip
_WITHOUT_PREFIX: Final = {"CONTENT-TYPE", "CONTENT-LENGTH"}
_NAMES_KEPT: Final = 1000  # names of headers, at most, whose place in an environment is remembered


def is_usual(cfg: Config) -> bool:
    """Whether gunicorn is set up as it comes: no TLS, no proxy protocol, no log of requests, no path of its own."""
    logs = (cfg.accesslog, cfg.logconfig, cfg.logconfig_dict, cfg.logconfig_json, cfg.syslog, cfg.statsd_host)
    special = (cfg.is_ssl, cfg.proxy_protocol != "off", cfg.http2_cleartext != "off", cfg.max_requests)
    return not any(logs) and not any(special) and bool(cfg.keepalive) and "SCRIPT_NAME" not in os.environ


class PlainRequest(NamedTuple):
    """A plain request: its environment, without its body; where in the bytes that came its body begins and ends."""

    environ: WSGIEnvironment
    body: int
    end: int


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
        self._places: dict[str, str] = {}

    def connection(self, server: tuple[Any, ...], client: tuple[Any, ...]) -> WSGIEnvironment:
        """What the environments of all requests of a connection have in common; both addresses as sockets give them."""
        environ: WSGIEnvironment = self._base | {
            "REMOTE_ADDR": client[0],
            "REMOTE_PORT": str(client[1]),
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
        }
        return environ

    def read(self, data: bytes, connection: WSGIEnvironment) -> PlainRequest | None:
        """The request that the bytes begin with, all of whose head must be there; None if it is not plain."""
        head = _HEAD.match(data, 0, self._longest)
        if head is None:
            return None
        environ = connection.copy()
        lines = head[5].decode("ascii").split("\r\n")
        if len(lines) - 1 > self._most:
            return None
        for line in lines[:-1]:
            name, _, value = line.partition(":")
            place = self._places.get(name) or self._place(name)
            if not place or place in environ:
                return None
            environ[place] = value.strip(" \t")
        method = environ["REQUEST_METHOD"] = head[1].decode("ascii")
        environ["RAW_URI"] = head[2].decode("ascii")
        environ["PATH_INFO"] = head[3].decode("ascii")
        environ["QUERY_STRING"] = "" if head[4] is None else head[4].decode("ascii")
        length = environ.get("CONTENT_LENGTH")
        kept = environ.get("HTTP_CONNECTION", "keep-alive").lower() == "keep-alive"
        if not kept or (length is None) is (method == "POST"):
            return None
        if length is None:
            return PlainRequest(environ, head.end(), head.end())
        if not length.isdecimal() or len(length) > 6 or int(length) > BODY_LIMIT:
            return None
        return PlainRequest(environ, head.end(), head.end() + int(length))

    def _place(self, name: str) -> str:
        """Where a header stands in an environment; an empty text for those that need thought."""
        upper = name.upper()
        if upper in self._needs_thought:
            place = ""
        else:
            prefix = "" if upper in _WITHOUT_PREFIX else "HTTP_"
            place = prefix + upper.replace("-", "_")
        if len(self._places) < _NAMES_KEPT:
            self._places[name] = place
        return place
