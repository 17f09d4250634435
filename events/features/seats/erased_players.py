"""Games of erased players: nobody plays against a seat whose player was erased.

Player and game are in different slots of a cluster, so no atomic step can change both. A use case that seats a player
looks again afterwards: it then sees an erasure that had searched for games before, and ends the game.
"""

import secrets as randomness
from typing import Final

from domain.errors import game_over
from domain.lifecycle import AbortGame, Seat
from events.engine.command_handler import CommandHandler, Request
from events.engine.repository import GameRepository
from events.errors import PlayersGone, VersionConflict
from events.features.listings.projection import Listings
from events.features.players.players import Players
from events.features.records.signed_heads import SignedHeads
from events.log.player_ids import is_player_id
from events.log.snapshot import Snapshot
from events.ports import CommandId

ATTEMPTS: Final = 5  # attempts at a game while others sit down or move there


class ErasedPlayers:
    """Ends games of erased players. Raises StoreUnavailable."""

    def __init__(
        self,
        players: Players,
        listings: Listings,
        games: GameRepository,
        handler: CommandHandler,
        heads: SignedHeads,
    ) -> None:
        self._players = players
        self._listings = listings
        self._games = games
        self._handler = handler
        self._heads = heads

    def require_none(self, current: Snapshot) -> None:
        """End a game that waits for players if one of its players was erased: DomainError "game-over"."""
        if self._players.erased(ids_of(current.status.seats)):
            self.end_waiting(current)
            raise game_over()

    def confirm_none(self, seated: Snapshot) -> None:
        """End a game in which a player was seated just now, if one of its players is erased by then: PlayersGone."""
        if self._players.erased(ids_of(seated.status.seats)):
            self._end(seated, if_begun=True)
            raise PlayersGone

    def end_waiting(self, current: Snapshot) -> None:
        """End a game, unless it has begun: then it goes on."""
        self._end(current, if_begun=False)

    def _end(self, current: Snapshot, *, if_begun: bool) -> None:
        identity = CommandId(f"abort~{randomness.token_urlsafe(12)}")
        for _ in range(ATTEMPTS):
            status = current.status
            if status.result is not None or (status.status != "waiting" and not if_begun):
                return
            try:
                command = AbortGame(current.secrets.app)
                after = self._handler.attempt(current, Request(None, command, identity)).snapshot
            except VersionConflict:
                current = self._games.refreshed(current)
                continue
            self._listings.update(self._heads.with_final(after))
            return
        raise VersionConflict(current.version)


def ids_of(seats: tuple[Seat, ...]) -> list[str]:
    """The ids of the players on these seats."""
    return [seat.player for seat in seats if seat.player is not None and is_player_id(seat.player)]
