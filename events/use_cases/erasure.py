"""Erasing a player: the name goes for good, and with it whatever waits for the player. What was played stays."""

import secrets as randomness
from typing import Final

from domain.errors import game_over
from domain.lifecycle import AbortGame, Seat
from events.errors import CorruptStream, GameNotFound, VersionConflict
from events.games.command_handler import CommandHandler, Request
from events.games.repository import GameRepository
from events.log.player_ids import is_player_id
from events.log.snapshot import Snapshot
from events.players.players import Players
from events.ports import CommandId
from events.projections.listings import Listings
from events.projections.ratings import Ratings
from events.use_cases.joining.quick_match import QuickMatch
from events.use_cases.records.signed_heads import SignedHeads

ATTEMPTS: Final = 5  # at a game that waits, while others sit down there


class Erasure:
    """The use-case of erasure. Raises StoreUnavailable."""

    def __init__(
        self,
        players: Players,
        ratings: Ratings,
        listings: Listings,
        quick_match: QuickMatch,
        games: GameRepository,
        handler: CommandHandler,
        heads: SignedHeads,
    ) -> None:
        self._players = players
        self._ratings = ratings
        self._listings = listings
        self._quick_match = quick_match
        self._games = games
        self._handler = handler
        self._heads = heads

    def erase(self, app: str, player_id: str) -> None:
        """Destroy what is known of the app's player, the ratings with it; end the player's ticket of quick match and
        the games in which the player waits for others. Raises PlayerNotFound.

        If this dies before the player is destroyed, a repeat does all of it. Afterwards nothing that waits is left but
        what was begun in between.
        """
        self._players.get(app, player_id)
        self._end(app, player_id)
        self._players.erase(app, player_id)
        self._ratings.forget(app, player_id)
        self._end(app, player_id)

    def require_people(self, current: Snapshot) -> None:
        """End a game that waits for players if one who sits there was erased: DomainError "game-over"."""
        if self._players.erased(ids_of(current.status.seats)):
            self._abort(current)
            raise game_over()

    def _end(self, app: str, player_id: str) -> None:
        self._quick_match.withdraw(app, player_id)
        for game_id in self._listings.waiting(app, player_id):
            try:
                current = self._games.current(game_id)
            except (GameNotFound, CorruptStream):  # nobody can sit down there
                continue
            if player_id in ids_of(current.status.seats):
                self._abort(current)

    def _abort(self, current: Snapshot) -> None:
        identity = CommandId(f"abort~{randomness.token_urlsafe(12)}")
        for _ in range(ATTEMPTS):
            if current.status.status != "waiting":
                return  # a game that has begun goes on
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
    """The ids of those who sit there."""
    return [seat.player for seat in seats if seat.player is not None and is_player_id(seat.player)]
