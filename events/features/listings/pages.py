"""The listings of apps' games: pages by status, game, player or turn."""

from collections.abc import Mapping, Sequence
from typing import Any

from events.engine.repository import GameRepository
from events.features.listings.port import Page
from events.features.listings.projection import NEWEST, Filters, Listings
from events.features.metadata import Metadata
from events.features.own_data.own_data import OwnDataOfGames
from events.features.own_data.records import OwnData, marks_of
from events.features.players.players import Players
from events.times import milliseconds_of


class Listing:
    """The use cases of listings: a page of an app's games, and the update of a game's line."""

    def __init__(
        self, listings: Listings, games: GameRepository, players: Players, own_data: OwnDataOfGames
    ) -> None:
        self._listings = listings
        self._games = games
        self._players = players
        self._own_data = own_data

    def page(
        self,
        app: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
        order: str = NEWEST,
        player: str | None = None,
        to_act: str | None = None,
        external_id: str | None = None,
        metadata: Metadata | None = None,
        **filters: Any,
    ) -> Page:
        """A page of the app's games, in an order of `events.features.listings.projection`. Raises BadCursor.

        `player` and `to_act` are names or ids of players. The games have this `external_id`, and all of this
        `metadata`. The other parameters are those of `Filters`.
        """
        own = tuple(marks_of(OwnData(external_id, metadata or {})))
        wanted = Filters(
            player=self._listed(app, player), to_act=self._listed(app, to_act), own=own, **filters
        )
        page = self._listings.page(app, wanted, limit=limit, cursor=cursor, order=order)
        for line in page.games:
            line.pop("options", None)  # only the lobby shows them
        self._players.show(seat for line in page.games for seat in line["seats"])
        self._own_data.show(app, page.games)
        return page

    def _listed(self, app: str, player: str | None) -> str | None:
        return None if player is None else self._players.listed_as(app, player)

    def touch(self, game_ids: Sequence[str]) -> None:
        """Note when these games changed last. Raises StoreUnavailable."""
        self._listings.touch(game_ids)

    def outdated(self, versions: Mapping[str, int]) -> list[str]:
        """The games whose lines are older than these versions, and so need an `update`. Raises StoreUnavailable."""
        return self._listings.outdated(versions)

    def update(self, game_id: str, *, anew: bool = False, since: int = 0) -> None:
        """Bring the game's line in its app's listing up to date; safe to repeat, and harmless when it comes late.

        `anew`: even if the line seems to be up to date. `since`: leave out a game that was over before that time, in
        milliseconds.
        """
        current = self._games.current(game_id)
        if not current.is_settled or milliseconds_of(current.updated_at) >= since:
            self._listings.update(current, anew=anew)
