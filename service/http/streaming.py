"""Waiting for the next events of a game: long polls, and streams of server-sent events."""

import logging
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

import orjson

from domain.lifecycle import Json, Viewer
from events.application import Application
from events.caching import MIB, Memory
from events.engine.access import Caller
from events.engine.caches import AROUND, size_of
from events.errors import Busy, GameNotFound, StoreUnavailable, Unauthorized
from events.features.presence.presence import PACE, show_connected
from events.log.envelope import EMPTY
from events.log.notation import ONLY_ENGLISH, Languages
from events.log.snapshot import Snapshot
from events.runtime.settings import Settings
from events.warning_throttle import WarningThrottle
from service.http.request_parsing import EntityTags
from service.http.schemas.games.events import MOST_EVENTS

log = logging.getLogger("migrato.streaming")

PAGE = 99  # events in one page; with the event before them, as many as the store reads in one request
STORE_PAUSE = 2  # seconds before a stream asks a silent store again
STREAMS_WAIT = "a stream waits for the store: %s"  # a log line
STILL_HERE = b": still here\n\n"
# without an id, because it is no event of the game
HEARTBEAT = b'data: {"type":"heartbeat","seconds":%g}\n\n'
END = b"event: end\ndata: {}\n\n"  # without an id, because it is no event of the game
UNNAMED_END = b'data: {"type":"end"}\n\n'

FRESH: Final = 1.0  # seconds for which the version of a game is believed without another look
PAGES: Final = 16  # pages of one game that are kept
SMALL: Final = 32  # the most events of a page that is kept: those of a move, not a history
TURNS: Final = 64  # the most games that are read at the same time for their streams


class Framing(NamedTuple):
    """Format of a stream: its content is events, or the viewer's whole view (`states`) in some languages, sent also
    when a seat connects or disconnects (`presence`); frames are `named`, or not.
    """

    states: bool = False
    named: bool = True
    presence: bool = False
    languages: Languages = ONLY_ENGLISH


class SignOfLife(NamedTuple):
    """A frame that a stream sends at its beginning, and whenever it has sent nothing for so many seconds."""

    seconds: float = Settings().stream_heartbeat
    frame: bytes = STILL_HERE


def sign_of_life(seconds: float, asked: Json) -> SignOfLife:
    """A heartbeat for a caller that asked for `heartbeats`; else a comment, which an EventSource does not pass to its
    page.
    """
    if not asked["heartbeats"]:
        return SignOfLife(seconds)
    name = b"event: heartbeat\n" if asked["events"] == "named" else b""
    return SignOfLife(seconds, name + HEARTBEAT % seconds)


EVENTS: Final = Framing()
COMMENT: Final = SignOfLife()
NO_STATE: Final = -1  # the `after` of a caller that has seen no state: every state is new to it


def when_changed(
    application: Application, caller: Caller, snapshot: Snapshot, known: EntityTags, seconds: int
) -> Snapshot:
    """The game once its version is not one that the caller knows, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or not known.matches(snapshot.version):
        return snapshot
    application.views.wait_for(snapshot.game_id, snapshot.version, seconds)
    application.callers.confirm(caller)
    return application.views.open_game(snapshot.game_id, caller)


def when_longer(
    application: Application, caller: Caller, snapshot: Snapshot, after: int, seconds: int
) -> Snapshot:
    """The game once it has an event after version `after`, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or snapshot.version > after:
        return snapshot
    application.views.wait_for(snapshot.game_id, after, seconds)
    application.callers.confirm(caller)
    return application.views.open_game(snapshot.game_id, caller)


Connected = tuple[int, ...]  # seats, in order
Place = tuple[Viewer, int, Framing, Connected]  # the key of a page within a game


@dataclass(frozen=True, slots=True)
class Page:
    """Some events as frames, of a game as it was in `snapshot`; `last` is the version of the last of them.

    `follows` is the head of the chain before the events, and `head` the one after them. A page with a state shows the
    seats that were `connected`.
    """

    frames: bytes
    last: int
    snapshot: Snapshot
    follows: str
    head: str
    connected: Connected = ()
    made_at: float = 0.0

    @property
    def version(self) -> int:
        """The number of events that the game had when the page was made."""
        return self.snapshot.version

    def goes_on_from(self, after: int, head: str | None) -> bool:
        """True if the page's game has the events up to `after`, with that chain head; None stands for any head."""
        return after <= self.version and head in (None, self.follows)


@dataclass(slots=True)
class WatchedGame:
    """A game at the time when its reading began, and the pages sent to its streams, by viewer and first version."""

    snapshot: Snapshot
    began: float
    size: int
    pages: dict[Place, Page] = field(default_factory=dict)


def _size_of(game: WatchedGame) -> int:
    return game.size + sum(AROUND + len(page.frames) for page in list(game.pages.values()))


