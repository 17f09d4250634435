"""A game to take away: all that a viewer may see of it, as lines in the format `migrato-export/1`."""

from collections.abc import Iterator

from domain.lifecycle import Json, Viewer
from events import documents
from events.chain import canonical
from events.envelope import Stored
from events.heads import Heads
from events.state_cache import Snapshot
from events.store import EventStore

FORMAT = "migrato-export/1"
PAGE = 500  # events read at once


class Exports:
    """The use-cases of exports and of the server's own check."""

    def __init__(self, store: EventStore, heads: Heads) -> None:
        self._store = store
        self._heads = heads

    def lines(self, snapshot: Snapshot, viewer: Viewer) -> Iterator[bytes]:
        """The export of the game up to the snapshot; the same game gives the same bytes, whenever and to whomever.

        While the game runs it is redacted for the viewer. Raises StoreUnavailable, also on the way.
        """
        over = documents.is_over(snapshot)
        viewer = None if over else viewer
        signed = snapshot.secrets.signature if snapshot.is_settled else None
        for stored in self._events(snapshot):
            document = documents.event_document(snapshot, stored, viewer)
            if stored.version == 1:
                yield _line(self._header(snapshot, viewer, document["data"]))
            yield _line(document)
        fairness = documents.fairness_document(snapshot)
        signature = signed and {"key_id": signed.key_id, "signature": signed.signature}
        end = {
            "version": snapshot.version,
            "head": snapshot.tip.head,
            "server_seed": fairness["server_seed"],
            "client_seeds": fairness["client_seeds"],
            "result": documents.result_document(snapshot),
            "signature": signature,
        }
        yield _line({"end": end})

    def events(self, snapshot: Snapshot) -> list[Stored]:
        """All events up to the snapshot, whole."""
        return list(self._events(snapshot))

    def _header(self, snapshot: Snapshot, viewer: Viewer, created: Json) -> Json:
        signed = snapshot.secrets.signature if snapshot.is_settled else None
        return {
            "format": FORMAT,
            "game_id": snapshot.game_id,
            "game": snapshot.game.name,
            "rules": created.get("options"),
            "deck": created.get("deck"),
            "viewer": viewer,
            "complete": snapshot.is_settled,
            "key_id": None if signed is None else signed.key_id,
            "public_key": None if signed is None else self._heads.public_key(signed.key_id),
        }

    def _events(self, snapshot: Snapshot) -> Iterator[Stored]:
        after = 0
        while after < snapshot.version:
            found = self._store.read(snapshot.game_id, after, min(PAGE, snapshot.version - after))
            if not found:
                return
            yield from found
            after = found[-1].version


def _line(document: Json) -> bytes:
    return canonical(document) + b"\n"
