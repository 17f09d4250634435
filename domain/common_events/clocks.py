# compiled into rules
"""The events of clocks: the same in every game, in which they change nothing themselves. All of them are public."""

from dataclasses import dataclass
from typing import Final, assert_never

from domain.lifecycle import EventRecord, Json

SCHEMA: Final = 1
FORMER_SET: Final = (
    1  # of clocks that begin turns anew, and give increments to who did not act (see ADR 0036)
)
SET_SCHEMA: Final = 2
SET: Final = "clock_set"
UP: Final = "turn_timed_out"
CREDIT: Final = "clock_credited"
KINDS: Final = frozenset((SET, UP, CREDIT))
REASON: Final = "timeout"  # why a game ended that was forfeited
INSTEAD: Final = "time-up"  # why a bot moved in a person's place


@dataclass(frozen=True, slots=True)
class ClockSet:
    """The game has this clock (`domain.clocks.options.options_document`), which counts as its schema says."""

    document: Json
    schema: int = SET_SCHEMA


@dataclass(frozen=True, slots=True)
class TurnTimedOut:
    """The seat's time was up at `deadline` (RFC 3339 UTC); `when_up` says what becomes of its turn."""

    seat: int
    deadline: str
    when_up: str


@dataclass(frozen=True, slots=True)
class ClockCredited:
    """The seat got time back that the engine's store took from it, in an outage that ended at `until`."""

    seat: int
    milliseconds: int
    until: str


ClockEvent = ClockSet | TurnTimedOut | ClockCredited


def encode(event: ClockEvent) -> EventRecord:
    """The event as it is stored."""
    match event:
        case ClockSet(document, schema):
            return EventRecord(SET, schema, None, document)
        case TurnTimedOut(seat, deadline, when_up):
            return EventRecord(UP, SCHEMA, seat, {"deadline": deadline, "when_up": when_up})
        case ClockCredited(seat, milliseconds, until):
            return EventRecord(CREDIT, SCHEMA, seat, {"milliseconds": milliseconds, "until": until})
        case _:
            assert_never(event)


def decode(record: EventRecord) -> ClockEvent | None:
    """The event that was stored; None if it is none of these."""
    kind, schema, seat, data = record.type, record.schema, record.seat, record.data
    if kind == SET:
        return ClockSet(data, schema) if schema in (FORMER_SET, SET_SCHEMA) else None
    if schema != SCHEMA or seat is None:
        return None
    if kind == UP:
        return TurnTimedOut(seat, data["deadline"], data["when_up"])
    return ClockCredited(seat, data["milliseconds"], data["until"]) if kind == CREDIT else None
