"""Faults between games and the results that ratings rest on: one is missing, or is not that of its game."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from events.engine.access import OF_A_SEAT
from events.errors import CorruptStream
from events.features.ratings.port import Counted
from events.features.ratings.redis.ratings import RedisRatings
from events.features.ratings.results import counted
from events.fsck.findings import Finding
from events.log.snapshot import Snapshot
from events.store import keys
from events.times import milliseconds_of


@dataclass(slots=True)
class ResultCheck:
    """Compares games with their results while they are walked through; memory grows with what is wrong.

    Faults are looked at again in the end, because others may be rebuilding the ratings meanwhile.
    """

    ratings: RedisRatings
    patience: float
    _doubtful: dict[str, tuple[str, Counted | None]] = field(default_factory=dict)

    def look(self, game: Snapshot, now: float) -> None:
        """Note whether the game's result is kept as it is; `now`: the store's time in seconds.

        A game may wait for so long to be counted as it may wait for the engine.
        """
        app = game.secrets.app
        if not game.is_settled or app == OF_A_SEAT:
            return
        if now - milliseconds_of(game.updated_at) / 1000 < self.patience:
            return
        right = counted(game)
        if not self._is_kept(app, game.game_id, right):
            self._doubtful[game.game_id] = app, right

    def findings(self) -> Iterator[Finding]:
        """Faults that remain."""
        for game_id, (app, right) in self._doubtful.items():
            if self._is_kept(app, game_id, right):
                continue
            where = keys.results(app)
            if right is None:
                yield Finding("result-wrong", game_id, where, "It has a result, but the game does not count.")
            elif self.ratings.result(app, game_id) is None:
                yield Finding("result-missing", game_id, where, "The game counts, but has no result here.")
            else:
                detail = "The result is not the one that follows from the game's events."
                yield Finding("result-wrong", game_id, where, detail)

    def _is_kept(self, app: str, game_id: str, right: Counted | None) -> bool:
        try:
            kept = self.ratings.result(app, game_id)
        except CorruptStream:
            return False
        if kept is None and right is not None:  # of old games only those are kept that later ratings need
            return int(right.member.partition(":")[0]) < self.ratings.horizon(app)
        return kept == right