class _Turn:
    """The turn of the one greenlet that reads a game for all who watch it; the others wait, and get its result or its
    error.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.failures = 0


class Broadcast:
    """Feeds the streams of one process: each game is read once for all callers who watch it."""

    def __init__(
        self,
        application: Application,
        warnings: WarningThrottle | None = None,
        memory: Memory | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory`: the budget for pages that are kept for other streams."""
        self.application = application
        self.warnings = warnings or WarningThrottle(log)
        self._clock = clock
        self._kept = (memory or Memory(128 * MIB)).cache("streams", _size_of)
        self._turns = [_Turn() for _ in range(TURNS)]

    def page(
        self, game_id: str, viewer: Viewer, after: int, heard: int | None, framing: Framing = EVENTS
    ) -> Page:
        """Events after a version as the viewer may see them, at most PAGE of them. Raises the errors of reading.

        For a stream of states, the page is the present game with the events since that version.

        `heard` is a version that the game is known to have: a page read that far is good for every caller. None asks
        for the game as it is now. Raises StoreUnavailable also where the history changes while it is read.
        """
        if heard is None:
            return self._page(viewer, after, self._now(game_id), framing, anew=framing.states)
        came = self._clock()
        place = self._place(game_id, viewer, after, framing)
        game = self._kept.get(game_id)
        found = self._kept_page(game, place) if game is not None and _holds(game, heard, came) else None
        if found is not None:
            return found
        turn = self._turns[hash(game_id) % TURNS]
        failures = turn.failures
        with turn.lock:
            if turn.failures != failures:
                raise StoreUnavailable("another stream has just asked in vain")
            try:
                kept = self._kept.peek(game_id)
                game = kept if kept is not None and _holds(kept, heard, came) else self._now(game_id)
                return self._page(viewer, after, game, framing)
            except (StoreUnavailable, Busy):
                turn.failures += 1
                raise

    def _kept_page(self, game: WatchedGame, place: Place) -> Page | None:
        """The kept page; None without one. A page with a state counts only while it is fresh, because it shows a clock,
        and names that may be erased.
        """
        page = game.pages.get(place)
        is_stale = page is not None and place[2].states and self._clock() - page.made_at >= FRESH
        return None if is_stale else page

    def _now(self, game_id: str) -> WatchedGame:
        began = self._clock()
        snapshot = self.application.views.snapshot(game_id)
        kept = self._kept.peek(game_id)
        if kept is not None and kept.snapshot.stream_head == snapshot.stream_head:
            kept.began = max(kept.began, began)
            return kept
        return self._keep(WatchedGame(snapshot, began, size_of(snapshot)))

    def _keep(self, game: WatchedGame) -> WatchedGame:
        """Keep the page that was read last."""
        return self._kept.put(
            game.snapshot.game_id, game, unless=lambda kept, new: kept is not new and kept.began > new.began
        )

    def _page(
        self, viewer: Viewer, after: int, game: WatchedGame, framing: Framing, *, anew: bool = False
    ) -> Page:
        """The page from the cache, or made now; `anew`: made now in any case."""
        place = self._place(game.snapshot.game_id, viewer, after, framing)
        page = None if anew else self._kept_page(game, place)
        if page is not None:
            return page
        try:
            page = (
                self._state(viewer, after, game.snapshot, framing, place[-1])
                if framing.states
                else self._read(viewer, after, game.snapshot, framing)
            )
        except StoreUnavailable:
            self._kept.drop(game.snapshot.game_id, lambda kept: kept is game)
            raise
        has_room = len(game.pages) < PAGES or place in game.pages
        if (framing.states or page.last - after <= SMALL) and has_room:
            game.pages[place] = page
            self._keep(game)
        return page

    def connected(self, game_id: str) -> Connected:
        """The seats that are connected, as far as this process knows them."""
        return tuple(self.application.presence.of(game_id) or ())

    def _place(self, game_id: str, viewer: Viewer, after: int, framing: Framing) -> Place:
        """Key of a page; for a page with a state it includes the connected seats."""
        return viewer, after, framing, self.connected(game_id) if framing.states else ()

    def _state(
        self, viewer: Viewer, seen: int, snapshot: Snapshot, framing: Framing, connected: Connected
    ) -> Page:
        """The view with the events since version `seen`, and the legal moves of a viewer who is to act."""
        views, status, version = self.application.views, snapshot.status, snapshot.version
        is_to_act = viewer is not None and status.status == "playing" and status.to_act == viewer
        after = max(seen, version - MOST_EVENTS) if 0 < seen <= version else version
        events = self._events(viewer, after, version, snapshot) if after < version else []
        view = views.game_document(snapshot, viewer)
        show_connected(view, connected)
        self.application.claims.show(view, snapshot)
        moves = views.legal_moves(snapshot, viewer) if viewer is not None and is_to_act else None
        document = {
            "type": "state",
            "version": version,
            "after": after,
            "events": events,
            "notation": views.lines(snapshot, events, framing.languages),
            "view": view,
            "legal_moves": moves,
            "labels": None if moves is None else views.labels(snapshot, moves, view, framing.languages),
        }
        written = frame(document, named=framing.named)
        return Page(
            written, snapshot.version, snapshot, "", snapshot.stream_head.head, connected, self._clock()
        )

    def _read(self, viewer: Viewer, after: int, snapshot: Snapshot, framing: Framing) -> Page:
        """The events after the version `after`, checked to continue the event before them and to lead to
        the snapshot.
        """
        if after > snapshot.version:
            return Page(b"", after, snapshot, "", "")
        known, until = min(after, 1), min(after + PAGE, snapshot.version)
        events = self._events(viewer, after - known, until, snapshot)
        follows = events[0]["head"] if known else EMPTY.head
        frames = b"".join([frame(event, named=framing.named) for event in events[known:]])
        return Page(frames, until, snapshot, follows, events[-1]["head"])

    def _events(self, viewer: Viewer, after: int, until: int, snapshot: Snapshot) -> list[Json]:
        """The documents of the events, all of the snapshot's history; raises StoreUnavailable if one is missing or
        differs.
        """
        events = self.application.views.visible_events(snapshot, viewer, after, until - after)
        whole = [event["version"] for event in events] == [*range(after + 1, until + 1)]
        if not whole or (until == snapshot.version and events[-1]["head"] != snapshot.stream_head.head):
            raise StoreUnavailable(f"the history of game {snapshot.game_id} changes while it is read")
        return events


