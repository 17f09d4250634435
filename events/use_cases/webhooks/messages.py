"""Messages to an app about a game: each of a type, that follow from the game's events and from nothing else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import orjson

from domain.clocks.events import CREDIT, UP
from domain.interventions import ABORT, HAND_OVER, REPLACEMENT
from domain.lifecycle import GameStatus, Json
from domain.takebacks.events import ANSWERED, REQUESTED, TAKEN_BACK
from events.games.access import is_for_its_seats_alone
from events.log.envelope import RecordedEvent
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, fold

TURN: Final = "turn.changed"
REMATCH: Final = "rematch.begun"
SAID: Final = (  # of games that are over
    "rematch.requested",
    "rematch.agreed",
    "rematch.withdrawn",
    "rematch.expired",
)
AGREED: Final = "takeback.agreed"
REFUSED: Final = "takeback.refused"
WITHDRAWN: Final = "takeback.withdrawn"
PING: Final = "ping"
BY_EVENT: Final = {
    "game_created": "game.created",
    "seat_taken": "seat.taken",
    "game_started": "game.started",
    "position_set": "game.started",  # of a fork
    "game_ended": "game.finished",
    "game_scored": "game.scored",
    ABORT: "game.aborted",
    REPLACEMENT: "player.replaced",
    HAND_OVER: "seat.handed-over",
    UP: "turn.timed-out",
    CREDIT: "clock.credited",
    REQUESTED: "takeback.requested",
    TAKEN_BACK: "takeback.done",
}
OF_TURNS: Final = frozenset(
    (UP, CREDIT, REQUESTED, ANSWERED, TAKEN_BACK)
)  # which tell of moves, as TURN does
TYPES: Final = (  # of messages about games
    *dict.fromkeys(BY_EVENT.values()),
    *(AGREED, REFUSED, WITHDRAWN, *SAID, REMATCH, TURN),
)

Asker = Callable[[int], int | None]  # which seat's request an answer, the event of that version, is about


@dataclass(frozen=True, slots=True)
class Message:
    """Log entry of a change: its type, its time (RFC 3339 UTC), and `data` as everybody may see it.

    `version` is the game's after the append that brought the change: whoever looks at the game then sees a whole move.
    It is 0 where the app may know no more of the game than its line in the listing.
    """

    type: str
    at: str
    game_id: str
    version: int
    data: Json

    def packed(self) -> bytes:
        """The data as JSON."""
        return orjson.dumps(self.data)


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message in its app's log. Its id is the place in the log, after which reading goes on."""

    id: str
    message: Message

    def document(self) -> Json:
        """As it goes out."""
        message = self.message
        return {"id": self.id, "type": message.type, "timestamp": message.at, "data": message.data}


def messages_of(
    before: Snapshot, events: Sequence[RecordedEvent], secrets: Secrets, asker: Asker
) -> tuple[list[Message], Snapshot]:
    """Messages for the events that follow on `before`, and the game after them.

    All events of one append have one command, and are seen as one change. A private game of the app that everybody is
    shows no more than its line in the listing does: nothing of its moves, and not whose rematch it is.
    """
    hidden = is_for_its_seats_alone(secrets)
    found, now = list[Message](), before
    for _, appended in groupby(events, lambda event: event.command or event.version):
        then, now = now, fold(now, changes := list(appended))
        found += _of_append(then.status, now, changes, asker, hidden=hidden)
    return found, now


def _of_append(
    before: GameStatus, now: Snapshot, events: Sequence[RecordedEvent], asker: Asker, *, hidden: bool
) -> Iterator[Message]:
    for event in events:
        if hidden and event.type in OF_TURNS:
            continue
        kind = _answer(event, asker) if event.type == ANSWERED else BY_EVENT.get(event.type)
        if kind is not None:
            yield _message(kind, event, now, event.seat, hidden=hidden)
        if event.version == 1 and now.secrets.rematch_of is not None and not hidden:
            yield _begun(event, now, now.secrets.rematch_of)
    status = now.status
    turned = (status.turn, status.to_act) != (before.turn, before.to_act)
    if turned and status.to_act is not None and not hidden:
        yield _message(TURN, events[-1], now, status.to_act, hidden=False)


def _answer(event: RecordedEvent, asker: Asker) -> str:
    """A request is withdrawn by who has made it, and refused by others."""
    if event.data["agree"]:
        return AGREED
    return WITHDRAWN if asker(event.version) == event.seat else REFUSED


def _begun(event: RecordedEvent, rematch: Snapshot, former: str) -> Message:
    """The messages about the former game; the rematch itself is told of by `game.created`."""
    data: Json = {
        "game_id": former,
        "game": rematch.game.name,
        "status": "finished",
        "seat": None,
        "version": None,
        "turn": None,
        "to_act": None,
        "rematch": rematch.game_id,
    }
    return Message(REMATCH, event.at, former, 0, data)


def said(kind: str, at: str, now: Snapshot, seat: int) -> Message | None:
    """The message about a statement by a seat of a game that is over; None where nobody is told."""
    if kind not in SAID or is_for_its_seats_alone(now.secrets):
        return None
    return Message(kind, at, now.game_id, now.version, _data(now, seat, hidden=False))


def _data(now: Snapshot, seat: int | None, *, hidden: bool) -> Json:
    status = now.status
    return {
        "game_id": now.game_id,
        "game": now.game.name,
        "status": status.status,
        "seat": seat,
        "version": None if hidden else now.version,
        "turn": None if hidden else status.turn,
        "to_act": None if hidden else status.to_act,
    }


def _message(kind: str, event: RecordedEvent, now: Snapshot, seat: int | None, *, hidden: bool) -> Message:
    data = _data(now, seat, hidden=hidden)
    if event.version == 1 and now.secrets.rematch_of is not None and not hidden:
        data["rematch_of"] = now.secrets.rematch_of
    return Message(kind, event.at, now.game_id, 0 if hidden else now.version, data)


def number_of(cursor: str) -> tuple[int, int]:
    """The cursor in its order among others."""
    time_part, _, sequence = cursor.partition("-")
    return int(time_part), int(sequence or 0)
