"""Quick reading reads as the schema does, and refuses in the schema's words."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import RAISE, Schema, ValidationError, fields, post_load, pre_load, validates

from service.http.resources import BLUEPRINTS
from service.http.schemas.common import quick
from service.http.schemas.common.fields import Discriminated, RequestDocument, StrictInt
from service.http.schemas.games.requests import NewGame
from service.http.schemas.of_each_game import GAME_SCHEMAS
from tests.service.random_documents import JUNK, documents
from tests.service.table import Json

BODIES = {
    o.endpoint: o.body
    for blueprint in BLUEPRINTS
    for o in blueprint.operations
    if isinstance(o.body, RequestDocument | Discriminated)
}
OF_GAMES = {
    f"{name} {part}": schema
    for name, schemas in GAME_SCHEMAS.items()
    for part, schema in [("options", schemas.options), ("setup", schemas.setup), *schemas.moves.items()]
    if schema is not None
}


def outcome(load: Any, document: Any) -> str:
    """The result, to the type of every value and the order of every member."""
    try:
        return repr(load(document))
    except ValidationError as error:
        return f"refused: {error.messages!r}"


@pytest.mark.parametrize("name", [*BODIES, *OF_GAMES])
def test_it_is_read_as_the_schema_reads_it(name: str) -> None:
    """Any document is read as the schema reads it; most of the good ones are read quickly."""
    shape, quickly = (BODIES | OF_GAMES)[name], list[bool]()

    @settings(max_examples=50, deadline=None)
    @given(st.one_of(documents(shape, odd=True), documents(shape, odd=False), JUNK))
    def holds(document: Any) -> None:
        expected = outcome(lambda d: dict(shape.load(d)), document)
        assert outcome(lambda d: quick.read(shape, d), document) == expected
        if not expected.startswith("refused"):
            quickly.append(outcome(quick._reader(shape), document) == expected)

    holds()
    assert any(quickly)


USUAL: list[Json] = [
    {},
    {"game": "migo"},
    {"seats": [{"kind": "human", "player": "ada", "client_seed": "x"}, {"kind": "bot", "bot": "greedy"}]},
    {"seats": [{"kind": "human", "player": None}, {"kind": "open"}], "setup": None, "game": None},
    {"seats": [{"kind": "human"}, {"kind": "remote", "url": "https://bots.example.com"}]},
    {"options": {"rules": "opla", "turn_limit": None, "first_seat": "random", "deck_list": {"G5d": 2}}},
    {"setup": {"deck": ["G5d", "HUN"]}, "visibility": "public"},
]


def test_usual_bodies_are_read_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Usual bodies are read quickly, without the schema."""
    shape = NewGame()
    expected = [shape.load(body) for body in USUAL]
    monkeypatch.setattr(NewGame, "_do_load", None)
    assert repr([quick.read(shape, body) for body in USUAL]) == repr(expected)


def _unusual() -> list[Schema]:
    class Prepared(RequestDocument):
        n = fields.Integer(pre_load=lambda value: value + 1)

    class Renamed(RequestDocument):
        n = StrictInt(data_key="m", attribute="o", load_default=lambda: 7)

    class Hooked(RequestDocument):
        n = StrictInt()

        @pre_load
        def before(self, data: Json, **_: Any) -> Json:
            return {"n": len(data)}

    class Made(RequestDocument):
        n = StrictInt()

        @post_load
        def after(self, data: Json, **_: Any) -> Json:
            return data | {"made": True}

    class Judged(RequestDocument):
        n = StrictInt()

        @validates("n")
        def judge(self, value: int, data_key: str) -> None:
            if value == 1:
                raise ValidationError(f"{data_key} is one.")

    class Lax(RequestDocument):
        n = StrictInt()

        class Meta:
            unknown = "exclude"

    class Nulls(RequestDocument):
        n = StrictInt(allow_none=True, required=True)
        inner = fields.Nested(Renamed, allow_none=True)
        lists = fields.List(fields.List(StrictInt(allow_none=True)), load_default=None)

    usual = [made() for made in (Prepared, Renamed, Hooked, Made, Judged, Lax, Nulls)]
    return [*usual, Renamed(partial=True), Lax(unknown=RAISE)]


ODD: list[Json] = [
    {},
    *({"n": value} for value in (1, None, True, 1.0)),
    {"m": 2},
    {"n": 2, "x": 1},
    {"n": 2, "inner": {"m": 2}, "lists": [[1, None], []]},
    {"n": 2, "inner": None, "lists": None},
    {"n": 2, "inner": {"m": "2"}},
]


@pytest.mark.parametrize("schema", _unusual(), ids=lambda schema: type(schema).__name__)
def test_unusual_schemas_read_for_themselves(schema: Schema) -> None:
    """Hooks, renamed members, defaults that are made, nulls that mean something."""
    for document in ODD:
        expected = outcome(lambda d: dict(schema.load(d)), document)
        assert outcome(lambda d: quick.read(schema, d), document) == expected, document
