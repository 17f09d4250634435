"""The events of taking moves back that are the same in every game: who asks, and what the others say. All public.

What follows once all agree, `moves_taken_back`, is the game's own: it has the whole position.
"""

from dataclasses import dataclass
from typing import Final, assert_never

from domain.lifecycle import EventRecord

SCHEMA: Final = 1
REQUESTED: Final = "takeback_requested"
ANSWERED: Final = "takeback_answered"
TAKEN_BACK: Final = "moves_taken_back"
KINDS: Final = frozenset((REQUESTED, ANSWERED, TAKEN_BACK))


@dataclass(frozen=True, slots=True)
class TakebackRequested:
    """The seat asks to take its last move back: to the table as it was after event `to_version`."""

    seat: int
    to_version: int


@dataclass(frozen=True, slots=True)
class TakebackAnswered:
    """The seat agrees to what another asks, or refuses; of who has asked: it withdraws."""

    seat: int
    agrees: bool


TakebackEvent = TakebackRequested | TakebackAnswered


def encode(event: TakebackEvent) -> EventRecord:
    """The event as it is stored."""
    match event:
        case TakebackRequested(seat, to_version):
            return EventRecord(REQUESTED, SCHEMA, seat, {"to_version": to_version})
        case TakebackAnswered(seat, agrees):
            return EventRecord(ANSWERED, SCHEMA, seat, {"agree": agrees})
        case _:
            assert_never(event)


def decode(record: EventRecord) -> TakebackEvent | None:
    """The event that was stored; None if it is none of these."""
    seat, data = record.seat, record.data
    if seat is None or record.schema != SCHEMA:
        return None
    if record.type == REQUESTED:
        return TakebackRequested(seat, data["to_version"])
    return TakebackAnswered(seat, data["agree"]) if record.type == ANSWERED else None


def notation(record: EventRecord) -> str | None:
    """The event in one readable line; None: none of these."""
    if record.type == REQUESTED:
        return f"seat {record.seat} asks to take its last move back, to event {record.data['to_version']}"
    if record.type == ANSWERED:
        return f"seat {record.seat} {'agrees' if record.data['agree'] else 'refuses'}"
    return None
