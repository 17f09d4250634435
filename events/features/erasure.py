"""Erasure of a player: it removes the name, and ends everything that waits for the player. Games that were
played stay.
"""

from events.engine.repository import GameRepository
from events.errors import CorruptStream, GameNotFound
from events.features.listings.projection import Listings
from events.features.matchmaking.quick_match import QuickMatch
from events.features.own_data.own_data import OwnDataOfGames
from events.features.players.players import Players
from events.features.ratings.port import CountingGames
from events.features.ratings.ratings import Ratings
from events.features.seats.erased_players import ErasedPlayers, ids_of


class Erasure:
    """The use case of erasure. Raises StoreUnavailable."""

    def __init__(
        self,
        players: Players,
        ratings: Ratings,
        listings: Listings,
        own_data: OwnDataOfGames,
        quick_match: QuickMatch,
        games: GameRepository,
        erased_players: ErasedPlayers,
        counting: CountingGames | None = None,
    ) -> None:
        self._players = players
        self._ratings = ratings
        self._listings = listings
        self._own_data = own_data
        self._quick_match = quick_match
        self._games = games
        self._erased_players = erased_players
        self._counting = counting

    def erase(self, app: str, player_id: str) -> None:
        """Destroy the record and the ratings of the app's player, and the app's metadata of the seats that the player
        has had. End the player's quick-match ticket, and the games in which the player waits for others. Raises
        PlayerNotFound.

        If the process dies before the record is destroyed, a repeat does all of it. Afterwards only requests that began
        in between may leave something that waits for the player.
        """
        self._players.get(app, player_id)
        self._end(app, player_id)
        self._own_data.forget_player(app, player_id, self._listings.of_player(app, player_id))
        self._players.erase(app, player_id)
        self._ratings.forget(app, player_id)
        if self._counting is not None:
            self._counting.forget(app, player_id)
        self._end(app, player_id)

    def _end(self, app: str, player_id: str) -> None:
        self._quick_match.withdraw(app, player_id)
        for game_id in self._listings.waiting(app, player_id):
            try:
                current = self._games.current(game_id)
            except (GameNotFound, CorruptStream):  # nobody can sit down in such a game
                continue
            if player_id in ids_of(current.status.seats):
                self._erased_players.end_waiting(current)
