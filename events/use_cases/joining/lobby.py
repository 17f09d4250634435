"""The lobby: the games of an app that wait for players, from the listing's index of them."""

from typing import Final

from domain.lifecycle import Json
from events.errors import GameNotFound
from events.games.repository import GameRepository
from events.log.game_secrets import OPEN
from events.players.players import Players
from events.ports import Page
from events.projections.listings import Listings

ANY: Final = "any"  # whoever may join
WAITING: Final = "waiting"


class Lobby:
    """The use-case of the lobby; like the listing, it may be late, but not for long."""

    def __init__(self, listings: Listings, games: GameRepository, players: Players) -> None:
        self._listings = listings
        self._games = games
        self._players = players

    def page(
        self,
        app: str,
        *,
        game: str | None = None,
        joining: str = OPEN,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page:
        """The app's games that wait for players and are joined that way, newest first. Raises BadCursor."""
        page = self._listings.page(
            app,
            status=WAITING,
            game=game,
            players=None,
            joining=None if joining == ANY else joining,
            limit=limit,
            cursor=cursor,
        )
        games = [line for line in map(self._completed, page.games) if line is not None]
        self._players.show(seat for line in games for seat in line["seats"])
        return Page(games, page.cursor)

    def _completed(self, line: Json) -> Json | None:
        """The line with all that the lobby shows; None for a game that is gone."""
        shown = {name: value for name, value in line.items() if name not in ("result", "updated_at")}
        shown.setdefault("joining", OPEN)
        if "options" not in shown:  # a former release wrote the line
            try:
                shown["options"] = self._games.current(line["id"]).status.options
            except GameNotFound:
                return None
        return shown
