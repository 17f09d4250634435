"""The description of the API (OpenAPI 3.1), generated from blueprints and schemas, with short, invented examples."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from apispec import APISpec
from marshmallow import Schema

from service import __version__
from service.http import problems
from service.http.blueprint import Answer, Operation, Shape
from service.http.call import KEY_LIMIT
from service.http.documentation import sent
from service.http.documentation.of_game import Plugin, component
from service.http.documentation.sharing import share_parameters
from service.http.documentation.yaml_form import in_yaml
from service.http.problems import KINDS
from service.http.resources import BLUEPRINTS
from service.http.resources.housekeeping import housekeeping
from service.http.routing import path_parameters
from service.http.routing.path_parameters import parameters_of
from service.http.schemas import own_data
from service.http.schemas.common.fields import RequestDocument
from service.http.schemas.housekeeping import ProblemDocument
from service.http.schemas.of_each_game import registered

NO_GAME: Final = ("game-pruned", "not-found")  # the problems if there is no such game

Json = dict[str, Any]

TAGS = {"type", "kind", "game"}

SECURITY: dict[str, Json] = {
    "required": {"security": [{"token": []}]},
    "optional": {},  # the document says it once for every operation
    "none": {"security": []},
}

QUOTA = ("RateLimit", "RateLimit-Policy")

EXAMPLES = Path(__file__).parent / "examples.json"
DESCRIPTION = """\
Card games with hidden information over HTTP. A game is a stream of events; its version is their number.

* **Tokens** are sent as `Authorization: Bearer TOKEN`. An app key creates and lists games. A seat's token, which is
  returned when the game is created or the seat is taken, plays that seat and sees what it may see. Without a token a
  caller is a spectator of public games, and gets 404 for private ones. An unknown token gets 401, a token for something
  else 403.
* **Scopes**: an app key is good for some of `games:read`, `games:write`, `bots:choose`, `webhooks` and `admin`. What an
  app does needs the scope that `x-app-scope` names; without it the response is 403, and `scope` in it says which one.
  Seats' tokens have no scopes. Once there are app keys, what concerns no single game needs one.
* **Errors** are `application/problem+json` (RFC 9457). Programs should look at `code`. Any operation may also respond
  with 400 `bad-request`, 405 `method-not-allowed` (with `Allow`), 408 `request-timeout`,
  412 `precondition-failed` (to a `GET`, if `If-Match` does not name the `ETag` of what is there; to any other request,
  if it has an `If-None-Match` or, unless it is a move, an `If-Match` other than `*`), 414 `uri-too-long`,
  431 `headers-too-large`, 500 `internal-error`.
* **Request ids**: every answer has an `X-Request-Id`, and every error a `request_id`, by which the operator finds the
  request in the logs. A client may choose it by sending the header: 1 to 64 letters, digits, `.`, `:`, `=` or `-`. Any
  other value is replaced.
* **Unknown** fields and query parameters are errors (422), and so is a parameter that is given twice.
* **Null** for an optional member of a request is the same as leaving it out, unless the member's description says
  otherwise.
* **Versions** are entity tags: a game at version 9 has `ETag: "9"`.
* **Browsers** may use the API from pages of any origin (CORS), unless the operator has listed some. There are no
  cookies. An EventSource, which sends no header, opens a stream by a ticket. As long as there are no app keys,
  pages of other origins may only watch games and play with a seat's token; other requests get 403 `foreign-origin`.
