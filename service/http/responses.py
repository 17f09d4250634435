"""Answers that are no problems: JSON by orjson, with the headers that their kind needs."""

from collections.abc import Mapping
from typing import Any, Final
from wsgiref.types import StartResponse

import orjson
from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.wrappers import Response

from service.http.call import current_call

JSON = "application/json"
NO_STORE = "no-store"  # it holds a token, or answers a POST
STATUS: Final = {code: f"{code} {phrase.upper()}" for code, phrase in HTTP_STATUS_CODES.items()}
CHECK_FIRST = "private, no-cache"  # a view: ask again with If-None-Match
VARY = "Authorization, Accept"
# Headers of a stream: proxies hold nothing back, and compress nothing, which would hold it back (RFC 9111, 5.2.2.6).
AT_ONCE: Final = {"Cache-Control": f"{NO_STORE}, no-transform", "Vary": VARY, "X-Accel-Buffering": "no"}
EXPOSED = (
    "Content-Disposition, ETag, Location, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Allow, "
    "X-Request-Id"
)
# The API is used from web pages of any origin; there are no cookies that could be abused. What a page may do where no
# app keys are configured is judged by `service.http.admission.origins`; a refusal, too, is for it to read.
ON_EVERY_ANSWER = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", EXPOSED),
    ("X-Content-Type-Options", "nosniff"),
]


def with_common_headers(start_response: StartResponse, *more: tuple[str, str]) -> StartResponse:
    """The same, but an answer that is started by it has the headers that every answer has, too, and `more`."""

    def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
        return start_response(status, [*headers, *more, *ON_EVERY_ANSWER], *error)

    return start


class Reply:
    """An answer whose body is there as a whole, with its headers as the lines of a head; its length comes last."""

    def __init__(self, body: bytes, status: int, lines: str) -> None:
        self.body = body
        self.status = status
        self.lines = lines

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers, by themselves."""
        return _fields(self.lines)

    def add(self, name: str, value: str) -> None:
        """Add a header, of which it is known that it is a line."""
        self.lines += f"{name}: {value}\r\n"

    def vary(self, header: str) -> None:
        """Say that the answer depends on one more header of the request."""
        self.lines = self.lines.replace(f"Vary: {VARY}", f"Vary: {VARY}, {header}", 1)


def _fields(lines: str) -> list[tuple[str, str]]:
    fields = []
    for line in lines.split("\r\n")[:-1]:
        name, _, value = line.partition(": ")
        fields.append((name, value))
    return fields


_VARY_LINE: Final = f"Vary: {VARY}\r\n"
_JSON_LINE: Final = f"Content-Type: {JSON}\r\n"
COMMON_LINES: Final = "".join([f"{name}: {value}\r\n" for name, value in ON_EVERY_ANSWER])


def answer(
    document: Any,
    status: int = 200,
    *,
    version: int | None = None,
    label: str = "",
    cache: str = CHECK_FIRST,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """The document as JSON, which bytes are already; `version`, with a viewpoint's `label`, becomes the entity tag."""
    tag = "" if version is None else f"ETag: {etag(version, label)}\r\n"
    more = "" if headers is None else _lines(headers)
    body = document if isinstance(document, bytes) else orjson.dumps(document)
    return Reply(body, status, f"Cache-Control: {cache}\r\n{_VARY_LINE}{tag}{more}{_JSON_LINE}")


def _lines(headers: Mapping[str, str]) -> str:
    """Headers as they stand in a head; ValueError for one that would be more than a line."""
    lines = []
    for name, value in headers.items():
        if "\r" in value or "\n" in value:
            raise ValueError(f"the header {name} would be more than a line")
        lines.append(f"{name}: {value}\r\n")
    return "".join(lines)


def not_modified(version: int, label: str = "") -> Reply:
    """304: the caller has this version already."""
    lines = f"Cache-Control: {CHECK_FIRST}\r\n{_VARY_LINE}ETag: {etag(version, label)}\r\n"
    return Reply(b"", 304, lines)


def empty(status: int, headers: Mapping[str, str]) -> Response:
    """An answer without a body."""
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


def vary_by_origin(response: Response) -> Response:
    """Say that the answer depends on whose page asked."""
    response.vary.add("Origin")
    return response


def show_quota(response: Response) -> Response:
    """Say what is left of the limit that the request was counted for, unless the answer is a refusal that says so."""
    for name, value in _fields(current_call().quota):
        response.headers.setdefault(name, value)
    return response


def etag(version: int, label: str = "") -> str:
    """A game's version as a strong entity tag; `label` tells viewpoints apart that are not just the caller's own."""
    return f'"{version}-{label}"' if label else f'"{version}"'
