# compiled into recording
"""The documents that go out: a game and its events as a viewer may see them, built member by member."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson

from domain.clocks.clock import Clock
from domain.clocks.options import options_document, time_class
from domain.lifecycle import Json, Result, Seat, Viewer, budget_document
from events.log import leaves
from events.log.chain import SEALS
from events.log.envelope import RecordedEvent, template_of
from events.log.game_secrets import OF_A_SEAT, OPEN
from events.log.notation import Languages, line
from events.log.signing import SignedHead
from events.log.snapshot import Snapshot, Unchanging
from events.times import milliseconds_of, time_of

_json: Final[Callable[[Any], bytes]] = orjson.dumps


def is_over(snapshot: Snapshot) -> bool:
    """True if everything may be seen: the game has ended."""
    return snapshot.status.status == "finished"


def event_document(snapshot: Snapshot, stored: RecordedEvent, viewer: Viewer, *, whole: bool = False) -> Json:
    """The event as `viewer` may see it while the game stands as in `snapshot`, with the salts of what is shown.

    `whole`: nothing is hidden, for a look back at a game that is over.
    """
    data, hidden = stored.data, list[str]()
    if not whole and not is_over(snapshot):
        data, hidden = snapshot.game.redact(stored.record, viewer)
    document = {
        "version": stored.version,
        "type": stored.type,
        "schema": stored.schema,
        "at": stored.at,
        "seat": stored.seat,
        "data": data if hidden else stored.data,
        "redacted": hidden,
    }
    if snapshot.seals == SEALS:
        closed = stored.closed(snapshot.game, snapshot.game_id, snapshot.secrets.seed)
        document["sealed"] = leaves.sealed(closed.leaves)
        document["salts"] = leaves.salts_shown(closed.leaves, data if hidden else None)
        document["commitment"], document["head"] = stored.commitment, stored.head
        return document
    salt, document["commitment"] = stored.proof(snapshot.game_id, snapshot.secrets.seed)
    document["head"] = stored.head
    if not hidden:
        document["salt"] = salt
    return document


def events_json(
    snapshot: Snapshot, events: Sequence[RecordedEvent], viewer: Viewer, languages: Languages
) -> tuple[bytes, bytes]:
    """Two lists as JSON, written at once: `event_document` of each event; and its line, by language."""
    game, written = snapshot.game, [_event_json(snapshot, event, viewer) for event in events]
    lines = {
        language: [
            line(game, event.type, event.schema, event.seat, data, language)
            for event, (_, data) in zip(events, written, strict=True)
        ]
        for language in languages
    }
    return b"[%b]" % b",".join([document for document, _ in written]), _json(lines) if lines else b"{}"


def _event_json(snapshot: Snapshot, stored: RecordedEvent, viewer: Viewer) -> tuple[bytes, bytes]:
    """The document of an event, and its data alone."""
    record, hidden = stored.record, list[str]()
    data, closed = record.data, stored.closed_to
    if not (
        is_over(snapshot) or (closed is not None and closed.public is data)
    ):  # what everybody sees, a seat sees
        shown, hidden = snapshot.game.redact(record, viewer)
        data = shown if hidden else data
    template = stored.template or template_of(record.type, record.schema, record.seat)
    shown_data = _json(data)
    parts = [
        b'{"version":',
        str(stored.version).encode(),
        template.before_time,
        stored.at.encode(),
        template.after_time,
        shown_data,
        b',"redacted":',
        _json(hidden) if hidden else b"[]",
    ]
    if snapshot.seals == SEALS:
        closed = stored.closed(snapshot.game, snapshot.game_id, snapshot.secrets.seed)
        if closed.leaves:
            salts = leaves.salts_shown(closed.leaves, data if hidden else None)
            parts += (b',"sealed":', closed.sealed, b',"salts":', leaves.json_of(salts))
        else:
            parts.append(b',"sealed":{},"salts":{}')
        parts += (
            b',"commitment":"',
            stored.commitment.encode(),
            b'","head":"',
            stored.head.encode(),
            b'"}',
        )
        return b"".join(parts), shown_data
    salt, commitment = stored.proof(snapshot.game_id, snapshot.secrets.seed)
    parts += (b',"commitment":"', commitment.encode(), b'","head":"', stored.head.encode())
    if not hidden:
        parts += (b'","salt":"', salt.encode())
    parts.append(b'"}')
    return b"".join(parts), shown_data


def game_document(snapshot: Snapshot, viewer: Viewer, *, whole: bool = False, now: int | None = None) -> Json:
    """The view of the game: its public part, and the state as the viewer may see it; the whole state if `whole`.

    `now`: the time at which a clock is shown, in milliseconds; None is that of the last event.
    """
    status = snapshot.status
    document = {
        **_name(snapshot),
        "status": status.status,
        "version": snapshot.version,
        "turn_version": snapshot.turn_version,
        "updated_at": snapshot.updated_at,
        "viewer": viewer,
        "turn": status.turn,
        "to_act": status.to_act,
        "last_move": last_move_document(snapshot, viewer, whole=whole),
        "state": snapshot.game.view(snapshot.state, viewer, whole=whole),
        "result": result_document(snapshot),
        **_settled(snapshot, seat_documents(status.seats)),
    }
    if snapshot.clock is not None:
        document["clock"] = clock_document(snapshot.clock, now)
    return _marked_if_over(document, snapshot)


def last_move_document(snapshot: Snapshot, viewer: Viewer, *, whole: bool = False) -> Json | None:
    """Decisions that made up the last move, each as the viewer sees its event; None where there is no last move."""
    move = snapshot.last_move
    if move is None:
        return None
    shows_all, game = whole or is_over(snapshot), snapshot.game
    events = list[Json]()
    for decision in move.decisions:
        record, public = decision.record, decision.public
        data = record.data
        if not (shows_all or public is data):
            data = public if public is not None and viewer is None else game.redact(record, viewer)[0]
        events.append({"version": decision.version, "type": record.type, "data": data})
    return {"seat": move.seat, "events": events}


def _last_move_json(snapshot: Snapshot, viewer: Viewer) -> bytes:
    """A running game's `last_move_document` as JSON; written once for all viewers if it hides nothing from anybody."""
    move = snapshot.last_move
    if move is None:
        return b"null"
    if not move.written:
        written = _json(last_move_document(snapshot, viewer))
        for decision in move.decisions:
            if decision.public is not decision.record.data:
                return written
        move.written = written
    return move.written