"""
LICENSE: Json = {"name": "MIT", "identifier": "MIT"}
HEADERS: dict[str, Json] = {
    "ETag": {
        "description": "The game's version as an entity tag.",
        "schema": {"type": "string"},
        "example": '"9"',
    },
    "Content-Disposition": {"description": "A name for the file.", "schema": {"type": "string"}},
    "Location": {
        "description": "The address of the game, the seat, the job or the app.",
        "schema": {"type": "string"},
    },
    "Preference-Applied": {"description": "`respond-async`.", "schema": {"type": "string"}},
    "Link": {
        "description": 'The next page, if any, as `<...>; rel="next"`.',
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": "What is left of the limit `r`, and the seconds until it is whole again `t`.",
        "schema": {"type": "string"},
        "example": '"forks-per-seat";r=29;t=60',
    },
    "RateLimit-Policy": {
        "description": "The limit: so many requests `q` in so many seconds `w`.",
        "schema": {"type": "string"},
        "example": '"forks-per-seat";q=30;w=60',
    },
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "WWW-Authenticate": {"description": "`Bearer`.", "schema": {"type": "string"}},
}
PATH_PARAMETERS: dict[str, Json] = {
    parameter.name: {
        "required": True,
        "name": parameter.name,
        "in": "path",
        "description": parameter.description,
        "schema": parameter.schema,
        "example": parameter.read(parameter.example),
    }
    for parameter in path_parameters.PATH_PARAMETERS.values()
}
HEADER_PARAMETERS: dict[str, Json] = {
    "Prefer": {
        "name": "Prefer",
        "in": "header",
        "description": "`respond-async`, and optionally `wait=SECONDS` (RFC 7240); other preferences are ignored.",
        "schema": {"type": "string"},
        "example": "respond-async, wait=2",
    },
    "If-Match": {
        "name": "If-Match",
        "in": "header",
        "description": 'Proceed only if the game has this version or, of a move, with `"turn_version=9"` this '
        "`turn_version`; otherwise 412.",
        "schema": {"type": "string"},
        "example": '"9"',
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "Proceed only if the game has another version; otherwise 304.",
        "schema": {"type": "string"},
        "example": '"9"',
    },
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeat with the same key gets the first response again. A key belongs to the token of the "
        "request; without a token it must have 22 characters or more and be impossible to guess.",
        "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LIMIT},
        "example": "5e0c6e0a-2a3c-4b0e-9c39-6e2d5f0a7c11",
    },
    "Last-Event-ID": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "For a stream: the last version that the client has seen. It takes precedence over `after`. "
        "Empty as if absent.",
        "schema": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,14})$"},
        "example": "9",
    },
    "Last-Event-ID of an app": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "For a stream: the last event that the client has seen. It takes precedence over `after`. "
        "Empty as if absent.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}-[0-9]{1,6}$"},
        "example": "1795340000000-0",
    },
}


def spec() -> Json:
    """The whole document; the same code gives the same document."""
    plugin = Plugin(schema_name_resolver=component)
    made = APISpec(
        title="Migrato Engine",
        version=__version__,
        openapi_version="3.1.0",
        plugins=[plugin],
        info={"description": DESCRIPTION, "contact": {"name": "Migrato Engine authors"}, "license": LICENSE},
        tags=[{"name": blueprint.tag, "description": blueprint.description} for blueprint in BLUEPRINTS],
        servers=[{"url": "/"}],
        security=[{}, {"token": []}],
    )
    assert plugin.converter is not None
    for attributes in (_constant, _address, _nullable_enum, _default_in_words, _component):
        plugin.converter.add_attribute_function(attributes)  # type: ignore[no-untyped-call]
    made.components.security_scheme(
        "token", {"type": "http", "scheme": "bearer", "description": "An app key or a seat's token."}
    )
    made.components.schema("Problem", schema=ProblemDocument)
    for name, shape in own_data.COMPONENTS.items():
        made.components.schema(name, shape)
    for name, header in HEADERS.items():
        made.components.header(name, header)
    for code, example in _invented()["problems"].items():
        made.components.example(code, {"summary": KINDS[code].title, "value": example})
    for codes in sorted(_shared_problems()):
        made.components.response(_name(codes), _problems(codes))
    for operation in (o for blueprint in BLUEPRINTS for o in blueprint.operations):
        made.path(operation.path, operations={operation.method.lower(): _operation(plugin, operation)})
    asked = sent.webhooks(plugin)
    document: Json = json.loads(json.dumps(made.to_dict() | {"webhooks": asked}))
    share_parameters(document)
    return {"openapi": document["openapi"]} | document


def as_json() -> bytes:
    """The OpenAPI document as JSON."""
    return _as_json(registered())


def as_yaml() -> str:
    """The description as it stands in openapi.yaml."""
    return _as_yaml(registered())


@lru_cache(maxsize=2)
def _as_json(games: object) -> bytes:  # noqa: ARG001 -- the cache's key
    return orjson.dumps(spec())


@lru_cache(maxsize=2)
def _as_yaml(games: object) -> str:  # noqa: ARG001 -- the cache's key
    return in_yaml(spec())


def _constant(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """The one value of a tag, which tells the document from the others of a union."""
    return {"const": ret.pop("enum")[0]} if field.name in TAGS and len(ret.get("enum", ())) == 1 else {}


def _address(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """A URL without limits of its length, which code generators would drop with a warning."""
    if ret.get("format") == "uri":
        ret.pop("minLength", None), ret.pop("maxLength", None)
    return {}


def _nullable_enum(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """An enum that may be null, written as `anyOf`: code generators do not accept null as a value of an enum."""
    if "enum" not in ret or not field.allow_none:
        return {}
    kind, values = ret.pop("type")[0], [value for value in ret.pop("enum") if value is not None]
    return {"anyOf": [{"type": kind, "enum": values}, {"type": "null"}]}


def _default_in_words(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """The default of a body's member, only in its description, so that no generated client sends it by itself."""
    if not isinstance(field.parent, RequestDocument) or "default" not in ret:
        return {}
    value = ret.pop("default")
    default = f"The default is {json.dumps(value) if type(value) is bool else f'`{value}`'}."
    return {"description": f"{ret.get('description', '')} {default}".strip()}


