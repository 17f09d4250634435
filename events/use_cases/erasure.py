"""Erasing a player: the name goes for good, and with it whatever waits for the player. What was played stays."""

from events.errors import CorruptStream, GameNotFound
from events.games.repository import GameRepository
from events.players.players import Players
from events.ports import CountingGames
from events.projections.listings import Listings
from events.projections.ratings import Ratings
from events.use_cases.joining.attendance import Attendance, ids_of
from events.use_cases.joining.quick_match import QuickMatch


class Erasure:
    """The use-case of erasure. Raises StoreUnavailable."""

    def __init__(
        self,
        players: Players,
        ratings: Ratings,
        listings: Listings,
        quick_match: QuickMatch,
        games: GameRepository,
        attendance: Attendance,
        counting: CountingGames | None = None,
    ) -> None:
        self._players = players
        self._ratings = ratings
        self._listings = listings
        self._quick_match = quick_match
        self._games = games
        self._attendance = attendance
        self._counting = counting

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
        if self._counting is not None:
            self._counting.forget(app, player_id)
        self._end(app, player_id)

    def _end(self, app: str, player_id: str) -> None:
        self._quick_match.withdraw(app, player_id)
        for game_id in self._listings.waiting(app, player_id):
            try:
                current = self._games.current(game_id)
            except (GameNotFound, CorruptStream):  # nobody can sit down there
                continue
            if player_id in ids_of(current.status.seats):
                self._attendance.end_waiting(current)
