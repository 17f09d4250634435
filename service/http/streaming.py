"""Waiting for what a game does next: long polls, and streams of server-sent events."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

import orjson

from domain.lifecycle import Json, Viewer
from events.caching import MIB, Memory
from events.errors import Busy, GameNotFound, StoreUnavailable, Unauthorized
from events.games.access import Caller
from events.games.caches import AROUND, size_of
from events.log.envelope import EMPTY
from events.log.snapshot import Snapshot
from events.use_cases.application import Application
from events.warning_throttle import WarningThrottle
from service.http.request_parsing import EntityTags

log = logging.getLogger("migrato.streaming")

PAGE = 99  # events sent at once; with the one before them as many as the store reads at once
HEARTBEAT = 15  # seconds of silence before a comment
STORE_PAUSE = 2  # seconds before a stream asks a silent store again
STREAMS_WAIT = "a stream waits for the store: %s"  # in the log
STILL_HERE = b": still here\n\n"
END = b"event: end\ndata: {}\n\n"  # no id: it is no event of the game
UNNAMED_END = b'data: {"type":"end"}\n\n'

FRESH: Final = 1.0  # seconds for which nobody asks again whether a game has still the version that it had
PAGES: Final = 16  # pages of one game that are kept
SMALL: Final = 32  # events of a page that is kept: what a move causes, and not a history
TURNS: Final = 64  # games, at most, that are read at the same time for their streams


class Framing(NamedTuple):
    """Content of a stream: events, or the caller's whole view (`states`); frames that are `named`, or not."""

    states: bool = False
    named: bool = True


EVENTS: Final = Framing()
NO_STATE: Final = -1  # the version after which every state is new


def when_changed(
    application: Application, caller: Caller, snapshot: Snapshot, known: EntityTags, seconds: int
) -> Snapshot:
    """The game once it has another version than the caller knows, or as it is when the time is up."""
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


@dataclass(frozen=True, slots=True)
class Page:
    """Some events as frames, the last of which is `last`, of a game as it was in `snapshot`.

    `follows` is the head of the chain before them, and `head` the one after them.
    """

    frames: bytes
    last: int
    snapshot: Snapshot
    follows: str
    head: str

    @property
    def version(self) -> int:
        """The number of events that the game had."""
        return self.snapshot.version

    def goes_on_from(self, after: int, head: str | None) -> bool:
        """True if the game has the events up to `after`, with that head of the chain; None is any."""
        return after <= self.version and head in (None, self.follows)


@dataclass(slots=True)
class WatchedGame:
    """A game as it was when reading it began, and the pages sent to its streams: for whom, after which version."""

    snapshot: Snapshot
    began: float
    size: int
    pages: dict[tuple[Viewer, int, Framing], Page] = field(default_factory=dict)


def _size_of(game: WatchedGame) -> int:
    return game.size + sum(AROUND + len(page.frames) for page in list(game.pages.values()))


