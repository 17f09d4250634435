"""Documents that depend on the game, in openapi.yaml.

A document that names its game has one schema for each game, told apart by `game`: `GameView` is the default game's
schema, and another game's begins with that game's name. Moves and events do not name their game: each game has a union
of them, told apart by `type`, and again `Event` is the default game's. A request that may leave its game out has one
schema with the parts of all games.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema, fields, validate

from service.http.schemas.common.events import CREATION, CreationData
from service.http.schemas.common.fields import Discriminated, Embedded, OneOfForms, RequestDocument
from service.http.schemas.common.results import EndReason
from service.http.schemas.of_each_game import (
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
GAME: Final = "game"  # the member that names the game
ANY: Final = ""  # stands for a game's name: the parts of a document that are the same in every game
FEW: Final = 2  # members; a document with fewer is repeated in those that extend it
GAME_OF: Final = "game_of_the_document"  # the attribute of a class of documents of one game


def component(schema: Any) -> str:
    """Name of a schema, or of a class of schemas, in openapi.yaml."""
    shape = schema if isinstance(schema, type) else type(schema)
    return str(shape.__name__).removesuffix("Document")


class Converter(OpenAPIConverter):
    """A converter that makes one schema for each game from a document that names its game."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._documents: dict[type[Schema], dict[str, Schema]] = {}
        self._common: dict[type[Schema], Schema] = {}
        for attributes in (_tagged, _of_game, _reasons, _game_created, _games, _forms, _embedded):
            self.add_attribute_function(attributes)  # type: ignore[no-untyped-call]

    def resolve_nested_schema(self, schema: Any) -> Any:
        """A reference to the schema, or references to those of all games."""
        document = schema if isinstance(schema, type) else type(schema)
        if not _names_its_game(document):
            return super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
        documents = self._of_each_game(document)
        if len(documents) == 1:
            (schema,) = documents.values()
            return super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
        return one_of(self, GAME, documents)

    def schema2jsonschema(self, schema: Any) -> Json:
        """The form of a document. A document of an answer refers to the one that it extends, and may get members."""
        form: Json = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        if isinstance(schema, RequestDocument):
            return form | _only_one(schema.exactly_one)
        form.pop("additionalProperties", None)
        for simpler in self._simpler(schema):
            base: Json = super().schema2jsonschema(simpler)  # type: ignore[no-untyped-call]
            if _extends(form, base) and not any(map(_lists_maps, simpler.fields.values())):
                return {"allOf": [self.resolve_nested_schema(simpler), _rest(form, base)]}
        return form

    def _simpler(self, schema: Schema) -> Iterator[Schema]:
        """Documents that this one may extend, the best candidate first."""
        document = type(schema)
        game = vars(document).get(GAME_OF)
        if game is not None:
            (document,) = document.__bases__
        (base, *_) = document.__bases__
        if game in {None, ANY}:
            yield base()
            return
        if _names_its_game(base):
            yield self._of_each_game(base)[game]
        yield self._of_any(document)

    def _of_each_game(self, document: type[Schema]) -> dict[str, Schema]:
        """The document in the form of each game."""
        if document not in self._documents:
            self._documents[document] = {game: _document_of(game, document) for game in GAME_SCHEMAS}
        return self._documents[document]

    def _of_any(self, document: type[Schema]) -> Schema:
        """The part of the document that all games have."""
        if document not in self._common:
            self._common[document] = _document_of(ANY, document)
        return self._common[document]


class Plugin(MarshmallowPlugin):
    """The plugin for marshmallow schemas, with those of documents that name their game."""

    Converter = Converter


def one_of(converter: Converter, tag: str, schemas: Mapping[str, Schema]) -> Json:
    """One of several documents by the value of the tag: `oneOf` with a discriminator."""
    found = {value: converter.resolve_nested_schema(schema) for value, schema in schemas.items()}
    mapping = {value: reference["$ref"] for value, reference in found.items()}
    return {"oneOf": list(found.values()), "discriminator": {"propertyName": tag, "mapping": mapping}}


