"""Apps' own data about their games: stored with a new game, changed, shown to the app alone, removed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from domain.errors import DomainError, invalid
from domain.lifecycle import Json
from events.engine import access
from events.engine.access import Caller
from events.engine.command_handler import Played
from events.engine.repository import GameRepository, pages
from events.errors import (
    CommandMismatch,
    CorruptStream,
    EngineError,
    ExternalIdTaken,
    GameNotFound,
    StoreUnavailable,
)
from events.features.apps.keys import AppKeys
from events.features.members import creation_of
from events.features.own_data.port import Kept, Outcome, OwnDataStore
from events.features.own_data.records import NOTHING, OwnData, OwnDataChange, Record
from events.log.envelope import RecordedEvent
from events.log.snapshot import Snapshot
from events.ports import EventStore

ATTEMPTS: Final = 16  # attempts at a change while other processes change the data of the same game
BEGINS: Final = 10_000  # milliseconds after which an announced game that does not exist will never exist
AT_ONCE: Final = 100  # games that are read together


class OwnDataOfGames:
    """The use cases of own data. Every method may raise StoreUnavailable."""

    def __init__(
        self, store: OwnDataStore | None, events: EventStore, games: GameRepository, app_keys: AppKeys
    ) -> None:
        self._kept = store
        self._events = events
        self._games = games
        self._app_keys = app_keys

    def entry(self, app: str, game_id: str, created_at: str, own: OwnData, request: str) -> "Entry":
        """The entry of a game's data, before the game is created; `request` is the fingerprint of its request."""
        return Entry(self, app, game_id, Record(creation_of(created_at), request, own))

    def change(self, game_id: str, caller: Caller, change: OwnDataChange) -> tuple[Snapshot, OwnData]:
        """Change the data of one of the app's games. Returns the game, and its data now."""
        game = self._games.current_for(game_id, caller)
        access.require_app_of(caller, game_id, game.secrets, self._app_keys)
        _check_seats(change, len(game.status.seats))
        app, before = game.secrets.app, Record(creation_of(game.secrets.created_at), "", NOTHING)
        for known in self._attempts(app, game_id):
            record = before if known is None or known.record is None else known.record
            record = replace(record, at=before.at, own=change.of(record.own))
            if self.put(app, game_id, known, record).kind == "done":
                return game, record.own
        raise StoreUnavailable("others change the own data of the same game all the time")

    def seen_by(self, caller: Caller, game: Snapshot) -> OwnData:
        """The data of the game for its own app; no data for any other caller."""
        if not access.is_app_of(caller, game.secrets, self._app_keys):
            return NOTHING
        return self._of(game.secrets.app, [game.game_id]).get(game.game_id, NOTHING)

    def show(self, app: str, documents: Iterable[Json], name: str = "id") -> None:
        """Add the data of the app's games to documents about them, whose member `name` is the game's id."""
        shown = list(documents)
        found = self._of(app, list(dict.fromkeys(document[name] for document in shown)))
        for document in shown if found else ():
            found.get(document[name], NOTHING).show(document)

    def forget_player(self, app: str, player_id: str, game_ids: Iterable[str]) -> None:
        """Remove the metadata of all seats that the player has ever had in these games of the app.

        If a game's events cannot be read, the metadata of all its seats are removed.
        """
        left = iter(game_ids if self._kept is not None else ())
        while some := [game_id for _, game_id in zip(range(AT_ONCE), left, strict=False)]:
            for game_id, kept in zip(some, self._store.kept(app, some), strict=True):
                if kept is not None and kept.record is not None and kept.record.own.seats:
                    self._forget_seats(app, game_id, player_id)

    def _forget_seats(self, app: str, game_id: str, player_id: str) -> None:
        had = self._seats_of(game_id, player_id)
        for known in self._attempts(app, game_id):
            if known is None or known.record is None:
                return
            seats = set(known.record.own.seats) if had is None else had
            if self.put(app, game_id, known, known.record.without_seats(seats)).kind == "done":
                return
        raise StoreUnavailable("others change the own data of the same game all the time")

    def _seats_of(self, game_id: str, player_id: str) -> set[int] | None:
        """The seats that the player has ever had in the game; None if its events cannot be read."""
        try:
            return {
                seat
                for page in pages(self._events, game_id)
                for event in page
                for seat in _seated(event, player_id)
            }
        except (CorruptStream, GameNotFound):
            return None

    def put(self, app: str, game_id: str, known: Kept | None, record: Record | None) -> Outcome:
        """Store the record as the store's `put` does; ExternalIdTaken if another game has the external id. A game that
        was announced and never created loses its external id.
        """
        for _ in range(ATTEMPTS):
            outcome = self._store.put(app, game_id, known, record)
            if outcome.kind != "taken":
                return outcome
            if not self._is_dead(outcome):
                raise ExternalIdTaken(outcome.game_id)
            self._store.put(app, outcome.game_id, outcome.kept, None)
        raise StoreUnavailable("others take the same external id all the time")

    def _is_dead(self, taken: Outcome) -> bool:
        """True if the game that has the external id was announced and will never exist."""
        if taken.kept is None or taken.kept.record is None or abs(taken.age) < BEGINS:
            return False
        try:
            self._events.secrets(taken.game_id)
        except GameNotFound:
            return True
        return False

    def settle(self, app: str, game: Snapshot) -> None:
        """Record when the game was created. Several processes may carry out one request, and one of them has created
        the game.
        """
        game_id, creation = game.game_id, creation_of(game.secrets.created_at)
        for known in self._attempts(app, game_id):
            if known is None or known.record is None or known.record.at == creation:
                return
            if self.put(app, game_id, known, replace(known.record, at=creation)).kind == "done":
                return

    def _of(self, app: str, game_ids: Sequence[str]) -> Mapping[str, OwnData]:
        if self._kept is None:
            return {}
        found = zip(game_ids, self._kept.kept(app, game_ids), strict=True)
        return {
            game_id: kept.record.own
            for game_id, kept in found
            if kept is not None and kept.record is not None
        }

    def _attempts(self, app: str, game_id: str) -> Iterator[Kept | None]:
        """The record of the game, read again for each attempt."""
        for _ in range(ATTEMPTS):
            yield self._store.kept(app, [game_id])[0]

    @property
    def _store(self) -> OwnDataStore:
        if self._kept is None:
            raise StoreUnavailable("there is no store for own data")
        return self._kept


