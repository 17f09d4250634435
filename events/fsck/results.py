"""Faults between games and the results that ratings rest on: one is missing, or is not that of its game."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from events.engine.access import OF_A_SEAT
from events.features.ratings.port import Counted
from events.features.ratings.redis.ratings import RedisRatings
from events.features.ratings.results import counted
from events.fsck.findings import Finding
from events.log.snapshot import Snapshot
from events.store import keys
from events.times import milliseconds_of

AT_ONCE: Final = 100  # games whose results are read in one request


@dataclass(slots=True)
class ResultCheck:
    """Compares games with their results while they are walked through; memory grows with what is wrong.

    Faults are looked at again in the end, because others may be rebuilding the ratings meanwhile.
    """

    ratings: RedisRatings
    patience: float
    _waiting: dict[str, tuple[str, Counted | None]] = field(default_factory=dict)
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
        self._waiting[game.game_id] = app, counted(game)
        if len(self._waiting) == AT_ONCE:
            self._compare()

    def findings(self) -> Iterator[Finding]:
        """Faults that remain."""
        self._compare()
        doubtful = list(self._doubtful.items())
        for first in range(0, len(doubtful), AT_ONCE):
            some = dict(doubtful[first : first + AT_ONCE])
            for game_id, kept in self._others(some).items():
                app, right = some[game_id]
                if right is None:
                    detail = "It has a result, but the game does not count."
                elif kept is None:
                    yield Finding(
                        *("result-missing", game_id, keys.results(app)),
                        "The game counts, but has no result here.",
                    )
                    continue
                else:
                    detail = "The result is not the one that follows from the game's events."
                yield Finding("result-wrong", game_id, keys.results(app), detail)

    def _compare(self) -> None:
        """Note those of the waiting games whose kept result is not the right one."""
        self._doubtful |= {game_id: self._waiting[game_id] for game_id in self._others(self._waiting)}
        self._waiting.clear()

    def _others(self, games: Mapping[str, tuple[str, Counted | None]]) -> dict[str, Counted | None]:
        """The wrong results among those that are kept of these games, by id; None for a missing one."""
        by_app, found, horizon = dict[str, list[str]](), dict[str, Counted | None](), dict[str, int]()
        for game_id, (app, _) in games.items():
            by_app.setdefault(app, []).append(game_id)
        for app, ids in by_app.items():
            for game_id, kept in self.ratings.entered(app, ids).items():
                _, right = games[game_id]
                if kept == right:
                    continue
                if kept is None and right is not None:
                    if app not in horizon:
                        horizon[app] = self.ratings.horizon(app)
                    if int(right.member.partition(":")[0]) < horizon[app]:
                        continue  # of old games only those are kept that later ratings need
                found[game_id] = kept
        return found
