"""Exports of games, and the engine's own check of an export."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import BoundedSemaphore
from typing import Final

import orjson

from domain.lifecycle import Viewer
from events.audit.findings import Report
from events.audit.verify import verifying
from events.caching import MIB, Memory
from events.engine.repository import NEAR, pages
from events.errors import Busy
from events.features.records.signed_heads import SignedHeads
from events.log.envelope import RecordedEvent
from events.log.export import Exported, Signature, export_lines
from events.log.serialisers import is_over
from events.log.snapshot import Snapshot
from events.ports import EventStore
from events.scheduling import PATIENCE, Slices, Steps

# bytes of an export that is kept in memory; a larger one is made while it is sent
LARGEST_KEPT: Final = 6 * MIB
# bytes of an event in an export, roughly, to estimate an export's size before it is made
AN_EVENT: Final = 700
LINES: Final = 50  # lines of a large export that are made and sent together
PIECE: Final = 2**16  # bytes of a kept export that are sent together
# exports that are sent at the same time, because a slow reader keeps one of them in memory
SENDING: Final = 32
# seconds for which a report is given again; after that the store is checked again for tampering
FRESH: Final = 60.0

_Key = tuple[str, str, str, str | None]


class Exports:
    """The use cases of exports. Export and report stay the same until the game gets an event, and are kept."""

    def __init__(
        self,
        store: EventStore,
        heads: SignedHeads,
        slices: Slices,
        memory: Memory,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock`: a monotonic clock, in seconds."""
        self._store = store
        self._heads = heads
        self._slices = slices
        self._clock = clock
        self._sending = BoundedSemaphore(SENDING)
        self._exports = memory.cache("exports", _export_size)
        self._reports = memory.cache("reports", _report_size)

    def pieces(self, snapshot: Snapshot, viewer: Viewer) -> Generator[bytes]:
        """The export of the game up to the snapshot; the same game gives the same bytes, at any time and for any reader
        with the same view.

        While the game runs, the export is redacted for the viewer. Raises Busy before the first piece, and
        StoreUnavailable, also between pieces. Close the generator to free its place for another reader.
        """
        with self._being_sent():
            if snapshot.version * AN_EVENT > LARGEST_KEPT:
                signed = self._heads.of_export(snapshot)
                yield from self._slices.each(_some_at_once(self._lines(snapshot, viewer, signed)))
            else:
                whole = self._whole(snapshot, viewer)
                for at in range(0, len(whole), PIECE):
                    yield whole[at : at + PIECE]

    def check(self, snapshot: Snapshot, viewer: Viewer) -> Report:
        """Report on the viewer's export; it can reveal nothing that the export does not."""
        signed = self._heads.of_export(snapshot)
        key = _key(snapshot, viewer, signed)
        if (report := self._fresh(key)) is None:
            with self._slices.singly(f"check {key}"):
                if (report := self._fresh(key)) is None:
                    steps = _checked(self._lines(snapshot, viewer, signed))
                    report = self._slices.finish(steps, in_line=snapshot.version > NEAR)
                    self._reports.put(key, (report, self._clock()))
        return report

    def _fresh(self, key: _Key) -> Report | None:
        kept = self._reports.get(key)
        return None if kept is None or self._clock() - kept[1] > FRESH else kept[0]

    def _whole(self, snapshot: Snapshot, viewer: Viewer) -> bytes:
        signed = self._heads.of_export(snapshot)
        key = _key(snapshot, viewer, signed)
        if (whole := self._exports.get(key)) is None:
            with self._slices.singly(f"export {key}"):
                if (whole := self._exports.get(key)) is None:
                    steps = _collected(self._lines(snapshot, viewer, signed))
                    lines = self._slices.finish(steps, in_line=snapshot.version > NEAR)
                    whole = self._exports.put(key, b"".join(lines))
        return whole

    def _lines(self, snapshot: Snapshot, viewer: Viewer, signed: Signature | None) -> Iterator[bytes]:
        return export_lines(snapshot, self._events(snapshot), viewer, signed)

    def _events(self, snapshot: Snapshot) -> Iterator[RecordedEvent]:
        for page in pages(self._store, snapshot.game_id, snapshot.version):
            yield from page

    @contextmanager
    def _being_sent(self) -> Iterator[None]:
        if not self._sending.acquire(timeout=PATIENCE):
            raise Busy
        try:
            yield
        finally:
            self._sending.release()


def _key(snapshot: Snapshot, viewer: Viewer, signed: Signature | None) -> _Key:
    """Cache key of an export: the events, the viewer, and the signing key."""
    shown_to = "all" if is_over(snapshot) else str(viewer)
    return (
        snapshot.game_id,
        snapshot.stream_head.head,
        shown_to,
        None if signed is None else str(signed.key["kid"]),
    )


def _checked(lines: Iterator[bytes]) -> Steps[Report]:
    header, *events, end = yield from _collected(line[:-1] for line in lines)
    return (yield from verifying(Exported(1, header, events, end)))


def _collected(lines: Iterator[bytes]) -> Steps[list[bytes]]:
    found = []
    for line in lines:
        found.append(line)
        yield
    return found


def _some_at_once(lines: Iterator[bytes]) -> Iterator[bytes]:
    while some := list(islice(lines, LINES)):
        yield b"".join(some)


def _export_size(export: bytes) -> int:
    return len(export)


def _report_size(kept: tuple[Report, float]) -> int:
    return 4 * len(orjson.dumps(kept[0].document))  # objects take four times the bytes of their text, roughly
