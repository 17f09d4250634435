"""The listings of apps' games: pages by status, game or player."""

from collections.abc import Mapping, Sequence

from events.games.repository import GameRepository
from events.players.players import Players
from events.ports import Page
from events.projections.listings import NEWEST, Listings


class Listing:
    """The use-cases of listings: a page of an app's games, and a game's line brought up to date."""

    def __init__(self, listings: Listings, games: GameRepository, players: Players) -> None:
        self._listings = listings
        self._games = games
        self._players = players

    def page(
        self,
        app: str,
        *,
        status: str | None = None,
        game: str | None = None,
        player: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        order: str = NEWEST,
        updated_after: int | None = None,
        updated_before: int | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
    ) -> Page:
        """The app's games in an order (`events.projections.listings`), a page at a time, of those that have changed,
        and were created, in these times, in milliseconds. `player` is a name or an id. Raises BadCursor.
        """
        players = None if player is None else self._players.listed_as(app, player)
        page = self._listings.page(
            app,
            status=status,
            game=game,
            players=players,
            limit=limit,
            cursor=cursor,
            order=order,
            updated_after=updated_after,
            updated_before=updated_before,
            created_after=created_after,
            created_before=created_before,
        )
        for line in page.games:
            line.pop("options", None)  # they are for the lobby
        self._players.show(seat for line in page.games for seat in line["seats"])
        return page

    def touch(self, game_ids: Sequence[str]) -> None:
        """Note when these games have changed last; raises StoreUnavailable."""
        self._listings.touch(game_ids)

    def outdated(self, versions: Mapping[str, int]) -> list[str]:
        """Games that need an `update`, being listed as they were before these versions; raises StoreUnavailable."""
        return self._listings.outdated(versions)

    def update(self, game_id: str, *, anew: bool = False) -> None:
        """Bring the game's line in its app's listing up to date; harmless when doubled or late.

        `anew`: also if it seems to be.
        """
        self._listings.update(self._games.current(game_id), anew=anew)