def clock_document(clock: Clock, now: int | None = None) -> Json:
    """A game's clock as everybody sees it at a time, in milliseconds; None is that of the game's last event."""
    at, deadline = clock.at if now is None else max(now, clock.at), clock.deadline
    return {
        **options_document(clock.options),
        "time_class": time_class(clock.options),
        "running_seat": None if deadline is None else clock.running,
        "deadline": None if deadline is None else time_of(deadline),
        "remaining_ms": list(clock.left_at(at)),
        "now": time_of(at),
    }


def clock_at(document: Json, now: int) -> Json:
    """The document of a clock as it is at a later time, `now`, in milliseconds."""
    if document["deadline"] is None or now <= milliseconds_of(document["now"]):
        return document
    left = list(document["remaining_ms"])
    left[document["running_seat"]] = max(0, milliseconds_of(document["deadline"]) - now)
    return {**document, "remaining_ms": left, "now": time_of(now)}


def _name(snapshot: Snapshot) -> Json:
    return {"id": snapshot.game_id, "game": snapshot.game.name}


def _settled(snapshot: Snapshot, seats: list[Json]) -> Json:
    """The part of a document that no move changes, until the game is over."""
    status, secrets = snapshot.status, snapshot.secrets
    settled = {
        **_rated(snapshot),
        "setup": status.setup,
        "visibility": secrets.visibility,
        **_joining(snapshot),
        "created_at": secrets.created_at,
        "options": status.options,
        "seats": seats,
        "fairness": fairness_document(snapshot),
    }
    return settled if secrets.rematch_of is None else {**settled, "rematch_of": secrets.rematch_of}


def _rated(snapshot: Snapshot) -> Json:
    """The members that say if the game counts for ratings, as far as is known, and the reason if it does not."""
    why = snapshot.unrated_because
    return {"rated": True} if why is None else {"rated": False, "unrated_because": why}


def _joining(snapshot: Snapshot) -> Json:
    """The member with the rule for taking an open seat; none if everybody who sees the game may take one."""
    joining = snapshot.secrets.joining
    return {} if joining == OPEN else {"joining": joining}


def _marked_if_over(document: Json, snapshot: Snapshot) -> Json:
    """The document of a game, with the time of its end if it is over. An aborted game gets a member of its own,
    because its status is that of any finished game.
    """
    result = snapshot.status.result
    if result is not None:
        document["finished_at"] = snapshot.finished_at
        if result.is_void:
            document["aborted"] = True
    return document


def unchanging(snapshot: Snapshot, seats: list[Json]) -> Unchanging:
    """The part of a running game's document that moves do not change, given the documents of its seats, with names."""
    names = {
        seat["player_id"]: (seat["player"], seat.get("display_name")) for seat in seats if "player_id" in seat
    }
    opening, rest = _json(_name(snapshot)), _json(_settled(snapshot, seats))
    return Unchanging(snapshot.status, snapshot.secrets, names, opening[:-1], rest[1:])


