"""A dry run: the effect of a move, as far as its player may know it in advance."""

from typing import Any

from domain.chance import UnknownOrder
from domain.lifecycle import EventRecord
from domain.migrato.codec.event_codec import encode
from domain.migrato.rules.cards import DOWN, IS_NIGHT, NAME
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import (
    BirdsArrived,
    CardsDrawn,
    ColumnDiscarded,
    DangerPlayed,
    DeckReshuffled,
    Event,
)
from domain.migrato.rules.legal import outcome_is_known
from domain.migrato.rules.moves import Move, MoveCards, Play
from domain.migrato.rules.state import State, fold, setup_of


def preview(state: State, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
    """The events that would follow (None for a face that the player does not know), and whether these are all.

    The list ends where the next event depends on face-down cards. Raises as `decide` does.
    """
    events = decide(state, seat, command, UnknownOrder())
    turns_up = isinstance(command, Play | MoveCards) and not outcome_is_known(state, seat, command)
    records: list[EventRecord] = []
    after = state
    for event in events:
        records.append(_as_known(state, seat, command, event))
        after = fold(after, [event])
        if turns_up or (isinstance(event, BirdsArrived) and _sweep_is_hidden(after, seat)):
            return records, False
    return records, True


def _sweep_is_hidden(state: State, seat: int) -> bool:
    """True if face-down cards may go with an arrival (rules 6, opla)."""
    sweeps_all = setup_of(state).rules.sweep == "every_card"
    return sweeps_all and any(DOWN in shape for shape in state.players[seat].shapes)


def _as_known(state: State, seat: int, command: Move, event: Event) -> EventRecord:
    """The event with what its player cannot see yet, or may not see again, as None (rules 9)."""
    record = encode(event)
    match event:
        case DangerPlayed() if not outcome_is_known(state, seat, command):
            hidden: dict[str, Any] = {"card": None}
        case CardsDrawn():
            hidden = {"cards": None}
        case DeckReshuffled():
            hidden = {"deck": None}
        case ColumnDiscarded(_, _, cards) if not setup_of(state).rules.memory_aid:
            hidden = {"cards": [None if IS_NIGHT[card] else NAME[card] for card in cards]}
        case _:
            return record
    return record._replace(data=record.data | hidden)
