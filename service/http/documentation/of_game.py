"""Games in openapi.yaml, told apart.

A document that names its game is a schema for each game, told apart by `game`: `GameView` is the default game's, and
another game's has the game's name before it. Moves and events do not name their game. They are a union for each game,
in which `type` tells which it is: again `Event` is the default game's. A request that may leave its game out is one
schema with the parts of any game.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema, fields, validate

from service.http.schemas.common.events import CREATION, CreationData
from service.http.schemas.common.results import EndReason
from service.http.schemas.fields import Discriminated
from service.http.schemas.registry import (
    EVENTS,
    GAME_SCHEMAS,
    MOVES,
    PREVIEWS,
    OfGame,
    event_schemas,
    events_of,
    moves_of,
    of_game,
    previews_of,
    schema_of,
)

Json = dict[str, Any]
Kinds = Callable[[str], Mapping[str, Schema]]  # the schemas of a game by the value of `type`

UNIONS: Final[Mapping[str, tuple[str, Kinds]]] = {
    MOVES: ("Move", moves_of),
    EVENTS: ("Event", events_of),
    PREVIEWS: ("PreviewedEvent", previews_of),
}
GAME: Final = "game"  # the member that names it
GAME_OF: Final = "game_of_the_document"  # the attribute of a class of documents of one game


def component(schema: Any) -> str:
    """Name of a schema, or of a class of schemas, in openapi.yaml."""
    shape = schema if isinstance(schema, type) else type(schema)
    return str(shape.__name__).removesuffix("Document")


class Converter(OpenAPIConverter):
    """One that makes a schema for each game of a document that names its game."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._documents: dict[type[Schema], dict[str, Schema]] = {}
        for attributes in (_tagged, _of_game, _reasons, _game_created):
            self.add_attribute_function(attributes)  # type: ignore[no-untyped-call]

    def resolve_nested_schema(self, schema: Any) -> Any:
        """A reference to the schema, or references to those of all games."""
        document = schema if isinstance(schema, type) else type(schema)
        if not _names_its_game(document):
            return super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
        if document not in self._documents:
            self._documents[document] = {game: _document_of(game, document) for game in GAME_SCHEMAS}
        documents = self._documents[document]
        if len(documents) == 1:
            (schema,) = documents.values()
            return super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
        return one_of(self, GAME, documents)


class Plugin(MarshmallowPlugin):
    """Marshmallow schemas, those of documents that name their game among them."""

    Converter = Converter


def one_of(converter: Converter, tag: str, schemas: Mapping[str, Schema]) -> Json:
    """One of several documents by the value of the tag: `oneOf` with a discriminator."""
    found = {value: converter.resolve_nested_schema(schema) for value, schema in schemas.items()}
    mapping = {value: reference["$ref"] for value, reference in found.items()}
    return {"oneOf": list(found.values()), "discriminator": {"propertyName": tag, "mapping": mapping}}


def _members(document: type[Schema]) -> Mapping[str, Any]:
    """Its fields by name."""
    return document._declared_fields  # noqa: SLF001 -- has no other name


def _names_its_game(document: type[Schema]) -> bool:
    """True if it has parts whose form depends on the game, and always names that game."""
    members = _members(document)
    parts = any(isinstance(member, OfGame) for member in members.values())
    return parts and GAME in members and members[GAME].required and GAME_OF not in vars(document)


def _document_of(game: str, document: type[Schema]) -> Schema:
    """The document as it is in that game: what the game lacks is not in it."""
    members = _members(document)
    lacking = [
        name
        for name, member in members.items()
        if isinstance(member, OfGame) and schema_of(GAME_SCHEMAS[game], member.part) is None
    ]
    attributes = {
        GAME: fields.String(required=True, validate=validate.Equal(game), metadata=members[GAME].metadata),
        GAME_OF: game,
        "Meta": type("Meta", (document.Meta,), {"exclude": lacking}),
    }
    schema: Schema = type(of_game(game, component(document)), (document,), attributes)()
    return schema


def _tagged(self: Any, field: Any, **_: Any) -> Json:
    """One of several documents that another member tells apart."""
    if not isinstance(field, Discriminated):
        return {}
    found = one_of(self, field.tag, field.kinds)
    return found | {"oneOf": [*found["oneOf"], {"type": "null"}]} if field.allow_none else found


def _of_game(self: Any, field: Any, **_: Any) -> Json:
    """A part of a document whose form depends on the game, which the document may name."""
    if not isinstance(field, OfGame):
        return {}
    game = getattr(field.parent, GAME_OF, None)
    found = [_form(self, field.part, name) for name in GAME_SCHEMAS if game in {None, name}]
    forms = [
        form for at, form in enumerate(found) if form and form not in found[:at]
    ]  # games may share a form
    if field.allow_none:
        forms.append({"type": "null"})
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _form(converter: Converter, part: str, game: str) -> Json:
    """The form of the part in that game; empty if the game has no such part."""
    if part in UNIONS:
        return _union(converter, part, game)
    schema = schema_of(GAME_SCHEMAS[game], part)
    return {} if schema is None else dict(converter.resolve_nested_schema(schema))


def _union(converter: Converter, part: str, game: str) -> Json:
    """The part as a component of its own, such as `Move`: one form for each tag."""
    name, kinds = UNIONS[part]
    component, known = of_game(game, name), converter.spec.components
    if component not in known.schemas:
        known.schema(component, one_of(converter, "type", kinds(game)))
    return {"$ref": f"#/components/schemas/{component}"}


def _reasons(self: Any, field: Any, **_: Any) -> Json:  # noqa: ARG001 -- apispec binds it
    """Reasons for the end of games with that form of a result."""
    if not isinstance(field, EndReason):
        return {}
    games = [supplied for supplied in GAME_SCHEMAS.values() if type(supplied.result) is type(field.parent)]
    return {"enum": list(dict.fromkeys(reason for supplied in games for reason in supplied.reasons))}


def _game_created(self: Any, field: Any, **_: Any) -> Json:  # noqa: ARG001 -- apispec binds it
    """The only game whose creation is recorded in that form."""
    if field.name != GAME or not isinstance(field.parent, CreationData):
        return {}
    form = type(field.parent)
    (game,) = (name for name in GAME_SCHEMAS if type(event_schemas(name)[CREATION].data) is form)
    return {"const": game}
