# compiled into serving
"""Replies that are no problems: JSON written by orjson, with the headers of their kind."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Final
from wsgiref.types import WSGIEnvironment

import orjson
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.wrappers import Response

JSON = "application/json"
NO_STORE = "no-store"  # for an answer that holds a token, or answers a POST
STATUS: Final = {code: f"{code} {phrase.upper()}" for code, phrase in HTTP_STATUS_CODES.items()}
NO_BODY: Final = (204, 304)
CHECK_FIRST = "private, no-cache"  # for a view: the client asks again with If-None-Match
VARY = "Authorization, Accept"
STREAM: Final = "text/event-stream"
# Headers of a stream: proxies must not buffer it, nor compress it, which would buffer it, too (RFC 9111, 5.2.2.6).
AT_ONCE: Final = {"Cache-Control": f"{NO_STORE}, no-transform", "Vary": VARY, "X-Accel-Buffering": "no"}

_VARY_LINE: Final = f"Vary: {VARY}\r\n"
_VARY_ENDS: Final = len(_VARY_LINE) - len("\r\n")
_JSON_LINE: Final = f"Content-Type: {JSON}\r\n"


class Pieces:
    """A body that comes in pieces."""

    def __init__(self, pieces: Iterable[bytes], *endings: Callable[[], object]) -> None:
        """`endings` are called when the body is closed, even if none of it was read."""
        self._pieces = pieces
        self._endings = endings

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        """Stop reading, and call the endings."""
        for ending in self._endings:
            ending()


class Reply:
    """An answer: its body, its status, and its headers as lines of text.

    `pieces`: a body that comes in pieces, in place of `body`. `streams`: the answer goes on for as long as events come.
    """

    def __init__(
        self, body: bytes, status: int, lines: str, pieces: Pieces | None = None, *, streams: bool = False
    ) -> None:
        self.body = body
        self.status = status
        self.lines = lines
        self.pieces = pieces
        self.streams = streams

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers as pairs of name and value."""
        fields = []
        for line in self.lines.split("\r\n")[:-1]:
            name, _, value = line.partition(": ")
            fields.append((name, value))
        return fields

    def add(self, name: str, value: str) -> None:
        """Add a header; the caller guarantees that its value is one line."""
        self.lines += f"{name}: {value}\r\n"

    def vary(self, header: str) -> None:
        """Add a request header to `Vary`: the answer depends on it."""
        lines = self.lines
        at = lines.find(_VARY_LINE)
        if at >= 0:  # nearly all answers have the header
            end = at + _VARY_ENDS
            self.lines = f"{lines[:end]}, {header}{lines[end:]}"
            return
        before, is_there, after = self.lines.partition("Vary: ")
        if is_there:
            others, _, rest = after.partition("\r\n")
            self.lines = f"{before}Vary: {others}, {header}\r\n{rest}"
        else:
            self.add("Vary", header)

    def close(self) -> None:
        """Close the reply without sending it."""
        if self.pieces is not None:
            self.pieces.close()


def lines_of(headers: Mapping[str, str]) -> str:
    """Headers as lines of text; ValueError for a header that would take more than one line."""
    lines = []
    for name, value in headers.items():
        if "\r" in value or "\n" in value:
            raise ValueError(f"the header {name} would be more than a line")
        lines.append(f"{name}: {value}\r\n")
    return "".join(lines)


def answer(
    document: Any,
    status: int = 200,
    *,
    version: int | None = None,
    label: str = "",
    cache: str = CHECK_FIRST,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """The document as JSON (bytes are JSON already). `version`, with a viewpoint's `label`, becomes the entity tag."""
    tag = "" if version is None else f"ETag: {etag(version, label)}\r\n"
    more = "" if headers is None else lines_of(headers)
    body = document if isinstance(document, bytes) else orjson.dumps(document)
    return Reply(body, status, f"Cache-Control: {cache}\r\n{_VARY_LINE}{tag}{more}{_JSON_LINE}")


def not_modified(version: int, label: str = "") -> Reply:
    """304: the caller already has this version."""
    lines = f"Cache-Control: {CHECK_FIRST}\r\n{_VARY_LINE}ETag: {etag(version, label)}\r\n"
    return Reply(b"", 304, lines)


def empty(headers: Mapping[str, str]) -> Reply:
    """204, with these headers and no body."""
    return Reply(b"", 204, lines_of(headers))


def text(body: bytes, content_type: str, headers: Mapping[str, str]) -> Reply:
    """200 with a body of another media type."""
    return Reply(body, 200, f"{lines_of(headers)}Content-Type: {content_type}\r\n")


def stream(frames: Generator[bytes, None, None], leave: Callable[[], object]) -> Reply:
    """200 with events that are sent as they come; `leave` is called when the client is gone."""
    lines = f"{lines_of(AT_ONCE)}Content-Type: {STREAM}\r\n"
    return Reply(b"", 200, lines, Pieces(frames, frames.close, leave), streams=True)


def of_flask(response: Response, environ: WSGIEnvironment) -> Reply:
    """A response of Flask as a reply; the pipeline adds its length, and the server the date."""
    headers = response.get_wsgi_headers(environ)
    headers.remove("Content-Length")
    headers.remove("Date")
    has_body = response.status_code not in NO_BODY
    body = response.get_data() if has_body else b""
    response.close()
    return Reply(body, response.status_code, "".join([f"{name}: {value}\r\n" for name, value in headers]))


def etag(version: int, label: str = "") -> str:
    """A game's version as a strong entity tag; `label` distinguishes viewpoints other than the caller's own."""
    return f'"{version}-{label}"' if label else f'"{version}"'
