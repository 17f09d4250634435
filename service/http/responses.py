"""Answers that are no problems: JSON by orjson, with the headers that their kind needs."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from wsgiref.types import StartResponse

import orjson
from werkzeug.wrappers import Response

JSON = "application/json"
NO_STORE = "no-store"  # it holds a token, or answers a POST
CHECK_FIRST = "private, no-cache"  # a view: ask again with If-None-Match
VARY = "Authorization, Accept"
EXPOSED = "Content-Disposition, ETag, Location, Link, Preference-Applied, Retry-After, Allow"
# The API is used from web pages of any origin; there are no cookies that could be abused. What a page may do where no
# app keys are configured is judged by `service.http.admission.origins`; a refusal, too, is for it to read.
ON_EVERY_ANSWER = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", EXPOSED),
    ("X-Content-Type-Options", "nosniff"),
]


def with_common_headers(start_response: StartResponse) -> StartResponse:
    """The same, but an answer that is started by it has the headers that every answer has, too."""

    def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
        return start_response(status, headers + ON_EVERY_ANSWER, *error)

    return start


class Reply(NamedTuple):
    """An answer whose body is there as a whole; Flask takes it as it is. Its length is no header of it yet."""

    body: bytes
    status: int
    headers: list[tuple[str, str]]


def answer(
    document: Any,
    status: int = 200,
    *,
    version: int | None = None,
    label: str = "",
    cache: str = CHECK_FIRST,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """The document as JSON; `version`, with the `label` of its viewpoint, becomes the entity tag."""
    fields = [("Cache-Control", cache), ("Vary", VARY)]
    if version is not None:
        fields.append(("ETag", etag(version, label)))
    if headers:
        fields.extend(headers.items())
    fields.append(("Content-Type", JSON))
    return Reply(orjson.dumps(document), status, fields)


def not_modified(version: int, label: str = "") -> Reply:
    """304: the caller has this version already."""
    headers = [("Cache-Control", CHECK_FIRST), ("Vary", VARY), ("ETag", etag(version, label))]
    return Reply(b"", 304, headers)


def empty(status: int, headers: Mapping[str, str]) -> Response:
    """An answer without a body."""
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


def vary_by_origin(response: Response) -> Response:
    """Say that the answer depends on whose page asked."""
    response.vary.add("Origin")
    return response


def etag(version: int, label: str = "") -> str:
    """A game's version as a strong entity tag; `label` tells viewpoints apart that are not just the caller's own."""
    return f'"{version}-{label}"' if label else f'"{version}"'
