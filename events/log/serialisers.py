"""The documents that go out: a game and its events as a viewer may see them, built member by member."""

from domain.lifecycle import Json, Result, Seat, Viewer
from events.log.envelope import RecordedEvent
from events.log.player_ids import is_player_id
from events.log.signing import SignedHead
from events.log.snapshot import Snapshot
from events.log.upcasters import upcast


def is_over(snapshot: Snapshot) -> bool:
    """Whether everything may be seen: the game has ended."""
    return snapshot.status.status == "finished"


def event_document(snapshot: Snapshot, stored: RecordedEvent, viewer: Viewer, *, whole: bool = False) -> Json:
    """The event as `viewer` may see it while the game stands as in `snapshot`; with its salt where that is whole.

    `whole`: nothing is hidden, for a look back at a game that is over.
    """
    data, hidden = stored.data, list[str]()
    if not whole and not is_over(snapshot):
        data, hidden = snapshot.game.redact(upcast(snapshot.game.name, stored.record), viewer)
    salt, commitment = stored.proof(snapshot.game_id, snapshot.secrets.seed)
    document = {
        "version": stored.version,
        "type": stored.type,
        "schema": stored.schema,
        "at": stored.at,
        "seat": stored.seat,
        "data": data if hidden else stored.data,
        "redacted": hidden,
        "commitment": commitment,
        "head": stored.head,
    }
    if not hidden:
        document["salt"] = salt
    return document


def game_document(snapshot: Snapshot, viewer: Viewer, *, whole: bool = False) -> Json:
    """The view of the game: what is public of it, and the state as the viewer may see it; all of it if `whole`."""
    status = snapshot.status
    return {
        "id": snapshot.game_id,
        "game": snapshot.game.name,
        "status": status.status,
        "version": snapshot.version,
        "viewer": viewer,
        "turn": status.turn,
        "to_act": status.to_act,
        "state": snapshot.game.view(snapshot.state, viewer, whole=whole),
        "result": result_document(snapshot),
        "rated": status.rated,
        "setup": status.setup,
        "visibility": snapshot.secrets.visibility,
        "created_at": snapshot.secrets.created_at,
        "options": status.options,
        "seats": seat_documents(status.seats),
        "fairness": fairness_document(snapshot),
    }


def seat_documents(seats: tuple[Seat, ...]) -> list[Json]:
    """Who sits where; what players are called is not known here (`Players.show` fills it in)."""
    return [_seat_document(number, seat) for number, seat in enumerate(seats)]


def _seat_document(number: int, seat: Seat) -> Json:
    document: Json = {"seat": number, "kind": seat.kind}
    if seat.player is not None and is_player_id(seat.player):
        document |= {"player": None, "player_id": seat.player}
    elif seat.player is not None:  # a former release wrote the name itself
        document["player"] = seat.player
    if seat.bot is not None:
        document["bot"] = seat.bot
    return document


def result_document(snapshot: Snapshot) -> Json | None:
    """How the game ended, with the places by seat (1 is the best, ties share one) and what the game says besides.

    None while it runs.
    """
    result = snapshot.status.result
    if result is None:
        return None
    return {**recorded_result(result), "places": list(result.places), **(result.more or {})}


def recorded_result(result: Result) -> Json:
    """How a game ended, as exports say it."""
    return {
        "winner": result.winner,
        "reason": result.reason,
        "scores": list(result.scores),
        "scored": result.scored,
    }


def fairness_document(snapshot: Snapshot) -> Json:
    """What the game can be checked with: the server's seed once it is over, the signed final head once it is scored."""
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


def summary_document(snapshot: Snapshot) -> Json:
    """The line of a listing: all of it public, and none of it changes with every move."""
    status = snapshot.status
    return {
        "id": snapshot.game_id,
        "game": snapshot.game.name,
        "status": status.status,
        "rated": status.rated,
        "setup": status.setup,
        "visibility": snapshot.secrets.visibility,
        "created_at": snapshot.secrets.created_at,
        "seats": seat_documents(status.seats),
        "result": result_document(snapshot),
    }
