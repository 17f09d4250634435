"""Updates of the lines of games in listings."""

import time
from collections.abc import Callable, Collection, Mapping

from domain.interventions import ABORT, HAND_OVER, REPLACEMENT
from events.engine.pending_action import SCORE
from events.features.listings.pages import Listing
from workers.reactions.batch import Batch
from workers.reactions.each_game import EachGame

LISTED = frozenset(
    ("game_created", "seat_taken", "game_started", "game_ended", "game_scored", ABORT, REPLACEMENT, HAND_OVER)
)
SCORED_WITHIN = 1.0  # seconds after which a finished game is listed even without its score


class ListingUpdates:
    """Updates lines. The line of a finished game is left to the game's scorer for a while."""

    def __init__(self, listing: Listing, each: EachGame, now: Callable[[], float] = time.monotonic) -> None:
        self._listing = listing
        self._each = each
        self._now = now
        # Finished games, each with the version to be listed, and the time at which it is listed unscored.
        self._unscored: dict[str, tuple[int, float]] = {}

    def update(self, batch: Batch) -> None:
        """List games whose line these events change."""
        listed = {
            entry.game_id: entry.version for entry in batch.in_order if not LISTED.isdisjoint(entry.types)
        }
        for entry in batch.latest.values():
            if entry.due == SCORE and entry.game_id in listed:  # the scorer lists it
                self._unscored[entry.game_id] = (listed.pop(entry.game_id), self._now() + SCORED_WITHIN)
            else:
                self._unscored.pop(entry.game_id, None)
        self._list(listed)

    def touch(self, games: Collection[str]) -> None:
        """Note when each of these games changed last. Raises StoreUnavailable."""
        self._listing.touch(list(games))

    @property
    def waits_for_scores(self) -> bool:
        """True if a finished game's scorer still has some time left."""
        return bool(self._unscored)

    def list_unscored(self) -> None:
        """List finished games that are still not scored."""
        now = self._now()
        late = {game_id: version for game_id, (version, until) in self._unscored.items() if until <= now}
        self._list(late)
        for game_id in late:
            del self._unscored[game_id]

    def _list(self, versions: Mapping[str, int]) -> None:
        """Update the lines that are older than these versions, with as many requests as one game needs."""
        games = self._listing.outdated(versions) if versions else ()
        self._each(games, self._listing.update, "a game cannot be listed")
