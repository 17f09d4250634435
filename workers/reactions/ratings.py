"""Updates of ratings after confirmed results."""

import logging

from events.application import Application
from events.errors import StoreUnavailable
from events.features.ratings.leaderboards import Leaderboard
from events.features.ratings.results import SCORED
from events.features.webhooks.event_types import RATED
from events.ports import Feed
from workers.reactions.batch import Batch
from workers.reactions.each_game import EachGame

log = logging.getLogger("migrato.dispatcher")


class RatingUpdates:
    """Enters games whose result was confirmed, and brings the ratings up to date."""

    def __init__(self, application: Application, each: EachGame, feed: Feed) -> None:
        self._leaderboards = application.leaderboards
        self._app_logs = application.app_logs
        self._each = each
        self._feed = feed

    def rate(self, batch: Batch) -> None:
        """Enter the results among these events, fold new results into the ratings, and announce them in the feed.

        If the process dies in between, a repeat does it all again: an announcement that is made twice is logged once.
        Raises StoreUnavailable.
        """
        scored = {entry.game_id: entry.version for entry in batch.in_order if SCORED in entry.types}
        if not scored:
            return
        left, leaderboards = self._leaderboards.outstanding([*scored])
        entered = self._each(left, self._enter, "a game cannot be rated")
        leaderboards |= {game_id: board for game_id, board in entered if board is not None}
        for app, leaderboard in sorted({*leaderboards.values()}):
            try:
                self._leaderboards.fold(app, leaderboard)
            except StoreUnavailable:
                raise
            except Exception:  # foreign data in the store must not stop the games
                log.exception("the ratings of app %s in %s cannot be worked out", app, leaderboard)
        if leaderboards and self._app_logs.is_read():
            for game_id in leaderboards:
                self._feed.say(game_id, scored[game_id], RATED)

    def _enter(self, game_id: str) -> tuple[str, Leaderboard | None]:
        return game_id, self._leaderboards.enter(game_id)
