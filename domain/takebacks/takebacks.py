"""The move that can be taken back: a fold of a game's events, beside the game.

A move can be taken back as long as it is the last one and nobody has learnt anything since. *Learnt* is what the events
show that was hidden before from somebody, a spectator too: a card, what was drawn, what chance gave; and the end of the
game. The player's choice itself does not count: the seats that agree have seen it. A game names the events that show
nothing (`Game.reveals_nothing`); all others count as learnt.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from domain.annotations import BEFORE_A_MOVE
from domain.common_events.clocks import UP
from domain.common_events.takebacks import ANSWERED, REQUESTED, TAKEN_BACK
from domain.game import Game
from domain.interventions import HAND_OVER
from domain.interventions import KINDS as INTERVENTIONS
from domain.lifecycle import EventRecord

MOST_REQUESTS: Final = 20  # of a seat in one game: each is an event, and a game must have an end
_SEATING: Final = INTERVENTIONS | {"seat_taken", UP}  # what changes who plays, and nothing on the table


@dataclass(frozen=True, slots=True)
class MoveToTakeBack:
    """The move that was made last: by which seat, from which `state`, after which `version`.

    `learnt_by` is the type of the first event by which somebody learnt something; None if there was none.
    """

    seat: int
    version: int
    state: Any
    learnt_by: str | None = None


@dataclass(frozen=True, slots=True)
class Takebacks:
    """Takebacks: the `last` move, None where there is none to take back; `asked`: whether its seat asks for it.

    `agreed` are the seats that have agreed to that; `requests` are the seats that have asked in the whole game, each as
    often as it has. `by_bot`: the move that comes next was chosen by a bot, which takes nothing back.
    """

    last: MoveToTakeBack | None = None
    asked: bool = False
    agreed: frozenset[int] = frozenset()
    requests: tuple[int, ...] = ()
    by_bot: bool = False

    def left(self, seat: int) -> int:
        """The number of requests that the seat may make."""
        return max(0, MOST_REQUESTS - self.requests.count(seat))


NONE: Final = Takebacks()


Happened = tuple[
    int, Any, EventRecord, Any, Any
]  # an event's version, the event, and the states before and after it


def fold(before: Takebacks, game: Game, happened: Iterable[Happened]) -> Takebacks:
    """State after all the events. Those that are no move and change nothing on the table may be left out, but
    for what was said, and for how a bot chose its move.
    """
    for one in happened:
        before = evolve(before, game, one)
    return before


def undone_by(version: int, record: EventRecord) -> range:
    """The versions of what the event of that version took back: the move, and what was said since. Most take none."""
    return range(record.data["to_version"] + 1, version) if record.type == TAKEN_BACK else range(0)


def evolve(before: Takebacks, game: Game, happened: Happened) -> Takebacks:
    """State after one more event."""
    version, event, record, state, after = happened
    kind = record.type
    if state is after:
        return _said(before, kind, record)
    if kind in _SEATING:
        return Takebacks(_still_theirs(before.last, record), requests=before.requests)
    if kind == TAKEN_BACK:
        return Takebacks(requests=before.requests)
    learnt_by = None if game.reveals_nothing(event) else kind
    if not before.by_bot and game.is_consequence(record, record):
        last = before.last
        if last is None or last.learnt_by is not None or learnt_by is None:
            return before
        last = MoveToTakeBack(last.seat, last.version, None, learnt_by)
    elif before.by_bot or record.seat is None:
        last = None
    else:
        last = MoveToTakeBack(record.seat, version - 1, None if learnt_by else state, learnt_by)
    return Takebacks(last, requests=before.requests)


def _still_theirs(last: MoveToTakeBack | None, record: EventRecord) -> MoveToTakeBack | None:
    """The last move after a seat was handed over: its new player did not make the move before."""
    is_anothers = record.type == HAND_OVER and last is not None and record.seat == last.seat
    return None if is_anothers else last


def _said(before: Takebacks, kind: str, record: EventRecord) -> Takebacks:
    """The takebacks after an event that changes nothing on the table."""
    if kind == REQUESTED and record.seat is not None:
        return Takebacks(before.last, True, frozenset(), before.requests + (record.seat,))
    if kind == ANSWERED:
        agrees = bool(record.data["agree"]) and record.seat is not None
        agreed = before.agreed | {record.seat} if agrees and record.seat is not None else frozenset[int]()
        return Takebacks(before.last, agrees, agreed, before.requests)
    if kind == BEFORE_A_MOVE:
        return Takebacks(None, requests=before.requests, by_bot=True)
    return before