def _members(document: type[Schema]) -> Mapping[str, Any]:
    """Its fields by name."""
    return document._declared_fields  # noqa: SLF001 -- has no other name


def _only_one(names: Sequence[str]) -> Json:
    """The rule in words, because generators make several classes of a document for which JSON Schema states it."""
    *most, last = (f"`{name}`" for name in names) if names else ("",)
    return {"description": f"Exactly one of {', '.join(most)} and {last}."} if names else {}


def _extends(form: Json, base: Json) -> bool:
    """True if the form has all members of the base unchanged, and these are more than a few."""
    members, required = base["properties"], base.get("required", ())
    is_same = all(form["properties"].get(name) == member for name, member in members.items())
    is_there = [name for name in form.get("required", ()) if name in members] == list(required)
    return is_same and is_there and len(members) >= FEW


def _rest(form: Json, base: Json) -> Json:
    """The members that the base lacks."""
    own = {name: member for name, member in form["properties"].items() if name not in base["properties"]}
    required = [name for name in form.get("required", ()) if name in own]
    return {"type": "object", "properties": own} | ({"required": required} if required else {})


def _lists_maps(member: fields.Field[Any]) -> bool:
    """True for a member from which openapi-python-client would make two classes of one name."""
    return isinstance(member, fields.List) and isinstance(member.inner, fields.Dict)


def _names_its_game(document: type[Schema]) -> bool:
    """True if it has parts whose form depends on the game, and always names that game."""
    members = _members(document)
    parts = any(isinstance(member, OfGame) for member in members.values())
    return parts and GAME in members and members[GAME].required and GAME_OF not in vars(document)


def _document_of(game: str, document: type[Schema]) -> Schema:
    """The document in the form of that game, without the members that the game lacks. For ANY it has those of all
    games.
    """
    members = _members(document)
    lacking = [
        name for name, member in members.items() if isinstance(member, OfGame) and _lacks(game, member)
    ]
    name = component(document)
    attributes: dict[str, Any] = {GAME_OF: game}
    if game == ANY:
        lacking.append(GAME)
    else:
        attributes[GAME] = fields.String(
            required=True, validate=validate.Equal(game), metadata=members[GAME].metadata
        )
    attributes["Meta"] = type("Meta", (document.Meta,), {"exclude": lacking})
    schema: Schema = type(
        f"{name}OfAnyGame" if game == ANY else of_game(game, name), (document,), attributes
    )()
    return schema


def _lacks(game: str, member: OfGame) -> bool:
    return game == ANY or schema_of(GAME_SCHEMAS[game], member.part) is None


def _tagged(self: Any, field: Any, **_: Any) -> Json:
    """One of several documents that another member tells apart."""
    if not isinstance(field, Discriminated):
        return {}
    found = one_of(self, field.tag, field.kinds)
    return {"anyOf": [found, {"type": "null"}]} if field.allow_none else found


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


def _games(self: Any, field: Any, ret: Json) -> Json:  # noqa: ARG001 -- apispec binds it
    """The games that a request may name, and an answer that may be about any of them. A query may name others."""
    if field.name != GAME or not isinstance(field, fields.String) or isinstance(field.parent, CreationData):
        return {}
    if field.validators and not isinstance(field.parent, RequestDocument):
        return {}
    ret.pop("minLength", None), ret.pop("maxLength", None)
    return {"enum": list(GAME_SCHEMAS)}


def _forms(self: Any, field: Any, **_: Any) -> Json:
    """The forms of a document."""
    if not isinstance(field, OneOfForms):
        return {}
    return {"anyOf": [self.resolve_nested_schema(document) for document in field.documents]}


def _embedded(self: Any, field: Any, **_: Any) -> Json:
    """The documents of which a text has one."""
    if not isinstance(field, Embedded):
        return {}
    forms = [
        self.field2property(part) if isinstance(part, fields.Field) else self.resolve_nested_schema(part)
        for part in field.documents
    ]
    return {"contentMediaType": "application/json", "contentSchema": {"anyOf": forms}}
