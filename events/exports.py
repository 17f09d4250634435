"""A game to take away, and the engine's own check of just that."""

from collections.abc import Iterator

from domain.lifecycle import Viewer
from events.audit.findings import Report
from events.audit.verify import verify
from events.envelope import Stored
from events.export import Exported, export_lines
from events.heads import Heads
from events.state_cache import Snapshot
from events.store import EventStore

PAGE = 500  # events read at once


class Exports:
    """The use-cases of exports."""

    def __init__(self, store: EventStore, heads: Heads) -> None:
        self._store = store
        self._heads = heads

    def lines(self, snapshot: Snapshot, viewer: Viewer) -> Iterator[bytes]:
        """The export of the game up to the snapshot; the same game gives the same bytes, whenever and to whomever.

        While the game runs it is redacted for the viewer. Raises StoreUnavailable, also on the way.
        """
        return export_lines(snapshot, self._events(snapshot), viewer, self._heads.of_export(snapshot))

    def check(self, snapshot: Snapshot, viewer: Viewer) -> Report:
        """What a verification of the viewer's export comes to: so it can tell nothing that the export does not.

        Raises StoreUnavailable.
        """
        header, *events, end = [line[:-1] for line in self.lines(snapshot, viewer)]
        return verify(Exported(1, header, events, end))

    def _events(self, snapshot: Snapshot) -> Iterator[Stored]:
        after = 0
        while after < snapshot.version:
            found = self._store.read(snapshot.game_id, after, min(PAGE, snapshot.version - after))
            if not found:
                return
            yield from found
            after = found[-1].version
