"""The reference page of the events, generated from their schemas.

    python -m service.http.documentation.event_reference > docs/reference/events.md

A test holds the page to what the schemas say.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.http.documentation.openapi import spec
from service.http.documentation.sharing import whole
from service.http.schemas.common.events import COMMON_EVENTS, SEEN_BY, WHILE, EventSchema
from service.http.schemas.of_each_game import GAME_SCHEMAS, event_schemas, events_of

Json = dict[str, Any]

INTRODUCTION: Final = """\
# Events

This page is generated from the schemas of the API:
`python -m service.http.documentation.event_reference > docs/reference/events.md`.

A game is a sequence of events. Everything that a view shows follows from them, so a client can render a game from its
events alone, as a page or as a [stream](http-api.md#events). Each event has these members:

| member | |
|---|---|
| `version` | the number of the event in the game, from 1 |
| `type` | what has happened; the sections below describe each type |
| `schema` | the version of the form of `data` |
| `seat` | the seat that the event belongs to; null for those that say so |
| `data` | what the type says, as far as the viewer may know it |
| `redacted` | the names of the fields of `data` that are hidden from the viewer, or partly hidden |
| `at` | the time |
| `commitment`, `head`, `sealed`, `salts` |\
 what [proves the event](fairness-protocol.md#commitments-and-the-chain); in older games `salt`, if nothing is hidden |
| `notation` | the event in one line; in a replay only |

While a game runs, a hidden field is null and named in `redacted`. Once the game is over, everything is shown. A dry run
foresees events with only `type`, `schema`, `seat` and `data`; what the player may not know yet is null there.

In the tables, *seen by* says who sees a field while the game runs. Fields are always there unless they are *optional*.
"""


def reference() -> str:
    """The page as Markdown."""
    schemas = spec()["components"]["schemas"]
    return "\n".join([INTRODUCTION, *_common(schemas), *_games(schemas), *_parts(schemas)]).rstrip() + "\n"


def _common(schemas: Json) -> Iterator[str]:
    yield "## Every game\n"
    yield "Any game may record these events. The games' own sections have the events whose form depends on the game.\n"
    for kind, event in COMMON_EVENTS.items():
        games = [game for game in GAME_SCHEMAS if event_schemas(game)[kind] is event]
        if games:
            yield from _event(kind, event, _data_of(games[0], kind, schemas), schemas)


def _games(schemas: Json) -> Iterator[str]:
    for game, supplied in GAME_SCHEMAS.items():
        yield f"## {game.title()}\n"
        if supplied.rendering:
            yield f"To render the game from its events:\n\n{supplied.rendering}"
        for kind, event in event_schemas(game).items():
            if COMMON_EVENTS.get(kind) is not event:
                yield from _event(kind, event, _data_of(game, kind, schemas), schemas)


def _data_of(game: str, kind: str, schemas: Json) -> Json:
    event = _resolved({"$ref": type(events_of(game)[kind]).__name__}, schemas)
    return _resolved(event["properties"]["data"], schemas)


def _resolved(reference: Json, schemas: Json) -> Json:
    """The schema that is referred to, with the members of the one that it extends."""
    return whole(reference, schemas)


def _event(kind: str, event: EventSchema, data: Json, schemas: Json) -> Iterator[str]:
    yield f"### {kind}\n"
    yield event.summary + ("\n" if event.of_a_seat else " `seat` is null.\n")
    if data.get("properties"):
        yield from _table(data, schemas)
    else:
        yield "It has no data.\n"
    yield f"* Table: {event.effect}"
    yield f"* Turn: {event.turn}\n"


def _table(data: Json, schemas: Json, *, seen: bool = True) -> Iterator[str]:
    yield "| field | type | seen by | |" if seen else "| field | type | |"
    yield "|---|---|---|---|" if seen else "|---|---|---|"
    for name, member in data["properties"].items():
        optional = "" if name in data.get("required", ()) else ", optional"
        words = member.get("description") or _resolved(member, schemas).get("description", "")
        words = words.partition(f" {WHILE}")[0] if seen else words
        cells = [f"`{name}`", _type(member) + optional, words]
        if seen:
            cells.insert(2, _seen_by(member))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _seen_by(member: Json) -> str:
    return str(member.get(SEEN_BY, "everybody"))


def _type(schema: Json) -> str:
    """The type of a member in words."""
    if "$ref" in schema:
        return f"[{_name(schema)}](#{_name(schema).lower()})"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(_type(option) for option in schema[union])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    kinds = schema.get("type", "any")
    return " or ".join(_plain(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _plain(kind: str, schema: Json) -> str:
    if kind == "array":
        items = _type(schema["items"])
        return f"list of ({items})" if " or " in items and "list" in items else f"list of {items}"
    if kind == "object":
        return f"object of {_type(schema['additionalProperties'])}"
    return kind


def _parts(schemas: Json) -> Iterator[str]:
    """The documents inside the data, each once."""
    yield "## Parts\n"
    todo = [
        name
        for game in GAME_SCHEMAS
        for kind in event_schemas(game)
        for name in _references(_data_of(game, kind, schemas))
    ]
    done = set[str]()
    while todo:
        name = todo.pop(0)
        if name in done:
            continue
        done.add(name)
        yield f"### {name}\n"
        part = _resolved({"$ref": name}, schemas)
        yield from _table(part, schemas, seen=False)
        todo = [*_references(part), *todo]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if "$ref" in node:
            yield _name(node)
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


if __name__ == "__main__":
    sys.stdout.write(reference())
