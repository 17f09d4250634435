"""Faults between finished games and their lines in apps' listings: one is missing, or is not its game's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import orjson
from redis.exceptions import ResponseError

from domain.lifecycle import Json
from events.engine.access import OF_A_SEAT, is_for_its_seats_alone
from events.features.listings.projection import line_document
from events.fsck.findings import Finding
from events.log.serialisers import STANDING
from events.log.snapshot import Snapshot
from events.store import horizons, keys
from events.store.connections.client import RedisClient
from events.times import milliseconds_of

AT_ONCE: Final = 100  # games whose lines are read in one request
# The members of which the game itself tells all.
ALWAYS: Final = ("id", "game", "status", "setup", "visibility", "created_at", "seats", "result")
SINCE: Final = (*STANDING, "finished_at")  # the same, missing in lines of former releases


@dataclass(slots=True)
class LineCheck:
    """Compares finished games with their lines while they are walked through; memory grows with what is wrong."""

    link: RedisClient
    patience: float
    _waiting: dict[str, tuple[str, Json, int]] = field(default_factory=dict)
    _doubtful: dict[str, tuple[str, Json, int]] = field(default_factory=dict)

    def look(self, game: Snapshot, now: float) -> None:
        """Note the game, whose line is compared later; a line may be late by the patience. `now`: in seconds."""
        app = game.secrets.app
        if not game.is_settled or app == OF_A_SEAT:
            return
        if now - milliseconds_of(game.updated_at) / 1000 < self.patience:
            return
        hidden = is_for_its_seats_alone(game.secrets)
        right = orjson.loads(orjson.dumps(line_document(game, hidden=hidden)))
        changed = milliseconds_of(game.updated_at)
        self._waiting[game.game_id] = app, right, changed
        if len(self._waiting) == AT_ONCE:
            self._compare()

    def findings(self) -> list[Finding]:
        """Faults that remain at a second look: others may have made the listings anew meanwhile."""
        self._compare()
        doubtful, found = list(self._doubtful.items()), []
        for first in range(0, len(doubtful), AT_ONCE):
            some = dict(doubtful[first : first + AT_ONCE])
            for game_id, fault in self._faults(some).items():
                found.append(Finding("listing-wrong", game_id, keys.lines(some[game_id][0]), fault))
        return found

    def _compare(self) -> None:
        """Note which of the games that wait differ from their lines."""
        self._doubtful |= {game_id: self._waiting[game_id] for game_id in self._faults(self._waiting)}
        self._waiting.clear()

    def _faults(self, games: Mapping[str, tuple[str, Json, int]]) -> dict[str, str]:
        """Faults of the lines of these games, by id, as they are now."""
        lines = [("HGET", keys.lines(app), game_id) for game_id, (app, _, _) in games.items()]
        found, horizon = dict[str, str](), dict[str, int]()
        for (game_id, (app, right, changed)), kept in zip(
            games.items(), self.link.calls(lines) if lines else [], strict=True
        ):
            if isinstance(kept, ResponseError):
                continue  # of a wrong type, which is reported
            if kept is None and app not in horizon:
                horizon[app] = max(horizons.read(self.link, app, "listed", "gone"))
            if kept is None and changed < horizon[app]:
                continue  # old games are not listed
            fault = _fault(kept, right)
            if fault is not None:
                found[game_id] = fault
        return found


def _fault(kept: bytes | None, right: Json) -> str | None:
    if kept is None:
        return "The game is in no line of its app's listing."
    try:
        line = orjson.loads(kept.partition(b":")[2])
    except ValueError:
        return "The game's line cannot be read."
    wrong = [name for name in ALWAYS if line.get(name) != right.get(name)]
    wrong += [name for name in SINCE if name in line and line[name] != right.get(name)]
    return f"The game's line says something else of its {', '.join(wrong)}." if wrong else None
