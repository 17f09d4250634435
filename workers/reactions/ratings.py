"""Ratings: results that were confirmed count."""

import logging

from events.errors import StoreUnavailable
from events.features.ratings.leaderboards import Leaderboards
from events.features.ratings.results import SCORED
from workers.reactions.batch import Batch
from workers.reactions.each_game import EachGame

log = logging.getLogger("migrato.dispatcher")


class RatingUpdates:
    """Lets games count whose result was confirmed, and brings the ratings up to date."""

    def __init__(self, leaderboards: Leaderboards, each: EachGame) -> None:
        self._leaderboards = leaderboards
        self._each = each

    def rate(self, batch: Batch) -> None:
        """Enter the results among these events, and fold new results into the ratings. Raises StoreUnavailable."""
        scored = [entry.game_id for entry in batch.in_order if SCORED in entry.types]
        if not scored:
            return
        games, leaderboards = self._leaderboards.outstanding(scored)
        entered = self._each(games, self._leaderboards.enter, "a game cannot be rated")
        for app, leaderboard in sorted({*leaderboards, *(one for one in entered if one is not None)}):
            try:
                self._leaderboards.fold(app, leaderboard)
            except StoreUnavailable:
                raise
            except Exception:  # what else wrote there must not stop the games
                log.exception("the ratings of app %s in %s cannot be worked out", app, leaderboard)
