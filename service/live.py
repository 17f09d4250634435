"""Waiting for what a game does next: long polls, and streams of server-sent events."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import orjson

from domain.lifecycle import Json, Viewer
from events.access import Asker
from events.application import Application
from events.errors import StoreUnavailable, Unauthorized
from events.state_cache import Snapshot
from service.reading import EntityTags
from service.sparing import Sparing

log = logging.getLogger("migrato.service")

PAGE = 100  # events read at once by a stream
HEARTBEAT = 15  # seconds of silence before a comment
STORE_PAUSE = 2  # seconds before a stream asks a silent store again
STILL_HERE = b": still here\n\n"
END = b"event: end\ndata: {}\n\n"  # no id: it is no event of the game

KEPT: Final = 256  # games of which is kept what streams were told last
PAGES: Final = 16  # pages of one game that are kept
SMALL: Final = 32  # events of a page that is kept: what a move causes, and not a history
TURNS: Final = 64  # games, at most, that are read at the same time for their streams


def when_changed(
    application: Application, asker: Asker, snapshot: Snapshot, known: EntityTags, seconds: int
) -> Snapshot:
    """The game once it has another version than the caller knows, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or not known.matches(snapshot.version):
        return snapshot
    application.wait_for(snapshot.game_id, snapshot.version, seconds)
    return application.open_game(snapshot.game_id, asker)


def when_longer(
    application: Application, asker: Asker, snapshot: Snapshot, after: int, seconds: int
) -> Snapshot:
    """The game once it has an event after version `after`, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or snapshot.version > after:
        return snapshot
    application.wait_for(snapshot.game_id, after, seconds)
    return application.open_game(snapshot.game_id, asker)


def visible_events(
    application: Application, snapshot: Snapshot, viewer: Viewer, after: int, limit: int, whole: bool = False
) -> list[Json]:
    """The events after a version as the viewer may see them, none of them later than the snapshot."""
    return application.visible_events(snapshot, viewer, after, limit, whole=whole)


@dataclass(frozen=True, slots=True)
class Page:
    """Some events as frames, the last of which is `last`, of a game as it was in `snapshot`."""

    frames: bytes
    last: int
    snapshot: Snapshot

    @property
    def version(self) -> int:
        """The number of events that the game had."""
        return self.snapshot.version


@dataclass(frozen=True, slots=True)
class _Kept:
    """A game as it was read for a stream, and what streams were told of it, by viewer and last event seen."""

    snapshot: Snapshot
    pages: dict[tuple[Viewer, int], Page] = field(default_factory=dict)


class _Turn:
    """Whoever reads a game for all who watch it, holds this; the others wait, and share also its failure."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.failures = 0


class Broadcast:
    """What the streams of one process are told: each game is read once for all who watch it, however many they are."""

    def __init__(self, application: Application, sparing: Sparing | None = None) -> None:
        self.application = application
        self.sparing = sparing or Sparing(log)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._turns = [_Turn() for _ in range(TURNS)]

    def page(self, game_id: str, viewer: Viewer, after: int, heard: int | None) -> Page:
        """What the viewer may see of the events after a version, PAGE of them at most. Raises StoreUnavailable.

        `heard` is a version that the game is known to have: whoever has read that far, has read for all. None asks
        for the game as it is now.
        """
        if heard is None:
            return self._read(game_id, viewer, after, self._now(game_id))
        found = self._found(game_id, viewer, after, heard)
        if found is not None:
            return found
        turn = self._turns[hash(game_id) % TURNS]
        failures = turn.failures
        with turn.lock:
            if turn.failures != failures:
                raise StoreUnavailable("another stream has just asked in vain")
            found = self._found(game_id, viewer, after, heard)
            if found is not None:
                return found
            try:
                kept = self._kept.get(game_id)
                if kept is None or kept.snapshot.version < heard:
                    kept = self._now(game_id)
                return self._read(game_id, viewer, after, kept)
            except StoreUnavailable:
                turn.failures += 1
                raise

    def _found(self, game_id: str, viewer: Viewer, after: int, heard: int) -> Page | None:
        kept = self._kept.get(game_id)
        return None if kept is None or kept.snapshot.version < heard else kept.pages.get((viewer, after))

    def _now(self, game_id: str) -> _Kept:
        snapshot = self.application.snapshot(game_id)
        kept = self._kept.get(game_id)
        return kept if kept is not None and kept.snapshot.tip == snapshot.tip else _Kept(snapshot)

    def _read(self, game_id: str, viewer: Viewer, after: int, kept: _Kept) -> Page:
        snapshot = kept.snapshot
        events = visible_events(self.application, snapshot, viewer, after, PAGE)
        last = events[-1]["version"] if events else after
        page = Page(b"".join(map(frame, events)), last, snapshot)
        if len(events) <= SMALL and len(kept.pages) < PAGES:
            kept.pages[viewer, after] = page
        known = self._kept.get(game_id)
        if known is None or known.snapshot.version <= snapshot.version:
            self._kept[game_id] = kept
            self._kept.move_to_end(game_id)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return page


def server_sent_events(
    application: Application,
    game_id: str,
    viewer: Viewer,
    after: int,
    pause: Callable[[float], None] = time.sleep,
    broadcast: Broadcast | None = None,
    asker: Asker | None = None,
) -> Iterator[bytes]:
    """The game's events as frames, from those that are there to the last that will ever be; then one `end` frame.

    A store that does not answer does not end the stream: the caller's EventSource would take that for final. A new
    token of the asker's seat does, without that frame: who holds the former one comes again and is refused.
    """
    broadcast = broadcast or Broadcast(application)
    heard: int | None = None
    yield STILL_HERE  # sends the headers at once
    while True:
        try:
            page = broadcast.page(game_id, viewer, after, heard)
            if asker is not None:
                application.confirm_holder(page.snapshot, asker)
            if page.frames:
                after = page.last
                yield page.frames
            if after < page.version:
                heard = page.version
                continue
            if page.snapshot.is_settled:
                yield END
                return
            if heard is not None and page.version < heard:
                pause(STORE_PAUSE)  # the store has lost what it had told; others may still be waiting for it
            while (heard := application.wait_for(game_id, after, HEARTBEAT)) <= after:
                yield STILL_HERE
        except Unauthorized:
            return
        except StoreUnavailable as error:
            heard = None
            broadcast.sparing.warning("a stream waits for the store: %s", error.reason)
            yield STILL_HERE
            pause(STORE_PAUSE)


def frame(event: Json) -> bytes:
    """One event as a server-sent event."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        event["version"],
        event["type"].encode(),
        orjson.dumps(event),
    )
