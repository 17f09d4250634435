# compiled into serving
"""Views of games: of the present game, of past versions, and of the part that a viewer may see."""

from collections.abc import Sequence

import orjson

from domain.game import Game
from domain.lifecycle import Json, Viewer
from events.engine import access
from events.engine.access import Caller
from events.engine.command_handler import Clock, utc_now
from events.engine.repository import NEAR, GameRepository, pages
from events.engine.viewpoint import Viewpoint, viewpoint_of
from events.errors import GameNotFound
from events.features.apps.keys import AppKeys
from events.features.players.players import Players
from events.features.records.signed_heads import SignedHeads
from events.log import notation, serialisers
from events.log.envelope import RecordedEvent
from events.log.notation import Languages
from events.log.snapshot import Snapshot
from events.ports import EventStore
from events.scheduling import Slices, Steps


class Views:
    """The use cases of looking at games."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        heads: SignedHeads,
        players: Players,
        app_keys: AppKeys,
        slices: Slices,
        now: Clock = utc_now,
    ) -> None:
        self._store = store
        self._games = games
        self._heads = heads
        self._players = players
        self._app_keys = app_keys
        self._slices = slices
        self._now = now

    def seen(self, game_id: str) -> Snapshot | None:
        """The whole game as this process last saw it, without asking the store; None if it never did."""
        return self._games.seen(game_id)

    def known(self, game_id: str) -> Snapshot:
        """The whole game as this process last saw it; the store is asked only if it never did. Raises GameNotFound."""
        return self._games.known(game_id)

    def game_of(self, game_id: str) -> Game:
        """The rules of the game; the store is asked only if this process never saw the game. Raises GameNotFound."""
        return self._games.known(game_id).game

    def open_game(self, game_id: str, caller: Caller, version: int | None = None) -> Snapshot:
        """The game for a caller, otherwise as `snapshot`; GameNotFound also if the caller may not know of the game.

        Raises Unauthorized for a seat that has got another token.
        """
        current = self._games.current_for(game_id, caller)
        if not access.may_watch(caller, current.secrets, self._app_keys):
            raise GameNotFound(game_id)
        current = self._heads.with_final(current)
        return current if version is None else self._games.as_of(current, version)

    def confirm_holder(self, current: Snapshot, caller: Caller) -> None:
        """Raise Unauthorized if the caller's seat in the current game has got another token."""
        self._games.held(current, caller.seat, caller.token_hash)

    def snapshot(self, game_id: str, version: int | None = None) -> Snapshot:
        """The present game, or the game after event `version` (VersionBeyondEnd)."""
        current = self._heads.with_final(self._games.current(game_id))
        return current if version is None else self._games.as_of(current, version)

    def look(
        self, game_id: str, caller: Caller, version: int | None = None, seat: int | str | None = None
    ) -> Viewpoint:
        """The game at a version, seen as `events.engine.viewpoint` says; otherwise as `open_game`."""
        current = self.open_game(game_id, caller)
        then = current if version is None else self._games.as_of(current, version)
        return viewpoint_of(current, then, caller, seat)

    def history(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after a version, with nothing hidden. Show them to nobody: `visible_events` gives what a viewer
        may see.
        """
        return self._store.read(game_id, after, limit)

    def wait_for(self, game_id: str, after: int, seconds: float) -> int:
        """Wait until the game goes beyond version `after`, for at most so many seconds. Returns the version that it has
        then.
        """
        return self._store.wait(game_id, after, seconds)

    def visible_events(
        self, snapshot: Snapshot, viewer: Viewer, after: int, limit: int, *, whole: bool = False
    ) -> list[Json]:
        """At most `limit` events after a version as the viewer may see them, none of them later than the snapshot.

        Raises StoreUnavailable, Busy.
        """
        until = min(after + limit, snapshot.version)

        def shown() -> Steps[list[Json]]:
            found = list[Json]()
            for page in pages(self._store, snapshot.game_id, until, after):
                found += [serialisers.event_document(snapshot, event, viewer, whole=whole) for event in page]
                yield
            return found

        return self._slices.finish(shown(), in_line=until - after > NEAR)

    def game_document(
        self, snapshot: Snapshot, viewer: Viewer, *, whole: bool = False, past: bool = False
    ) -> Json:
        """The game's view document for a viewer, with the names of its players.

        `past`: with the game's clock as it was then.
        """
        now = None if past or snapshot.clock is None else self._milliseconds()
        document = serialisers.game_document(snapshot, viewer, whole=whole, now=now)
        self._players.show(document["seats"])
        return document

    def game_json(self, snapshot: Snapshot, viewer: Viewer) -> bytes:
        """The view document as JSON. The parts of a running game that moves never change are encoded only once."""
        if serialisers.is_over(snapshot):
            return orjson.dumps(self.game_document(snapshot, viewer))
        rest = snapshot.unchanging
        if (
            rest is None
            or not rest.is_of(snapshot.status, snapshot.secrets)
            or self._players.names(rest.names) != rest.names
        ):
            seats = serialisers.seat_documents(snapshot.status.seats)
            self._players.show(seats)
            rest = snapshot.unchanging = serialisers.unchanging(snapshot, seats)
        now = None if snapshot.clock is None else self._milliseconds()
        return serialisers.game_json(snapshot, viewer, rest, now)

    def _milliseconds(self) -> int:
        return int(self._now().timestamp() * 1000)

    def lines(self, snapshot: Snapshot, shown: Sequence[Json], languages: Languages) -> dict[str, list[str]]:
        """The shown events in words."""
        return notation.lines(snapshot.game, shown, languages)

    def labels(
        self, snapshot: Snapshot, moves: Sequence[Json], view: Json, languages: Languages
    ) -> dict[str, list[str]]:
        """The legal moves in words; `view`: the game as the moves' seat sees it."""
        return notation.labels(snapshot.game, moves, view, languages)

    def legal_moves(self, snapshot: Snapshot, seat: int) -> list[Json]:
        """Every legal move of the seat, ready to be posted."""
        return snapshot.game.legal_moves(snapshot.state, seat)
