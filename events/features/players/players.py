# compiled into serving
"""Players: games refer to them by opaque ids. Their names are stored beside the games, and can be destroyed."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from threading import Lock
from typing import Final

from domain.lifecycle import Json, Seat
from events.errors import PlayerNotFound, PlayersGone, StoreUnavailable
from events.features.players.names import canonical
from events.features.players.port import PlayerRecord, PlayerStore, StoredPlayer
from events.log.player_ids import is_player_id

FORGETS_AFTER: Final = (
    10.0  # seconds for which a process may go on showing a name that another process has erased
)
CACHE_SIZE: Final = 20_000  # names
Names = tuple[
    str | None, str | None
]  # of a player: the app's, and the one that people are shown; None for none

NAMELESS: Final[Names] = (None, None)
# the time and the names of a player about whom nothing is cached
_NEVER: Final[tuple[float, Names]] = (-inf, NAMELESS)


@dataclass(frozen=True, slots=True)
class Player:
    """A player of an app; `created_at` is RFC 3339 UTC."""

    id: str
    name: str
    created_at: str
    display_name: str | None = None


class Players:
    """Translates names to ids and ids to names, and erases players. Safe to share among threads and greenlets."""

    def __init__(self, store: PlayerStore, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds, for the age of cached names."""
        self._store = store
        self._clock = clock
        # in the order in which they were read, the latest last
        self._names = OrderedDict[str, tuple[float, Names]]()
        self._lock = Lock()

    def seated(
        self, app: str, seats: Sequence[Seat], at: str, approve: Callable[[], object]
    ) -> tuple[Seat, ...]:
        """The seats with ids in place of names, for events. New players are created, `at` being the time.

        Seats that have ids already (no name has that form) keep them; PlayersGone if one of these players was erased.
        `approve` is called before a player is created, and raises what speaks against the game.

        Seats that hold ids already (no name has that form) keep them; PlayersGone where one of these was erased.
        `approve` is called before anybody is made, and raises what speaks against it.
        """
        for seat in seats:
            if seat.player is not None and is_player_id(seat.player) and not self._store.keep(seat.player):
                raise PlayersGone
        named = [seat.player for seat in seats if seat.player is not None and not is_player_id(seat.player)]
        if not named:
            return tuple(seats)
        try:
            ids = self._known(app, named)
        except StoreUnavailable:
            approve()  # an impossible game is refused even if the store does not answer
            raise
        if None in ids.values():
            approve()
            ids = {name: player_id or self.enrol(app, name, at) for name, player_id in ids.items()}
        return tuple(
            [replace(seat, player=ids[seat.player]) if seat.player in ids else seat for seat in seats]
        )

    def _known(self, app: str, names: Sequence[str]) -> dict[str, str | None]:
        """The players' ids, by the names as they were given."""
        asked = list(dict.fromkeys(map(canonical, names)))
        ids = dict(zip(asked, self._store.known(app, asked), strict=True))
        return {name: ids[canonical(name)] for name in names}

    def known(self, app: str, name: str) -> str | None:
        """The id of the app's player of that name; None if there is none."""
        return self._known(app, [name])[name]

    def enrol(self, app: str, name: str, at: str) -> str:
        """The id of the app's player of that name, the same each time; a new player is created."""
        return self.seeking(app, name, at, None)

    def seeking(self, app: str, name: str, at: str, seconds: int | None) -> str:
        """The id of a player who may have no game yet; a new player without one is removed after so many seconds."""
        return self._enrol(PlayerRecord(canonical(name), app, at), "", seconds)

    def seeks(self, player_id: str, seconds: int) -> bool:
        """Keep a player without a game for so many seconds more. Returns True if the player still exists."""
        return self._store.keep(player_id, seconds)

    def guest(self, app: str, game_id: str, seat: int, name: str, at: str) -> str:
        """The id of a guest who sits down as `name` at a game of the app, without the app's word; it is valid for this
        seat only.

        The app can read and erase guests as it can its players; a guest is never a player whom the app itself named.
        """
        return self._enrol(PlayerRecord(canonical(name), app, at), f"{game_id}/{seat}")

    def _enrol(self, record: PlayerRecord, place: str, seconds: int | None = None) -> str:
        return self._store.enrol(record, place, seconds)

    def listed_as(self, app: str, player: str) -> str:
        """Id under which the games of the app's player, a name or an id, are listed; an unknown name gives an id
        without games.
        """
        return player if is_player_id(player) else self._store.known(app, [canonical(player)])[0] or player

    def get(self, app: str, player_id: str) -> Player:
        """The app's player; PlayerNotFound also for another app's."""
        record = self._of_app(app, player_id).record
        return Player(player_id, record.name, record.created_at, record.display_name)

    def named(self, app: str, name: str) -> Player | None:
        """The app's player of that name, which is the app's own id of the player; None if there is none."""
        player_id = self.known(app, name)
        if player_id is None:
            return None
        try:
            return self.get(app, player_id)
        except PlayerNotFound:  # erased meanwhile
            return None

    def rename(self, app: str, player_id: str, display_name: str | None) -> Player:
        """Change the display name of the app's player. Raises PlayerNotFound.

        This process shows the new name immediately, others do within FORGETS_AFTER seconds.
        """
        record, now = self._of_app(app, player_id).record, self._clock()
        shown = None if display_name is None else canonical(display_name)
        if not self._store.rename(player_id, shown):
            raise PlayerNotFound
        self._keep(player_id, (record.name, shown), now)
        return Player(player_id, record.name, record.created_at, shown)

    def erase(self, app: str, player_id: str) -> None:
        """Destroy all stored data of the app's player, in one step. Raises PlayerNotFound.

        This process forgets the name immediately, others do within FORGETS_AFTER seconds.
        """
        kept = self._of_app(app, player_id)
        self._store.erase(player_id, kept.digest)
        self._keep(player_id, NAMELESS, self._clock())

    def forget_guest(self, player_id: str) -> None:
        """Remove the record of a guest who did not get the seat."""
        (kept,) = self._store.read([player_id])
        if kept is not None:
            self._store.erase(player_id, kept.digest, at_once=False)

    def erased(self, player_ids: Sequence[str]) -> set[str]:
        """Those of these players who no longer exist. Raises StoreUnavailable."""
        found = self._store.read(list(player_ids))
        return {player_id for player_id, kept in zip(player_ids, found, strict=True) if kept is None}

    def records(self, player_ids: Sequence[str]) -> dict[str, PlayerRecord]:
        """The records of those of these players who exist. Raises StoreUnavailable."""
        found = zip(player_ids, self._store.read(list(player_ids)), strict=True)
        return {player_id: kept.record for player_id, kept in found if kept is not None}

    def settle_erasures(self) -> None:
        """Remove erased players from the store's files, too. Call it now and then."""
        self._store.settle_erasures()

    def show(self, seats: Iterable[Json]) -> None:
        """Add the names and display names of the players to these seat documents.

        The name stays None if the player was erased, and also if the store does not answer: a game goes on without
        names.
        """
        of_players = [seat for seat in seats if "player_id" in seat]
        names = self.names([seat["player_id"] for seat in of_players])
        for seat in of_players:
            seat["player"], display_name = names[seat["player_id"]]
            if display_name is not None:
                seat["display_name"] = display_name

    def names(self, player_ids: Iterable[str]) -> dict[str, Names]:
        """Names of players; NAMELESS for those who were erased, and for those whose store does not answer."""
        now, names, missing = self._clock(), dict[str, Names](), dict[str, Names]()
        for player_id in player_ids:
            known_at, name = self._names.get(player_id, _NEVER)
            names[player_id] = name
            if now - known_at >= FORGETS_AFTER:
                missing[player_id] = NAMELESS
        if missing:
            try:
                found = self._store.read(list(missing))
            except StoreUnavailable:
                return names | missing
            for player_id, kept in zip(missing, found, strict=True):
                names[player_id] = NAMELESS if kept is None else _names_in(kept.record)
                self._keep(player_id, names[player_id], now)
        return names

    def _of_app(self, app: str, player_id: str) -> StoredPlayer:
        (kept,) = self._store.read([player_id])
        if kept is None or kept.record.app != app:
            raise PlayerNotFound
        return kept

    def _keep(self, player_id: str, names: Names, at: float) -> None:
        """Cache names that were true at that time, unless newer ones are cached."""
        with self._lock:
            if self._names.get(player_id, _NEVER)[0] <= at:
                self._names[player_id] = (at, names)
                self._names.move_to_end(player_id)
                if len(self._names) > CACHE_SIZE:
                    self._names.popitem(last=False)


def _names_in(record: PlayerRecord) -> Names:
    return record.name, record.display_name