class _Turn:
    """Turn of the one that reads a game for all who watch it; the others wait, and share also its failure."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.failures = 0


class Broadcast:
    """Feeds the streams of one process: each game is read once for all who watch it, however many they are."""

    def __init__(
        self,
        application: Application,
        warnings: WarningThrottle | None = None,
        memory: Memory | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory` keeps the pages that were sent, for other streams."""
        self.application = application
        self.warnings = warnings or WarningThrottle(log)
        self._clock = clock
        self._kept = (memory or Memory(128 * MIB)).cache("streams", _size_of)
        self._turns = [_Turn() for _ in range(TURNS)]

    def page(
        self, game_id: str, viewer: Viewer, after: int, heard: int | None, framing: Framing = EVENTS
    ) -> Page:
        """Events after a version as the viewer may see them, PAGE of them at most. Raises what reading does.

        Of states that is the game as it is now, whatever came before.

        `heard` is a version that the game is known to have: whoever has read that far, has read for all. None asks
        for the game as it is now. StoreUnavailable also where the history changes while it is read.
        """
        if heard is None:
            return self._page(viewer, after, self._now(game_id), framing, anew=framing.states)
        came = self._clock()
        found = self._found(self._kept.get(game_id), _place(viewer, after, framing), heard, came)
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

    @staticmethod
    def _found(
        game: WatchedGame | None, place: tuple[Viewer, int, Framing], heard: int, came: float
    ) -> Page | None:
        return game.pages.get(place) if game is not None and _holds(game, heard, came) else None

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
        """`anew`: also where one is kept, for a view holds names that may have been erased since."""
        place = _place(viewer, after, framing)
        page = None if anew else game.pages.get(place)
        if page is not None:
            return page
        try:
            page = (
                self._state(viewer, game.snapshot, framing)
                if framing.states
                else self._read(viewer, after, game.snapshot, framing)
            )
        except StoreUnavailable:
            self._kept.drop(game.snapshot.game_id, lambda kept: kept is game)
            raise
        if (framing.states or page.last - after <= SMALL) and len(game.pages) < PAGES:
            game.pages[place] = page
            self._keep(game)
        return page

    def _state(self, viewer: Viewer, snapshot: Snapshot, framing: Framing) -> Page:
        """The view, with the legal moves of a viewer who is to act."""
        views, status = self.application.views, snapshot.status
        is_to_act = viewer is not None and status.status == "playing" and status.to_act == viewer
        document = {
            "type": "state",
            "version": snapshot.version,
            "view": views.game_document(snapshot, viewer),
            "legal_moves": views.legal_moves(snapshot, viewer) if viewer is not None and is_to_act else None,
        }
        return Page(
            frame(document, named=framing.named), snapshot.version, snapshot, "", snapshot.stream_head.head
        )

    def _read(self, viewer: Viewer, after: int, snapshot: Snapshot, framing: Framing) -> Page:
        """The events with the one before them, which must lead to one another and to the snapshot."""
        if after > snapshot.version:
            return Page(b"", after, snapshot, "", "")
        known, until = min(after, 1), min(after + PAGE, snapshot.version)
        events = self.application.views.visible_events(snapshot, viewer, after - known, PAGE + known)
        whole = [event["version"] for event in events] == [*range(after - known + 1, until + 1)]
        if not whole or (until == snapshot.version and events[-1]["head"] != snapshot.stream_head.head):
            raise StoreUnavailable(f"the history of game {snapshot.game_id} changes while it is read")
        follows = events[0]["head"] if known else EMPTY.head
        frames = b"".join([frame(event, named=framing.named) for event in events[known:]])
        return Page(frames, until, snapshot, follows, events[-1]["head"])


def _place(viewer: Viewer, after: int, framing: Framing) -> tuple[Viewer, int, Framing]:
    """Cache key of a page: it does not matter for a state what came before."""
    return viewer, NO_STATE if framing.states else after, framing


def _holds(game: WatchedGame, heard: int, came: float) -> bool:
    """True if the game is still so for somebody who came with a version that was heard of.

    It is if reading it began later. Else that very version must have been read just now: a longer history may be one
    that the store has lost meanwhile.
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
) -> Iterator[bytes]:
    """The game's events as frames, from those that are there to the last that will ever be; then one `end` frame.

    A stream of states begins after NO_STATE. It sends the game as it is whenever the caller has taken what was sent
    before: whoever reads slowly gets fewer frames, and never an old one.

    A store that does not answer does not end the stream: the caller's EventSource would take that for final. A new
    token of the caller's seat does, without that frame: who holds the former one comes again and is refused. So does
    `confirm`, which raises Unauthorized for a ticket or an app's key that is good no more. So does a store that has
    lost events which this stream has sent: who comes again learns how far the game is.
    """
    broadcast = broadcast or Broadcast(application)
    heard: int | None = None
    head: str | None = None
    yield STILL_HERE  # sends the headers at once
    while True:
        try:
            page = broadcast.page(game_id, viewer, after, heard, framing)
            if caller is not None:
                application.views.confirm_holder(page.snapshot, caller)
            if confirm is not None:
                confirm(page.snapshot)
            if not page.goes_on_from(after, head):
                return
            is_new = page.last > after
            after, head = page.last, None if framing.states else page.head
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
                pause(STORE_PAUSE)  # the store has lost what it had sent; others may still be waiting for it
            while (version := application.views.wait_for(game_id, after, HEARTBEAT)) <= after:
                if confirm is not None:
                    confirm(page.snapshot)
                yield STILL_HERE
                if version < after:  # it may be that the store has lost events
                    break
            heard = version if version > after else None
        except (Unauthorized, GameNotFound):
            return
        except (StoreUnavailable, Busy) as error:
            heard = None
            reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
            broadcast.warnings.warning(STREAMS_WAIT, reason)
            yield STILL_HERE
            pause(STORE_PAUSE)


def frame(document: Json, *, named: bool = True) -> bytes:
    """An event, or a state, as a server-sent event; without a name it is a `message` in a browser."""
    name = b"event: %s\n" % document["type"].encode() if named else b""
    return b"id: %d\n%sdata: %s\n\n" % (document["version"], name, orjson.dumps(document))
