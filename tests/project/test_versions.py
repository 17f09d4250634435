"""The program that compares two OpenAPI documents finds every change that breaks a client."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from tests.project.compatibility import breaks
from tests.support.markdown import ROOT

Json = dict[str, Any]


def load(path: Path) -> Json:
    """An OpenAPI document."""
    document: Json = yaml.load(path.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return document


REF = {name: {"$ref": f"#/components/schemas/{name}"} for name in ("Move", "Pass", "Game")}
EITHER: Json = {"oneOf": [REF["Move"], REF["Pass"]]}
MOVE: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type"],
    "properties": {
        "type": {"type": "string", "enum": ["play"]},
        "card": {"type": ["string", "null"], "pattern": "^[A-Z]{3}$", "maxLength": 3},
        "count": {"type": "integer", "minimum": 1, "maximum": 4},
        "after": REF["Move"],
    },
}
TYPE: Json = {"type": {"enum": ["pass"], "type": "string"}}
PASS: Json = {"type": "object", "required": ["type"], "properties": TYPE}
GAME: Json = {
    "type": "object",
    "required": ["id", "status"],
    "properties": {
        "id": {"type": "string"},
        "status": {"type": "string", "enum": ["running", "finished"]},
        "winner": {"type": "integer"},
        "last": {"anyOf": [REF["Move"], REF["Pass"]]},
        "score": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "seats": {"type": "array", "items": {"type": "string"}},
    },
}
PLAY: Json = {
    "operationId": "play",
    "parameters": [{"in": "query", "name": "dry_run", "schema": {"type": "boolean"}}],
    "requestBody": {"content": {"application/json": {"schema": EITHER}}},
    "responses": {
        "200": {"headers": {"ETag": {}}, "content": {"application/json": {"schema": REF["Game"]}}},
        "404": {"content": {}},
    },
    "security": [{}, {"token": []}],
}
BASE: Json = {
    "paths": {"/moves": {"post": PLAY}},
    "components": {"schemas": {"Move": MOVE, "Pass": PASS, "Game": GAME}},
}
Change = Callable[[Json, Json, Json, Json], object]  # of the operation, its two moves, and its answer
TEXT: Json = {"type": "string"}
REQUIRED: Json = {"in": "header", "name": "X", "required": True, "schema": {}}
DRAW: Json = {"type": "object", "properties": {"type": {"type": "string", "enum": ["draw"]}}}


def sent(member: str, **words: Any) -> Change:
    """Other words for a member of a move."""
    return lambda _, move, *__: move["properties"].setdefault(member, {}).update(words)


def read(member: str, **words: Any) -> Change:
    """Other words for a member of the answer."""
    return lambda _, __, ___, game: game["properties"].setdefault(member, {}).update(words)


def changed(change: Change) -> list[str]:
    """Breaks that follow when the operation, its moves or its answer are changed."""
    document = deepcopy(BASE)
    schemas = document["components"]["schemas"]
    change(document["paths"]["/moves"]["post"], schemas["Move"], schemas["Pass"], schemas["Game"])
    return breaks(BASE, document)


BREAKING: dict[str, Change] = {
    "another operationId": lambda op, *_: op.update(operationId="move"),
    "a token is required": lambda op, *_: op.update(security=[{"token": []}]),
    "a parameter is gone": lambda op, *_: op["parameters"].clear(),
    "a parameter is required": lambda op, *_: op["parameters"][0].update(required=True),
    "a new parameter is required": lambda op, *_: op["parameters"].append(REQUIRED),
    "a parameter's type": lambda op, *_: op["parameters"][0].update(schema={"type": "integer"}),
    "the body is required": lambda op, *_: op["requestBody"].update(required=True),
    "the body is gone": lambda op, *_: op.pop("requestBody"),
    "another media type": lambda op, *_: op["requestBody"].update(content={"text/plain": {"schema": {}}}),
    "the answer is gone": lambda op, *_: op["responses"].pop("200"),
    "another answer": lambda op, *_: op["responses"].update({"202": {}}),
    "a header is gone": lambda op, *_: op["responses"]["200"]["headers"].clear(),
    "a move is gone": lambda op, *_: op["requestBody"]["content"]["application/json"]["schema"][
        "oneOf"
    ].pop(),
    "a member is taken no more": lambda _, move, *__: move["properties"].pop("count"),
    "a member is required": lambda _, move, *__: move["required"].append("card"),
    "a pattern": sent("card", pattern="^[A-Z]{2}$"),
    "a length": sent("card", maxLength=2),
    "fewer members": lambda _, move, *__: move.update(maxProperties=3),
    "names of members": lambda _, move, *__: move.update(propertyNames={"maxLength": 4}),
    "no null": sent("card", type="string"),
    "a minimum": sent("count", minimum=2),
    "a maximum": sent("count", maximum=3),
    "a new bound": lambda _, __, pass_, ___: pass_["properties"]["type"].update(minLength=9),
    "values": sent("count", enum=[1, 2]),
    "no other members": lambda _, __, pass_, ___: pass_.update(additionalProperties=False),
    "a member is read no more": lambda _, __, ___, game: game["properties"].pop("winner"),
    "a member is not always there": lambda _, __, ___, game: game["required"].remove("status"),
    "another type is read": read("id", type="integer"),
    "null is read": read("winner", type=["integer", "null"]),
    "another branch is read": read("score", anyOf=[*GAME["properties"]["score"]["anyOf"], TEXT]),
    "any value is read": lambda _, __, ___, game: game["properties"]["status"].pop("enum"),
    "other items are read": read("seats", items={"type": "object"}),
    "any items are read": lambda _, __, ___, game: game["properties"]["seats"].pop("items"),
    "another form is read": read("id", format="uuid"),
}
HARMLESS: dict[str, Change] = {
    "nothing": lambda *_: None,
    "texts": lambda op, move, *_: [part.update(description="x") for part in (op, move)],
    "a new parameter": lambda op, *_: op["parameters"].append({"in": "query", "name": "x", "schema": {}}),
    "no token is required": lambda op, *_: op.update(security=[{}]),
    "a new refusal": lambda op, *_: op["responses"].update({"409": {}}),
    "a refusal is gone": lambda op, *_: op["responses"].pop("404"),
    "a new header": lambda op, *_: op["responses"]["200"]["headers"].update({"Link": {}}),
    "a member may be sent": sent("x", type="string"),
    "wider bounds": sent("count", minimum=0, maximum=9),
    "no pattern": lambda _, move, *__: move["properties"]["card"].pop("pattern"),
    "a new member is read": read("x", type="string"),
    "a member is always there": lambda _, __, ___, game: game["required"].append("winner"),
    "a new value is read": read("status", enum=["running", "finished", "aborted"]),
    "a new kind of document is read": read("last", anyOf=[REF["Move"], REF["Pass"], DRAW]),
    "null is read no more": lambda _, __, ___, game: game["properties"]["score"]["anyOf"].pop(),
}


def test_breaking_changes_are_found() -> None:
    """Each breaking change is found alone; a change that only adds breaks nothing."""
    assert [name for name, change in BREAKING.items() if not changed(change)] == []
    assert {name: found for name, change in HARMLESS.items() if (found := changed(change))} == {}


def test_missing_operations_are_found() -> None:
    """A path, or a method of one."""
    assert breaks(BASE, {**BASE, "paths": {}}) == ["POST /moves is gone"]
    assert breaks(BASE, {**BASE, "paths": {"/moves": {}}}) == ["POST /moves is gone"]


def test_no_member_of_the_real_document_can_go_unnoticed() -> None:
    """All are taken away, and each is found missing where it was."""
    document = load(ROOT / "openapi.yaml")
    schemas = document["components"]["schemas"]
    taken = ("EventsPage", "NewFork")
    less = schemas | {name: schemas[name] | {"properties": {}} for name in taken}
    found = breaks(document, document | {"components": document["components"] | {"schemas": less}})
    for name in taken:
        for member in schemas[name]["properties"]:
            assert any(f".{member} is gone" in finding for finding in found), (name, member)
