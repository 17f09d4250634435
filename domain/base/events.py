"""The events of every game on the base: kept as they are stored, with one version of their schemas."""

from typing import Any, Final

from domain import annotations, interventions
from domain.base.rules import GameRules
from domain.base.table import CREATED, Table
from domain.common_events.takebacks import TAKEN_BACK
from domain.errors import DomainError
from domain.lifecycle import (
    SEALED_CREATION,
    Create,
    EventRecord,
    Fork,
    Json,
    Result,
    Viewer,
    origin_document,
    seat_document,
)
from domain.words import common
from domain.words.languages import ENGLISH

SCHEMA: Final = 1
_CONSEQUENCES: Final = frozenset(("game_started", "position_set", "game_ended"))
_POSITIONS: Final = ("position_set", TAKEN_BACK)
_PUBLIC: Final[dict[str, frozenset[str]]] = {  # the fields that everybody may see
    "game_created": CREATED,
    "seat_taken": frozenset(("player", "client_seed")),
    "game_started": frozenset(),
    "position_set": frozenset(("turn",)),
    TAKEN_BACK: frozenset(("to_version", "turn")),
    "player_resigned": frozenset(),
    "game_ended": frozenset(("places", "reason", "scores")),
    "game_scored": frozenset(("places",)),
}


def event(kind: str, seat: int | None = None, **data: Any) -> EventRecord:
    """An event of a game on this base."""
    return EventRecord(kind, SCHEMA, seat, data)


def created(game: GameRules, command: Create | Fork, options: Json, setup: bool, more: Json) -> EventRecord:
    """The first event; `more`: the prepared cards, or the origin of a fork."""
    return event(
        "game_created",
        id=command.game_id,
        game=game.name,
        commitment=command.commitment,
        options=options,
        seats=[seat_document(seat) for seat in command.seats],
        setup=setup,
        **more,
    )


def forked(game: GameRules, command: Fork) -> list[EventRecord]:
    """The first events of a fork."""
    before: Table = command.position
    return [
        created(game, command, before.options, True, {"origin": origin_document(command.origin)}),
        event("position_set", turn=before.turn, position=before.position),
    ]


def taken_back(former: Table, seat: int, to_version: int) -> EventRecord:
    """The event that takes the seat's last move back, to the table before it."""
    return event(TAKEN_BACK, seat, to_version=to_version, turn=former.turn, position=former.position)


def ended(result: Result) -> EventRecord:
    """The end of a game."""
    return event("game_ended", places=list(result.places), reason=result.reason, scores=list(result.scores))


def check_known(game: GameRules, record: EventRecord) -> None:
    """DomainError "unknown-event" for a type or schema that this version does not know."""
    known = record.type in _PUBLIC or record.type in game.events or _is_common(record)
    if not known or (record.schema != SCHEMA and not _is_of_another_schema(record)):
        raise DomainError("unknown-event", f"{game.name} knows no event ({record.type}, {record.schema}).")
    if record.type in _POSITIONS and not _is_position(record.data):
        raise DomainError("unknown-event", "A position is a turn, from 1 on, and what lies on the table.")


def _is_of_another_schema(record: EventRecord) -> bool:
    """True if every game has such an event in that schema."""
    if (record.type, record.schema) == SEALED_CREATION:
        return True
    return annotations.decode(record) is not None or interventions.decode(record) is not None


def _is_common(record: EventRecord) -> bool:
    """True if the event is one that every game may have beside its play."""
    return annotations.redact(record) is not None or interventions.redact(record) is not None


def _is_position(data: Json) -> bool:
    return (
        data.keys() - {"to_version"} == {"turn", "position"}
        and type(data["turn"]) is int
        and data["turn"] > 0
    )


def is_consequence(game: GameRules, before: EventRecord, record: EventRecord) -> bool:
    """True if nobody decided anything between the two events."""
    if before.type == annotations.BEFORE_A_MOVE or record.type in _CONSEQUENCES:
        return True
    return record.type in game.events and game.move_of(record) is None


def redact(game: GameRules, record: EventRecord, viewer: Viewer) -> tuple[Json, list[str]]:
    """The event's data as the viewer may see it while the game runs, and the names of its hidden fields."""
    common = annotations.redact(record) or interventions.redact(record)
    if common is not None:
        return common
    whole = record.data
    if record.type in _POSITIONS:
        position = game.view_for(whole["position"], viewer)
        return {**whole, "position": position}, [] if position == whole["position"] else ["position"]
    public = _PUBLIC.get(record.type) or game.events.get(record.type, frozenset())
    prepared = record.type == "game_created"  # prepared cards are hidden from everybody
    data = {
        name: value if name in public else None if prepared else game.visible_field(record, name, viewer)
        for name, value in whole.items()
    }
    return data, sorted(name for name, value in data.items() if value != whole[name])


def notation(record: EventRecord, language: str = ENGLISH) -> str:
    """The event in one line."""
    said = common.said(record)
    if said is not None:
        return said.in_language(language)
    who = "" if record.seat is None else f"{common.seat(record.seat).in_language(language)}: "
    data = ", ".join(f"{name} {'?' if value is None else value}" for name, value in record.data.items())
    return f"{who}{record.type.replace('_', ' ')} {data}".rstrip()
