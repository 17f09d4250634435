"""Messages to an app about a game: each has a type, and follows from the game's events alone."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import orjson

from domain.common_events.clocks import CREDIT, UP
from domain.common_events.takebacks import ANSWERED, REQUESTED, TAKEN_BACK
from domain.interventions import ABORT, HAND_OVER, REPLACEMENT
from domain.lifecycle import GameStatus, Json
from events.engine.access import is_for_its_seats_alone
from events.features.listings.projection import line_document
from events.features.players.players import Players
from events.features.presence.presence import PEOPLE
from events.log.envelope import RecordedEvent
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, fold

TURN: Final = "turn.changed"
UPDATED: Final = "game.updated"  # for changes that no other type names
REMATCH: Final = "rematch.begun"
SAID: Final = (  # for games that are over
    "rematch.requested",
    "rematch.agreed",
    "rematch.withdrawn",
    "rematch.expired",
)
RATED: Final = "game.rated"  # once for each game
AGREED: Final = "takeback.agreed"
REFUSED: Final = "takeback.refused"
WITHDRAWN: Final = "takeback.withdrawn"
PING: Final = "ping"
BY_EVENT: Final = {
    "game_created": "game.created",
    "seat_taken": "seat.taken",
    "game_started": "game.started",
    "position_set": "game.started",  # the beginning of a fork
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
)  # the types about moves; TURN is one, too
CONNECTED: Final = "seat.connected"
DISCONNECTED: Final = "seat.disconnected"
ATTENDANCE: Final = frozenset((CONNECTED, DISCONNECTED))  # sent only to receivers that name them
USUAL: Final = (  # the types of messages about games that a receiver gets if it names none
    *dict.fromkeys(BY_EVENT.values()),
    *(RATED, AGREED, REFUSED, WITHDRAWN, *SAID, REMATCH, TURN, UPDATED),
)
TYPES: Final = (*USUAL, CONNECTED, DISCONNECTED)
CHOICE_DONE: Final = "choice.done"  # about no game: only webhooks that name it get it, and no log has it
OF_WEBHOOKS: Final = (*TYPES, CHOICE_DONE)

Asker = Callable[[int], int | None]  # the seat whose request is answered by the event of that version


@dataclass(frozen=True, slots=True)
class Message:
    """Log entry of a change: its type, its time (RFC 3339 UTC), and `data` as everybody may see them.

    `version` is the game's after the append that brought the change, so a receiver that reads the game sees a whole
    move. It is 0 if the app may see no more of the game than its line in the listing. The `line` in the data has the
    members of that line that changed. Names of players are not stored, and are added when the message is sent.
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
    """A message in its app's log. Its id is its place in the log, and a cursor: reading continues after it."""

    id: str
    message: Message


def documents_of(logged: Iterable[LoggedMessage], players: Players) -> list[Json]:
    """The messages in the form in which they are sent, with the names of players who were not erased."""
    found = [document_of(one) for one in logged]
    lines = [one["data"]["line"] for one in found if "line" in one["data"]]
    players.show(seat for line in lines for seat in line.get("seats", ()))
    return found


def document_of(logged: LoggedMessage) -> Json:
    """The message in the form in which it is sent, without the names of players."""
    message, data = logged.message, dict(logged.message.data)
    if "seats" in data.get("line", ()):  # a copy: the stored message gets no names
        data["line"] = {**data["line"], "seats": [dict(seat) for seat in data["line"]["seats"]]}
    return {"id": logged.id, "type": message.type, "timestamp": message.at, "data": data}


def messages_of(
    before: Snapshot, events: Sequence[RecordedEvent], secrets: Secrets, asker: Asker
) -> tuple[list[Message], Snapshot]:
    """Messages for the events that follow on `before`, and the game after them.

    All events of one append follow from one command, and make one change. If every caller is the same app, a private
    game shows only its line in the listing: nothing of its moves, and not whether it is a rematch.
    """
    hidden = is_for_its_seats_alone(secrets)
    found, now = list[Message](), before
    line = line_document(before, hidden=hidden) if before.version else {}
    for _, appended in groupby(events, lambda event: event.command or event.version):
        then, now = now, fold(now, changes := list(appended))
        former, line = line, line_document(now, hidden=hidden)
        changed = _changed(former, line)
        told = list(_of_append(then.status, now, changes, asker, changed, hidden=hidden))
        if changed and not told:
            told.append(_message(UPDATED, changes[-1], now, None, changed, hidden=hidden))
        found += told
    return found, now


def _changed(before: Json, line: Json) -> Json:
    """The members of a game's line that have changed, None for one that is gone; and the members that identify the
    game.
    """
    changed = {name: line.get(name) for name in before | line if before.get(name) != line.get(name)}
    return {"id": line["id"], "game": line["game"], **changed} if changed else {}


def _of_append(
    before: GameStatus,
    now: Snapshot,
    events: Sequence[RecordedEvent],
    asker: Asker,
    changed: Json,
    *,
    hidden: bool,
) -> Iterator[Message]:
    for event in events:
        if hidden and event.type in OF_TURNS:
            continue
        kind = _answer(event, asker) if event.type == ANSWERED else BY_EVENT.get(event.type)
        if kind is not None:
            yield _message(kind, event, now, event.seat, changed, hidden=hidden)
        if event.version == 1 and now.secrets.rematch_of is not None and not hidden:
            yield _begun(event, now, now.secrets.rematch_of)
    status = now.status
    turned = (status.turn, status.to_act) != (before.turn, before.to_act)
    if turned and status.to_act is not None and not hidden:
        yield _message(TURN, events[-1], now, status.to_act, changed, hidden=False)


def _answer(event: RecordedEvent, asker: Asker) -> str:
    """The type of an answer: the asking seat withdraws a request; another seat refuses it."""
    if event.data["agree"]:
        return AGREED
    return WITHDRAWN if asker(event.version) == event.seat else REFUSED


def _begun(event: RecordedEvent, rematch: Snapshot, former: str) -> Message:
    """The messages about the first game; `game.created` announces the rematch itself."""
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
    """The message about the word of a seat of a finished game, or that the game was rated; None if no receiver may know
    it.
    """
    if kind not in (RATED, *SAID) or is_for_its_seats_alone(now.secrets):
        return None
    about = None if kind == RATED else seat
    return Message(kind, at, now.game_id, now.version, _data(now, about, hidden=False))


def attended(kind: str, at: str, now: Snapshot, seat: int) -> Message | None:
    """The message that a seat was connected or disconnected; None for a game that is over."""
    status = now.status
    if is_for_its_seats_alone(now.secrets) or status.status == "finished":
        return None
    if not 0 <= seat < len(status.seats) or status.seats[seat].kind not in PEOPLE:
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


def _message(
    kind: str, event: RecordedEvent, now: Snapshot, seat: int | None, changed: Json, *, hidden: bool
) -> Message:
    data = _data(now, seat, hidden=hidden)
    if changed:
        data["line"] = changed
    if event.version == 1 and now.secrets.rematch_of is not None and not hidden:
        data["rematch_of"] = now.secrets.rematch_of
    return Message(kind, event.at, now.game_id, 0 if hidden else now.version, data)


def number_of(cursor: str) -> tuple[int, int]:
    """The cursor as a pair of numbers, which orders cursors."""
    time_part, _, sequence = cursor.partition("-")
    return int(time_part), int(sequence or 0)
