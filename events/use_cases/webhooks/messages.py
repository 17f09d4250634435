"""What an app is told of a game: messages, each of a type, that follow from the game's events and from nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import orjson

from domain.clocks.events import CREDIT, UP
from domain.interventions import ABORT, HAND_OVER, REPLACEMENT
from domain.lifecycle import GameStatus, Json
from events.games.access import ANONYMOUS
from events.log.envelope import RecordedEvent
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, fold

TURN: Final = "turn.changed"
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
}
OF_TURNS: Final = frozenset((UP, CREDIT))  # which tell of moves, as TURN does
TYPES: Final = (*dict.fromkeys(BY_EVENT.values()), TURN)  # of messages about games


@dataclass(frozen=True, slots=True)
class Message:
    """What is logged of a change: the type, when it happened (RFC 3339 UTC), and `data` as everybody may see it.

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
    before: Snapshot, events: Sequence[RecordedEvent], secrets: Secrets
) -> tuple[list[Message], Snapshot]:
    """What the events that follow on `before` come to, and the game after them.

    All events of one append have one command, and are seen as one change. A private game of the app that everybody is
    shows no more than its line in the listing does: nothing of its moves.
    """
    hidden = is_for_its_seats_alone(secrets)
    found, now = list[Message](), before
    for _, appended in groupby(events, lambda event: event.command or event.version):
        then, now = now, fold(now, changes := list(appended))
        found += _of_append(then.status, now, changes, hidden=hidden)
    return found, now


def is_for_its_seats_alone(secrets: Secrets) -> bool:
    """Whether the game is private, and of the app that everybody is: then its app's log is everybody's, too."""
    return secrets.app == ANONYMOUS and secrets.visibility != "public" and any(secrets.tokens.values())


def _of_append(
    before: GameStatus, now: Snapshot, events: Sequence[RecordedEvent], *, hidden: bool
) -> Iterator[Message]:
    for event in events:
        if (kind := BY_EVENT.get(event.type)) is not None and not (hidden and event.type in OF_TURNS):
            yield _message(kind, event, now, event.seat, hidden=hidden)
    status = now.status
    turned = (status.turn, status.to_act) != (before.turn, before.to_act)
    if turned and status.to_act is not None and not hidden:
        yield _message(TURN, events[-1], now, status.to_act, hidden=False)


def _message(kind: str, event: RecordedEvent, now: Snapshot, seat: int | None, *, hidden: bool) -> Message:
    status = now.status
    data: Json = {
        "game_id": now.game_id,
        "game": now.game.name,
        "status": status.status,
        "seat": seat,
        "version": None if hidden else now.version,
        "turn": None if hidden else status.turn,
        "to_act": None if hidden else status.to_act,
    }
    return Message(kind, event.at, now.game_id, 0 if hidden else now.version, data)


def number_of(cursor: str) -> tuple[int, int]:
    """The cursor in its order among others."""
    time_part, _, sequence = cursor.partition("-")
    return int(time_part), int(sequence or 0)