def _holds(game: WatchedGame, heard: int, came: float) -> bool:
    """True if the game as it was read is still good for a caller that came at time `came` and had heard of version
    `heard`.

    It is good if its reading began later. If it began before, that very version must have been read just now: a longer
    history may be one that the store has lost meanwhile.
    """
    return game.began >= came or (game.snapshot.version == heard and came - game.began < FRESH)


def server_sent_events(
    application: Application,
    game_id: str,
    viewer: Viewer,
    after: int,
    pause: Callable[[float], None] = time.sleep,
    broadcast: Broadcast | None = None,
    caller: Caller | None = None,
    framing: Framing = EVENTS,
    confirm: Callable[[Snapshot], object] | None = None,
    alive: SignOfLife = COMMENT,
    seen: int = NO_STATE,
) -> Generator[bytes, None, None]:
    """The game's events as frames, from those that are there to the last that will ever be; then one `end` frame.

    A stream of states begins after NO_STATE. It sends the present game whenever the caller has taken the last frame: a
    slow reader gets fewer frames, and never an outdated one. `seen` is the version of the last frame that the caller
    had.

    If the store does not answer, the stream goes on, because the caller's EventSource would take an end for final. The
    stream ends without the `end` frame in three cases: the seat gets a new token, so the holder of the old one is
    refused when it connects again; `confirm` raises Unauthorized, for a ticket or an app's key that is no longer valid;
    the store has lost events that this stream has sent, so the caller learns the game's true version when it connects
    again.
    """
    broadcast = broadcast or Broadcast(application)
    heard: int | None = None
    head: str | None = None
    connected: Connected = ()
    yield alive.frame  # sends the headers at once
    while True:
        try:
            page = broadcast.page(game_id, viewer, seen if framing.states else after, heard, framing)
            if caller is not None:
                application.views.confirm_holder(page.snapshot, caller)
            if confirm is not None:
                confirm(page.snapshot)
            if not page.goes_on_from(after, head):
                return
            is_new = page.last > after or (framing.presence and page.connected != connected)
            after = seen = page.last
            head = None if framing.states else page.head
            connected = page.connected
            if is_new:
                yield page.frames
            broadcast.warnings.over(STREAMS_WAIT, "streams wait for the store no more")
            if after < page.version:
                heard = page.version
                continue
            if page.snapshot.is_settled:
                yield END if framing.named else UNNAMED_END
                return
            if heard is not None and page.version < heard:
                # the store has lost what this stream sent; streams of others may still be waiting for it
                pause(STORE_PAUSE)
            left = alive.seconds  # seconds until the next sign of life
            pace = PACE if framing.presence else left  # seconds between two looks at who is connected
            while (version := application.views.wait_for(game_id, after, wait := min(pace, left))) <= after:
                left -= wait
                if framing.presence and broadcast.connected(game_id) != connected:
                    break
                if left > 0 and version == after:
                    continue
                left = alive.seconds
                if confirm is not None:
                    confirm(page.snapshot)
                yield alive.frame
                if version < after:  # the store may have lost events
                    break
            heard = None if version < after else version
        except (Unauthorized, GameNotFound):
            return
        except (StoreUnavailable, Busy) as error:
            heard = None
            reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
            broadcast.warnings.warning(STREAMS_WAIT, reason)
            yield alive.frame
            pause(STORE_PAUSE)


def frame(document: Json, *, named: bool = True) -> bytes:
    """An event, or a state, as a server-sent event; if it is not `named`, it is a `message` in a browser."""
    name = b"event: %s\n" % document["type"].encode() if named else b""
    return b"id: %d\n%sdata: %s\n\n" % (document["version"], name, orjson.dumps(document))
