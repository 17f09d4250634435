"""Holds answers to openapi.yaml: documented status, media type, headers, and a body that fits its schema."""

import gzip
import re
from functools import cache
from typing import Any

import jsonschema_rs
import orjson
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.http.documentation.openapi import spec
from service.http.schemas.of_each_game import registered

JSON = {"application/json", "application/problem+json"}
LINES = "application/x-ndjson"
# On a last page there is no next; limits may be off; a batch is done later without being asked to.
AT_TIMES = {"Link", "RateLimit", "RateLimit-Policy", "Preference-Applied"}
EVERYWHERE = {400, 404, 405, 412, 500}  # may come from any path: said once for all in the description


class HeldClient(FlaskClient):
    """A client whose every answer is held to the description of the API."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """Make a request."""
        answer = super().open(*args, **kwargs)
        hold(answer)
        return answer


def hold(answer: TestResponse) -> None:
    """AssertionError unless the answer is one that the description promises."""
    method, path = answer.request.method, answer.request.path
    assert "X-Request-Id" in answer.headers
    operation = _operation(method, path)
    if operation is None:
        return
    documented = resolved(operation["responses"].get(str(answer.status_code)))
    if documented is None:
        assert answer.status_code in EVERYWHERE, f"{method} {path}: {answer.status_code} {answer.text}"
        documented = {
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        }
    for header in documented.get("headers", {}):
        assert header in answer.headers or header in AT_TIMES, f"{method} {path}: no {header}"
    content = documented.get("content", {})
    if not content:
        assert answer.data == b""
        assert "Content-Type" not in answer.headers
        return
    assert answer.mimetype is not None
    described = content[answer.mimetype]
    if answer.mimetype == LINES and path.endswith("/events"):
        for line in _body(answer).splitlines():
            hold_event(orjson.loads(line))
    if answer.mimetype in JSON and answer.data:
        validator(described["schema"]).validate(orjson.loads(_body(answer)))


def _body(answer: TestResponse) -> bytes:
    is_compressed = answer.headers.get("Content-Encoding") == "gzip"
    return gzip.decompress(answer.data) if is_compressed else answer.data


def hold_event(event: Any) -> None:
    """AssertionError unless the event, of a page, a line or a frame, is one that the description promises."""
    validator({"$ref": "#/components/schemas/EventsPage/properties/events/items"}).validate(event)


def validator(schema: dict[str, Any]) -> Any:
    """Validator of documents of that schema, a part of the description."""
    return _validator(orjson.dumps(schema), registered())


@cache
def _validator(schema: bytes, games: object) -> Any:
    whole = _closed(orjson.loads(schema)) | {"components": _components(games)}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


@cache
def _components(games: object) -> Any:
    return _closed(_spec(games)["components"])


def _closed(node: Any, *, is_extended: bool = False) -> Any:
    """The schema, without the freedom to have further members: clients must expect such, and tests must not."""
    if isinstance(node, list):
        return [_closed(item, is_extended=is_extended) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {name: _closed(part, is_extended=name == "allOf") for name, part in node.items()}
    return closed | ({"unevaluatedProperties": False} if "$ref" in node and not is_extended else {})


@cache
def _patterns(games: object) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), methods)
        for path, methods in _spec(games)["paths"].items()
    ]


def description() -> dict[str, Any]:
    """The description of the API, made once: nobody may change it."""
    return _spec(registered())


def member(schema: Any, name: str) -> Any:
    """A member of a document of that schema, or of one that it extends; None if there is none."""
    document = resolved(schema)
    if name in document.get("properties", {}):
        return document["properties"][name]
    return next(filter(None, (member(part, name) for part in document.get("allOf", []))), None)


def resolved(part: Any) -> Any:
    """The component that is referred to, or the part itself."""
    if not isinstance(part, dict) or "$ref" not in part:
        return part
    _, components, kind, name = part["$ref"].split("/")
    return description()[components][kind][name]


@cache
def _spec(games: object) -> dict[str, Any]:
    """The description of the API with these games; a test may register one of its own."""
    return spec()


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for pattern, methods in _patterns(registered()):
        if pattern.fullmatch(path):
            operation: dict[str, Any] | None = methods.get(method.lower())
            return operation
    return None