def game_json(snapshot: Snapshot, viewer: Viewer, rest: Unchanging, now: int | None = None) -> bytes:
    """`game_document` of a running game as JSON, given what moves do not change of it."""
    status = snapshot.status
    standing = (
        f',"status":"{status.status}","version":{snapshot.version},"turn_version":{snapshot.turn_version},'
        f'"updated_at":"{snapshot.updated_at}",'
        f'"viewer":{_number(viewer)},'
        f'"turn":{status.turn},"to_act":{_number(status.to_act)},"last_move":'
    )
    last_move = _last_move_json(snapshot, viewer)
    state = _json(snapshot.game.view(snapshot.state, viewer))
    result = b"null" if status.result is None else _json(result_document(snapshot))
    begins = (rest.opening, standing.encode(), last_move, b',"state":', state, b',"result":', result, b",")
    if snapshot.clock is None:
        return b"".join((*begins, rest.rest))
    clock = _json(clock_document(snapshot.clock, now))
    return b"".join((*begins, rest.rest[:-1], b',"clock":', clock, b"}"))


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def seat_documents(seats: tuple[Seat, ...]) -> list[Json]:
    """Seats and their players; names are not known here (`Players.show` fills them in)."""
    return [_seat_document(number, seat) for number, seat in enumerate(seats)]


def _seat_document(number: int, seat: Seat) -> Json:
    document: Json = {"seat": number, "kind": seat.kind}
    if seat.player is not None:
        document |= {"player": None, "player_id": seat.player}
    if seat.bot is not None:
        document["bot"] = seat.bot
    if seat.kind == "remote" and seat.version is not None:
        document["bot_version"] = seat.version
    if seat.budget is not None:
        document["budget"] = budget_document(seat.budget)
    return document


def result_document(snapshot: Snapshot) -> Json | None:
    """Result of the game: the places by seat (1 is the best, ties share one), and the game's own words.

    None while it runs, and where it was aborted.
    """
    result = snapshot.status.result
    recorded = recorded_result(result)
    if result is None or recorded is None:
        return None
    return {**recorded, "places": list(result.places), **(result.more or {})}


def recorded_result(result: Result | None) -> Json | None:
    """Result of a game, as exports have it; None while it runs, and if it was aborted."""
    if result is None or result.is_void:
        return None
    return {
        "winner": result.winner,
        "reason": result.reason,
        "scores": list(result.scores),
        "scored": result.scored,
    }


def fairness_document(snapshot: Snapshot) -> Json:
    """Proofs of the game: the server's seed once it is over, the signed final head once it is scored."""
    return {
        "commitment": snapshot.status.commitment,
        "server_seed": snapshot.secrets.seed.hex() if is_over(snapshot) else None,
        "client_seeds": [seat.client_seed for seat in snapshot.status.seats],
        "signature": signature_document(snapshot.secrets.signature) if snapshot.is_settled else None,
    }


def signature_document(signed: SignedHead | None) -> Json | None:
    """A signed head; None where nothing signs."""
    if signed is None:
        return None
    return {
        "key_id": signed.key_id,
        "version": signed.version,
        "head": signed.head,
        "signature": signed.signature,
    }


STANDING: Final = ("version", "updated_at", "turn", "to_act", "last_move", "clock")


def standing_document(snapshot: Snapshot) -> Json:
    """The part of a listing's line that moves change, its clock as at the last event: as a spectator sees it."""
    status = snapshot.status
    document: Json = {
        "version": snapshot.version,
        "updated_at": snapshot.updated_at,
        "turn": status.turn,
        "to_act": status.to_act,
        "last_move": last_move_document(snapshot, None),
    }
    if snapshot.clock is not None:
        document["clock"] = clock_document(snapshot.clock)
    return document


def standing_json(snapshot: Snapshot) -> bytes:
    """`standing_document` with the players' ids by seat, as kept beside games; b"" of a fork that a seat has made for
    itself, for which no listing asks.
    """
    if snapshot.secrets.app == OF_A_SEAT:
        return b""
    status = snapshot.status
    if snapshot.clock is not None or status.result is not None:
        return _json({"players": [seat.player for seat in status.seats], **standing_document(snapshot)})
    stands = (
        f',"version":{snapshot.version},"updated_at":"{snapshot.updated_at}","turn":{status.turn},'
        f'"to_act":{_number(status.to_act)},"last_move":'
    )
    players = _json([seat.player for seat in status.seats])
    return b"".join((b'{"players":', players, stands.encode(), _last_move_json(snapshot, None), b"}"))


def summary_document(snapshot: Snapshot) -> Json:
    """The line of a listing, less what moves change: all of it public."""
    status = snapshot.status
    document = {
        "id": snapshot.game_id,
        "game": snapshot.game.name,
        "status": status.status,
        **_rated(snapshot),
        "setup": status.setup,
        "visibility": snapshot.secrets.visibility,
        **_joining(snapshot),
        "created_at": snapshot.secrets.created_at,
        "seats": seat_documents(status.seats),
        "result": result_document(snapshot),
    }
    return _marked_if_over(document, snapshot)
