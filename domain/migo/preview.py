"""A dry run of a move: the events that it would cause. Nobody knows the layout of a later round before it
is laid out.
"""

from domain.chance import UnknownOrder
from domain.lifecycle import EventRecord
from domain.migo.codec.event_codec import encode
from domain.migo.rules.decide import decide
from domain.migo.rules.events import RoundStarted
from domain.migo.rules.moves import Move
from domain.migo.rules.state import State


def preview(state: State, seat: int, command: Move) -> tuple[list[EventRecord], bool]:
    """The events that would follow, without the layout of a next round, and whether that is all of them.

    Raises the errors of `decide`.
    """
    events = decide(state, seat, command, UnknownOrder())
    known = [event for event in events if not isinstance(event, RoundStarted)]
    return [encode(event) for event in known], len(known) == len(events)
