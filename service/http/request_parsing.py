# compiled into serving
"""Content of a request: its token, JSON body, query string and preconditions, or a Problem that names the fault."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NoReturn
from wsgiref.types import WSGIEnvironment

import orjson
from gunicorn.http.errors import ParseException
from marshmallow import Schema, ValidationError

from service.http.call import BODY_LIMIT, KEY_LIMIT, TOKEN_LIMIT, current_call
from service.http.problems import Problem, invalid
from service.http.schemas.common import quick
from service.http.schemas.common.fields import Discriminated

NO_VERSION = -1  # a version that no game has, for a well-formed entity tag that names none
EXACT = 2**53  # below this, each whole number has a float of its own
DEEP = 32  # the deepest nesting that is parsed, more than any document of the API has

_JSON_TYPE = re.compile(r"application/(?:[a-z0-9.+-]+\+)?json\s*(?:;.*)?", re.IGNORECASE | re.DOTALL)
_ENTITY_TAG = re.compile(r'[ \t,]*(W/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)')
_VERSION = re.compile(r"0|[1-9][0-9]{0,14}")
_FRACTION = re.compile(rb"[0-9][.eE]")
_TURN_VERSION = re.compile(rf"turn_version=({_VERSION.pattern})")


def bearer_token() -> str | None:
    """The token of the Authorization header; None without one."""
    header: str | None = current_call().environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    token: str = header[7:].strip()
    if header[:7].lower() != "bearer " or not 1 <= len(token) <= TOKEN_LIMIT:
        raise Problem("unauthorized", "The Authorization header must be `Bearer TOKEN`.")
    return token


def json_body(shape: Schema | Discriminated, *, optional: bool = False, limit: int = BODY_LIMIT) -> Any:
    """The JSON document in the body, of at most `limit` bytes; `optional`: no body at all means {}.

    The `shape` is not checked here. It serves only to name the required members to a caller that sends no body.
    """
    environ = current_call().environ
    raw = _read(environ, limit)
    if not raw:
        return {} if optional else _no_body(shape)
    return parse_json(raw)


def _no_body(shape: Schema | Discriminated) -> NoReturn:
    if isinstance(shape, Discriminated):
        members = f"`{shape.tag}`"
    else:
        required = [name for name, field in shape.fields.items() if field.required]
        members = (" and " if required else " or ").join(f"`{name}`" for name in required or shape.fields)
    detail = f"A body is required: a JSON object with {members}, as Content-Type: application/json."
    raise Problem("malformed-json", detail)


def _read(environ: WSGIEnvironment, limit: int) -> bytes:
    """The whole body. A body that declares to be too large is not read; one that does not declare its size is read up
    to the limit.

    A body that is not JSON by its type is refused unread: a client that waits for 100 Continue need not send it.
    """
    declared = environ.get("CONTENT_LENGTH")
    if not declared:
        raw = _taken(environ, limit + 1) if environ.get("wsgi.input_terminated") else b""
        if len(raw) > limit:
            _too_large(limit)
        if raw:
            _refuse_other_types(environ)
        return raw
    length = int(declared)
    if length > limit:
        _too_large(limit)
    if length:
        _refuse_other_types(environ)
    raw = _taken(environ, length)
    if len(raw) < length:
        raise Problem("bad-request", "The body ended early.")
    return raw


def _refuse_other_types(environ: WSGIEnvironment) -> None:
    kind = environ.get("CONTENT_TYPE", "")
    if not (kind == "application/json" or _JSON_TYPE.fullmatch(kind)) or "HTTP_CONTENT_ENCODING" in environ:
        detail = "The body must be JSON, not compressed: Content-Type: application/json."
        raise Problem("unsupported-media-type", detail, headers={"Accept-Post": "application/json"})


def _taken(environ: WSGIEnvironment, length: int) -> bytes:
    try:
        return bytes(environ["wsgi.input"].read(length))
    except TimeoutError as error:
        raise Problem("request-timeout", "The body did not arrive in time.") from error
    except (OSError, ParseException) as error:
        raise Problem("bad-request", "The body ended early, or its chunks are malformed.") from error


def _too_large(limit: int) -> NoReturn:
    raise Problem("too-large", f"The body is larger than {limit} bytes.")


def parse_json(raw: bytes) -> Any:
    """Strict JSON: UTF-8, no NaN, no lone surrogates, nesting that fits, and no name twice in one object.

    A number such as 183.0 is a whole one, as JSON Schema has it.
    """
    try:
        document = orjson.loads(raw)
        colons = raw.count(b":")
        is_flat = isinstance(document, dict) and len(document) == colons
        if colons > 1 and not is_flat and b"{" in raw and _names_in(document) != colons:
            # raises for nesting that is too deep, or a name twice in one object
            json.loads(raw, object_pairs_hook=_each_name_once)
    except RecursionError as error:
        raise Problem("malformed-json", "The body is nested too deeply.") from error
    except ValueError as error:
        raise Problem("malformed-json", _why_no_json(raw, error)) from error
    if is_flat:
        for value in document.values():
            if isinstance(value, (float, list)):
                break
        else:
            return document  # most documents have no such numbers
    return _with_whole_numbers(document) if _FRACTION.search(raw) else document


def _with_whole_numbers(part: Any) -> Any:
    """The part with integers in place of floats without a fraction, where the float is exact."""
    if isinstance(part, dict):
        return {name: _with_whole_numbers(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_with_whole_numbers(item) for item in part]
    is_whole = isinstance(part, float) and part.is_integer() and abs(part) < EXACT
    return int(part) if is_whole else part


def _why_no_json(raw: bytes, error: ValueError) -> str:
    """A sentence about the fault of a body that is not JSON; if it is not UTF-8, with its first wrong byte."""
    try:
        raw.decode()
    except UnicodeDecodeError as fault:
        return (
            f"The body is not UTF-8: byte 0x{raw[fault.start]:02X} at offset {fault.start} ({fault.reason})."
        )
    return f"The body is not JSON: {str(error)[:200]}."


def _names_in(document: Any) -> int:
    """The number of names in all objects of the document; RecursionError where it is nested deeper than DEEP levels."""
    names, level = 0, [document]
    for _ in range(DEEP):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                names += len(part)
                inner += part.values()
            elif isinstance(part, list):
                inner += part
        if not inner:
            return names
        level = inner
    raise RecursionError


def _each_name_once(pairs: list[tuple[str, Any]]) -> None:
    counts = Counter(name for name, _ in pairs)
    if len(counts) < len(pairs):
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"the name {twice[:40]!r} stands twice in one object")


def checked(shape: Schema | Discriminated, document: Any, where: str = "body") -> dict[str, Any]:
    """The document, checked by the shape; a schema also adds its defaults. A Problem names every field at fault."""
    if not isinstance(document, dict):
        raise invalid({where: ["Must be an object."]}, where)
    try:
        return quick.read(shape, document)
    except ValidationError as error:
        raise invalid(flat(error.messages, where), where) from error


def meant(received: dict[str, Any], read: dict[str, Any]) -> dict[str, Any]:
    """The meaning of a `received` document that was `read`: without nulls that mean the same as a missing member, and
    without defaults.

    Two documents with the same meaning are one request. The meaning of a document is the same in every release.
    """
    return {name: read[name] for name, value in received.items() if value is not None}


def query(schema: Schema) -> dict[str, Any]:
    """The query string, checked by the schema: every parameter must be known and given once."""
    received = current_call().arguments()
    if not received:
        try:
            return dict(_defaults(schema))
        except ValidationError as error:
            raise invalid(flat(error.messages, "query"), "query") from error
    twice = {name: ["Given more than once."] for name, values in received.items() if len(values) > 1}
    if twice:
        raise invalid(twice, "query")
    return checked(schema, {name: values[0] for name, values in received.items()}, "query")


@cache
def _defaults(schema: Schema) -> dict[str, Any]:
    return dict(schema.load({}))


def flat(messages: Any, path: str) -> dict[str, list[str]]:
    """Marshmallow's nested messages as {dotted path: messages}; `path` names the document itself."""
    found: dict[str, list[str]] = {}
    _flatten(messages, "", path, found)
    return found


