"""Faults between finished games and their lines in apps' listings: one is missing, or is not its game's."""

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

# The members of which the game itself tells all.
ALWAYS: Final = ("id", "game", "status", "setup", "visibility", "created_at", "seats", "result")
SINCE: Final = (*STANDING, "finished_at")  # the same, missing in lines of former releases


@dataclass(slots=True)
class LineCheck:
    """Compares finished games with their lines while they are walked through; memory grows with what is wrong."""

    link: RedisClient
    patience: float
    _doubtful: dict[str, tuple[str, Json, int]] = field(default_factory=dict)

    def look(self, game: Snapshot, now: float) -> None:
        """Note whether the game's line is as it should be; it may be late by the patience. `now`: in seconds."""
        app = game.secrets.app
        if not game.is_settled or app == OF_A_SEAT:
            return
        if now - milliseconds_of(game.updated_at) / 1000 < self.patience:
            return
        hidden = is_for_its_seats_alone(game.secrets)
        right = orjson.loads(orjson.dumps(line_document(game, hidden=hidden)))
        changed = milliseconds_of(game.updated_at)
        if self._fault(app, game.game_id, right, changed) is not None:
            self._doubtful[game.game_id] = app, right, changed

    def findings(self) -> list[Finding]:
        """Faults that remain: others may have been making the listings anew meanwhile."""
        found = []
        for game_id, (app, right, changed) in self._doubtful.items():
            fault = self._fault(app, game_id, right, changed)
            if fault is not None:
                found.append(Finding("listing-wrong", game_id, keys.lines(app), fault))
        return found

    def _fault(self, app: str, game_id: str, right: Json, changed: int) -> str | None:
        try:
            kept = self.link.call("HGET", keys.lines(app), game_id)
        except ResponseError:
            return None  # of a wrong type, which is reported
        if kept is None:
            if changed < max(horizons.read(self.link, app, "listed", "gone")):
                return None  # old games are not listed
            return "The game is in no line of its app's listing."
        try:
            line = orjson.loads(kept.partition(b":")[2])
        except ValueError:
            return "The game's line cannot be read."
        wrong = [name for name in ALWAYS if line.get(name) != right.get(name)]
        wrong += [name for name in SINCE if name in line and line[name] != right.get(name)]
        return f"The game's line says something else of its {', '.join(wrong)}." if wrong else None
