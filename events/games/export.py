"""The export of a game, written from its events (`events.log.export` is the format)."""

from collections.abc import Iterable, Iterator

from domain.lifecycle import Viewer
from events.caching.snapshot import Snapshot
from events.games.serialisers import event_document, fairness_document, is_over
from events.log.envelope import RecordedEvent
from events.log.export import FORMAT, Signature, line, result_members


def export_lines(
    snapshot: Snapshot,
    stored: Iterable[RecordedEvent],
    viewer: Viewer = None,
    signed: Signature | None = None,
) -> Iterator[bytes]:
    """The lines of the game's export, as the viewer may see it; `stored` are all its events up to `snapshot`.

    A game that is over shows everything to everybody, and its export says so: its viewer is null, whoever asks. It is
    `complete` once its result is confirmed, too: no event can follow then. `deck` is null for a game whose first event
    names none.
    """
    viewer = None if is_over(snapshot) else viewer
    result = snapshot.status.result
    events = (event_document(snapshot, event, viewer) for event in stored)
    first = next(events)
    key_id = None if signed is None else signed.key["kid"]
    yield line(
        {
            "format": FORMAT,
            "game_id": snapshot.game_id,
            "game": snapshot.game.name,
            "rules": snapshot.status.options,
            "deck": first["data"].get("deck"),
            "viewer": viewer,
            "complete": result is not None and result.scored,
            "key_id": key_id,
            "public_key": None if signed is None else signed.key,
        }
    )
    yield line(first)
    for document in events:
        yield line(document)
    fairness = fairness_document(snapshot)
    yield line(
        {
            "end": {
                "version": snapshot.version,
                "head": snapshot.tip.head,
                "server_seed": fairness["server_seed"],
                "client_seeds": fairness["client_seeds"],
                "result": None if result is None else result_members(result),
                "signature": None if signed is None else {"key_id": key_id, "signature": signed.signature},
            }
        }
    )
