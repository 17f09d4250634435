# compiled into rules
"""The events of takebacks that are the same in every game: the request, and the answers of the others. All public.

Once all agree, `moves_taken_back` follows. It is the game's own event, because it has the whole position.
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
    """The seat agrees to another's request, or refuses it; the asking seat withdraws."""

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
