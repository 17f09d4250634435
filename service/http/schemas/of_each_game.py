"""The schemas of every game, and the fields whose form depends on the game.

Nothing is computed before it is asked for, so a game that is registered later is found.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields

from domain.registry import DEFAULT_GAME, GAMES
from service.http.schemas.common.events import (
    COMMON_EVENTS,
    CREATED,
    CREATION,
    CreationData,
    EventSchema,
    previewed,
    recorded,
)
from service.http.schemas.common.fields import Discriminated
from service.http.schemas.common.game_schemas import GameSchemas
from service.http.schemas.common.members import text

GAME_SCHEMAS: Final[dict[str, GameSchemas]] = {
    name: import_module(f"{__package__}.{name}").SCHEMAS for name in GAMES
}  # the folder of a game's name has its schemas

MOVES, EVENTS, PREVIEWS = "moves", "events", "previews"
OPTIONS, RESOLVED_OPTIONS, SETUP, STATE, RESULT = "options", "resolved_options", "setup", "state", "result"


class OfGame(fields.Field[Any]):
    """A part of a document whose form depends on the game, which the member `game` beside it names."""

    def __init__(self, part: str, **kwargs: Any) -> None:
        """`part`: one of the constants above."""
        super().__init__(**kwargs)
        self.part = part

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        game = _game_of(data or {})
        if game is None:
            return value  # the game itself is refused
        schema, assumed = self.schema_for(data or {}), assumed_game(data or {})
        if schema is None:
            raise ValidationError(f"There is no {self.part} in {game}.{assumed}")
        try:
            return schema.load(value)
        except ValidationError as error:
            messages = error.messages
            if isinstance(value, dict) and isinstance(messages, dict) and self.part in _NAMED:
                unknown = value.keys() - _members(schema, every=True)
                said = [f"{game} has no such {_NAMED[self.part]}; {_known(self.part, schema)}{assumed}"]
                raise ValidationError(messages | dict.fromkeys(unknown, said)) from error
            raise

    def schema_for(self, document: Mapping[str, Any]) -> Schema | None:
        """The schema that checks this part of a document; None if its game is unknown, or has no such part."""
        game = _game_of(document)
        return None if game is None else schema_of(GAME_SCHEMAS[game], self.part)


def _game_of(document: Mapping[str, Any]) -> str | None:
    """The name of the game that a document is about; None for an unknown game."""
    game = document.get("game", DEFAULT_GAME)
    return game if isinstance(game, str) and game in GAME_SCHEMAS else None


_NAMED: Final = {
    OPTIONS: "option",
    SETUP: "member of `setup`",
}  # parts whose refusals list the valid names


def assumed_game(document: Mapping[str, Any]) -> str:
    """A further sentence for a refusal, if the document does not name its game."""
    return "" if document.get("game") is not None else f" As `game` was not sent, it is {DEFAULT_GAME}."


def _known(part: str, schema: Schema) -> str:
    names = ", ".join(_members(schema))
    return f"its {'options' if part == OPTIONS else 'members'} are: {names}." if names else "it has none."


def _members(schema: Schema, *, every: bool = False) -> list[str]:
    """The names of a schema's members that can be chosen, or all of them."""
    return [f.data_key or name for name, f in schema.fields.items() if every or "x-follows" not in f.metadata]


def schema_of(schemas: GameSchemas, part: str) -> Schema | None:
    """The schema of a part that is one document; None if the game has no such part."""
    schema: Schema | None = getattr(schemas, part)
    return schema


def registered() -> tuple[tuple[str, GameSchemas], ...]:
    """The games and their schemas: the key of everything that is cached about them."""
    return tuple(GAME_SCHEMAS.items())


def moves_of(game: str) -> Mapping[str, Schema]:
    """The schemas of the game's moves, by type."""
    return GAME_SCHEMAS[game].moves


def move_of(game: str) -> Discriminated:
    """Schema that checks a move of the game."""
    return _move_of(GAME_SCHEMAS[game])


@lru_cache(maxsize=64)
def _move_of(schemas: GameSchemas) -> Discriminated:
    return Discriminated("type", schemas.moves)


def event_schemas(game: str) -> dict[str, EventSchema]:
    """Descriptions of every type of event that the game may record: first the common ones, then its own."""
    return _event_schemas(game, GAME_SCHEMAS[game])


@lru_cache(maxsize=64)
def _event_schemas(game: str, schemas: GameSchemas) -> dict[str, EventSchema]:
    own = dict(schemas.events)
    if CREATION not in own:
        options = fields.Nested(schemas.resolved_options, required=True)
        members = {"game": text("The game's name."), "options": options}
        data = type(f"{camel(game)}GameCreatedData", (CreationData,), members)
        own = {CREATION: EventSchema(data(), CREATED)} | own
    return {kind: event for kind, event in COMMON_EVENTS.items() if kind not in own} | own


def events_of(game: str) -> Mapping[str, Schema]:
    """The schemas of the game's events as they are answered, by type."""
    return _events_of(game, GAME_SCHEMAS[game])


def previews_of(game: str) -> Mapping[str, Schema]:
    """The schemas of the game's events as a dry run foresees them, by type."""
    return _previews_of(game, GAME_SCHEMAS[game])


@lru_cache(maxsize=64)
def _events_of(game: str, schemas: GameSchemas) -> dict[str, Schema]:  # noqa: ARG001 -- the cache's key
    return {
        kind: recorded(of_game(game, camel(kind)), kind, event) if owner == game else events_of(owner)[kind]
        for kind, event, owner in _owned(game)
    }


@lru_cache(maxsize=64)
def _previews_of(game: str, schemas: GameSchemas) -> dict[str, Schema]:  # noqa: ARG001 -- the cache's key
    return {
        kind: previewed("Previewed" + of_game(game, camel(kind)), kind, event)
        if owner == game
        else previews_of(owner)[kind]
        for kind, event, owner in _owned(game)
        if event.previewed is not None
    }


def _owned(game: str) -> Iterator[tuple[str, EventSchema, str]]:
    """The game's events by type, each with the first game that has it in the same form.

    Both games then share one schema, because no event shows to which of the two it belongs.
    """
    for kind, event in event_schemas(game).items():
        forms = ((other, event_schemas(other).get(kind)) for other in GAME_SCHEMAS)
        yield kind, event, next(other for other, its in forms if its is not None and its.form == event.form)


def of_game(game: str, name: str) -> str:
    """The name in openapi.yaml of a part of that game: without a prefix for the default game."""
    return name if game == DEFAULT_GAME else camel(game) + name


def camel(name: str) -> str:
    """A name such as `bird_played` as `BirdPlayed`."""
    return "".join(word.title() for word in name.replace("-", "_").split("_"))
