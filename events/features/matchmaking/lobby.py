"""The lobby: the games of an app that wait for players, read from the listing's index of them."""

from typing import Final

from domain.lifecycle import Json
from events.features.listings.port import Page
from events.features.listings.projection import Filters, Listings
from events.features.players.players import Players
from events.log.game_secrets import OPEN
from events.log.serialisers import STANDING

ANY: Final = "any"  # all ways of joining
WAITING: Final = "waiting"


class Lobby:
    """The use case of the lobby; like the listing, the lobby may be late, but not for long."""

    def __init__(self, listings: Listings, players: Players) -> None:
        self._listings = listings
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
        """The app's games that wait for players and that players join in that way, newest first. Raises BadCursor."""
        page = self._listings.page(
            app,
            Filters(status=WAITING, game=game, joining=None if joining == ANY else joining),
            limit=limit,
            cursor=cursor,
        )
        games = [_shown(line) for line in page.games]
        self._players.show(seat for line in games for seat in line["seats"])
        return Page(games, page.cursor)


def _shown(line: Json) -> Json:
    shown = {name: line[name] for name in line if name not in ("result", *STANDING)}
    return shown | {"joining": line.get("joining", OPEN)}