def _component(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """A field that is a component, written once."""
    if not isinstance(field, own_data.MetadataField):
        return {}
    ret.pop("type", None)
    return {"$ref": f"#/components/schemas/{field.component}"}


def _operation(plugin: Plugin, operation: Operation) -> Json:
    parameters = list(_parameters(plugin, operation))
    return {
        "operationId": operation.endpoint,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        **({"parameters": parameters} if parameters else {}),
        **_body(plugin, operation),
        "responses": _responses(plugin, operation),
        **sent.callbacks(operation.endpoint),
        **SECURITY[operation.token],
        **({} if operation.token == "none" else {"x-app-scope": operation.scope}),  # noqa: S105
    }


def _parameters(plugin: Plugin, operation: Operation) -> Iterator[Json]:
    yield from (PATH_PARAMETERS[parameter.name] for parameter in parameters_of(operation.path))
    yield from (HEADER_PARAMETERS[name] for name in operation.headers)
    assert plugin.converter is not None
    for parameter in plugin.converter.schema2parameters(operation.query, location="query"):
        yield {word: value for word, value in parameter.items() if (word, value) != ("required", False)}


def _body(plugin: Plugin, operation: Operation) -> Json:
    if operation.body is None:
        return {}
    of_document = operation.body.examples if isinstance(operation.body, RequestDocument) else {}
    examples = _shown(of_document) | _examples(operation.endpoint, "request")
    content = _content(plugin, "application/json", operation.body, examples)
    required = {"required": True} if operation.body_required else {}
    return {"requestBody": {**required, "content": content}}


def _responses(plugin: Plugin, operation: Operation) -> Json:
    found: dict[int, Json] = {}
    for status, answer in operation.answers.items():
        found[status] = _answer(plugin, operation, status, answer)
        if operation.limited is not None:
            found[status].setdefault("headers", {}).update(_headers(QUOTA))
    for codes in _refusals(operation):
        is_shared = codes in _shared_problems()
        shown = {"$ref": f"#/components/responses/{_name(codes)}"} if is_shared else _problems(codes)
        found[KINDS[codes[0]].status] = shown
    return {str(status): found[status] for status in sorted(found)}


@cache
def _shared_problems() -> frozenset[tuple[str, ...]]:
    """Sets of codes that are the answers of several operations."""
    operations = [operation for blueprint in BLUEPRINTS for operation in blueprint.operations]
    times = Counter(codes for operation in operations for codes in _refusals(operation))
    return frozenset(codes for codes, count in times.items() if count > 1)


# Short names of the most frequent answers: the document's size has a limit.
SHORT: Final[Mapping[tuple[str, ...], str]] = {
    NO_GAME: "NoGame",
    ("unauthorized",): "NoToken",
    ("rate-limited",): "Limited",
    ("validation-error",): "Invalid",
    ("malformed-json",): "NoJson",
    ("unsupported-media-type",): "NotJson",
    ("store-unavailable",): "NoStore",
    ("forbidden", "foreign-origin"): "NotAllowed",
    ("busy", "store-unavailable"): "Unavailable",
}


def _name(codes: tuple[str, ...]) -> str:
    """Name of the answer with these codes, such as `BusyOrNoAnswer`."""
    if codes in SHORT:
        return SHORT[codes]
    return "Or".join(code.title().replace("-", "") for code in codes)


def _refusals(operation: Operation) -> list[tuple[str, ...]]:
    """Codes of problems that the operation may answer with: those of each status, sorted."""
    by_status: dict[int, list[str]] = {}
    for code in sorted(_problem_codes(operation)):
        by_status.setdefault(KINDS[code].status, []).append(code)
    return [tuple(codes) for codes in by_status.values()]


def _problem_codes(operation: Operation) -> set[str]:
    codes = {"validation-error", *operation.problems}
    if NO_GAME[1] in codes and "{game_id}" in operation.path:
        codes |= {*NO_GAME}
    if operation.body is not None:
        codes |= {"malformed-json", "too-large", "unsupported-media-type"}
    if operation.token != "none":  # noqa: S105 -- means that no token is needed
        codes |= {"unauthorized", "forbidden"}
    if not operation.foreign:
        codes.add("foreign-origin")
    if operation.tag != housekeeping.tag:
        codes.add("rate-limited")
    return codes


def _answer(plugin: Plugin, operation: Operation, status: int, answer: Answer) -> Json:
    described: Json = {"description": answer.description}
    if answer.headers:
        described["headers"] = _headers(answer.headers)
    content: Json = {}
    for media_type, shape in answer.content.items():
        content |= _content(
            plugin, media_type, shape, _examples(operation.endpoint, "answers", str(status), media_type)
        )
    if content:
        described["content"] = content
    return described


def _problems(codes: tuple[str, ...]) -> Json:
    headers = {401: ("WWW-Authenticate",), 429: (*QUOTA, "Retry-After"), 503: ("Retry-After",)}
    names = headers.get(KINDS[codes[0]].status, ())
    described: Json = {"description": " / ".join(f"`{code}`: {KINDS[code].title}." for code in codes)}
    if names:
        described["headers"] = _headers(names)
    content: Json = {"schema": {"$ref": "#/components/schemas/Problem"}}
    shown = [code for code in codes if code in _invented()["problems"]]
    if shown:
        content["examples"] = {code: {"$ref": f"#/components/examples/{code}"} for code in shown}
    return described | {"content": {problems.MEDIA_TYPE: content}}


def _headers(names: Sequence[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _content(plugin: Plugin, media_type: str, shape: Shape, examples: Json) -> Json:
    described: Json = {"schema": _schema(plugin, shape)}
    if examples:
        described["examples"] = examples
    return {media_type: described}


def _schema(plugin: Plugin, shape: Shape) -> Json:
    assert plugin.converter is not None
    match shape:
        case str():
            return {"type": "string", "description": shape}
        case Schema():
            return dict(plugin.converter.resolve_nested_schema(shape))  # type: ignore[no-untyped-call]
        case _:
            return dict(plugin.converter.field2property(shape))


def _examples(endpoint: str, *path: str) -> Json:
    found: Any = _invented().get(endpoint, {})
    for step in path:
        found = found.get(step, {})
    return _shown(found)


def _shown(examples: Mapping[str, Any]) -> Json:
    return {name: {"value": value} for name, value in examples.items()}


@cache
def _invented() -> Mapping[str, Any]:
    """Answers, problems, and requests that show a game's cards, by operation; a test checks them against
    their schemas.
    """
    return orjson.loads(EXAMPLES.read_bytes())  # type: ignore[no-any-return]