class Entry:
    """The own data of a game, stored before the game exists, so that nobody sees the game without them.

    A process that dies in between leaves a record without a game: nobody finds it, and its external id is free again
    after a while. In a `with` block, a game that is refused takes its data away again.
    """

    def __init__(self, data: OwnDataOfGames, app: str, game_id: str, record: Record) -> None:
        self._data = data
        self._app = app
        self._game_id = game_id
        self._record = record
        self._made: Kept | None = None

    def make(self) -> None:
        """Store the data, once for each request. Raises ExternalIdTaken, CommandMismatch, StoreUnavailable."""
        record = self._record
        if not record.own:
            return
        outcome = self._data.put(self._app, self._game_id, None, record)
        if outcome.kind == "done":
            self._made = outcome.kept
        elif outcome.kept is None or outcome.kept.record is None:
            raise StoreUnavailable("something else has written where own data stands")
        elif not record.request or outcome.kept.record.request != record.request:
            raise CommandMismatch

    def settle(self, begun: Played) -> None:
        """Record when the game was created, if this or another process carried out a part of the same
        request before.
        """
        if self._record.own and (self._made is None or begun.repeated):
            self._data.settle(self._app, begun.snapshot)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        is_refused = isinstance(error, DomainError | EngineError) and not isinstance(error, StoreUnavailable)
        if is_refused and self._made is not None:
            self._data.put(self._app, self._game_id, self._made, None)


def _check_seats(change: OwnDataChange, seats: int) -> None:
    for at, seat in enumerate(change.seats):
        if seat >= seats:
            raise invalid(f"seats.{at}.seat", f"There is no seat {seat}; the last one is {seats - 1}.")


def _seated(event: RecordedEvent, player_id: str) -> Iterator[int]:
    """The seats at which the event puts the player: of the first event any seat, of others the seat that they are
    about.
    """
    data = event.data
    for number, seat in enumerate(data.get("seats", ())):
        if isinstance(seat, dict) and seat.get("player") == player_id:
            yield number
    if data.get("player") == player_id and event.seat is not None:
        yield event.seat