def _flatten(messages: Any, at: str, whole: str, found: dict[str, list[str]]) -> None:
    if isinstance(messages, dict):
        for key, inner in messages.items():
            name = at if key == "_schema" else f"{at}.{key}" if at else str(key)
            _flatten(inner, name, whole, found)
    else:
        found.setdefault(at or whole, []).extend(str(m) for m in messages)


def idempotency_key() -> str | None:
    """The Idempotency-Key header: any string of 1 to 255 characters."""
    key = current_call().environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not 1 <= len(key) <= KEY_LIMIT:
        raise invalid({"Idempotency-Key": [f"Must have 1 to {KEY_LIMIT} characters."]}, "header")
    return key


def version_header(header: str) -> int | None:
    """A header that gives a version, such as Last-Event-ID; None without one, or where it is empty."""
    text = current_call().environ.get(_field(header), "")
    if text and not _VERSION.fullmatch(text):
        raise invalid({header: ["Must be a version: 0 or more."]}, "header")
    return int(text) if text else None


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of the Prefer header (RFC 7240): an asynchronous answer, and the seconds to wait before that."""

    respond_async: bool
    wait: int


def preferences() -> Preferences:
    """The preferences that the service knows; all others are ignored, as the RFC says."""
    received = [
        part.partition(";")[0] for part in current_call().environ.get("HTTP_PREFER", "").lower().split(",")
    ]
    values = {
        name.strip(): value.strip(' \t"') for name, _, value in (part.partition("=") for part in received)
    }
    wait = values.get("wait", "")
    return Preferences("respond-async" in values, int(wait) if _VERSION.fullmatch(wait) else 0)


@dataclass(frozen=True, slots=True)
class EntityTags:
    """A list of entity tags (RFC 9110, 13.1). `versions`: the versions that they name, strong ones apart; `anything`:
    the list is "*".

    `turns`: the turn versions of strong tags of the form "turn_version=9". `texts`: the tags as they were given.
    """

    anything: bool
    strong: tuple[int, ...]
    all: tuple[int, ...]
    texts: tuple[str, ...] = field(default=(), compare=False)
    turns: tuple[int, ...] = ()

    def matches(self, version: int) -> bool:
        """The weak comparison, which If-None-Match uses."""
        return self.anything or version in self.all

    def name(self, tag: str) -> bool:
        """The weak comparison with an entity tag, as it stands in a header."""
        return self.anything or _opaque(tag) in map(_opaque, self.texts)

    def name_strongly(self, tag: str) -> bool:
        """The strong comparison, which If-Match uses. A tag that is weak only because its answer was compressed counts
        as strong.
        """
        return self.anything or _opaque(tag) in self.texts


def _opaque(tag: str) -> str:
    return tag.removeprefix("W/")


def entity_tags(header: str) -> EntityTags | None:
    """The tags of an If-Match or If-None-Match header; None without one."""
    text = current_call().environ.get(_field(header))
    if text is None:
        return None
    text = text.strip(" \t")
    if text == "*":
        return EntityTags(True, (), ())
    found: list[tuple[bool, int]] = []
    texts: list[str] = []
    turns: list[int] = []
    at = 0
    while at < len(text.rstrip(" \t,")):
        tag = _ENTITY_TAG.match(text, at)
        if tag is None:
            break
        found.append((tag[1] is None, int(tag[2]) if _VERSION.fullmatch(tag[2]) else NO_VERSION))
        if tag[1] is None and (turn := _TURN_VERSION.fullmatch(tag[2])) is not None:
            turns.append(int(turn[1]))
        texts.append(f'{tag[1] or ""}"{tag[2]}"')
        at = tag.end()
    else:
        if found:
            strong = tuple(v for s, v in found if s)
            return EntityTags(False, strong, tuple(v for _, v in found), tuple(texts), tuple(turns))
    message = 'Must be "*" or a list of entity tags in double quotes, as in "9".'
    raise invalid({header: [message]}, "header")


@cache
def _field(header: str) -> str:
    """The key of a header in a WSGI environment."""
    return "HTTP_" + header.upper().replace("-", "_")
