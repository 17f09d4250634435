"""Faults of apps' own data about their games: of no game, unreadable, or not found by its values."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import orjson
from redis.exceptions import ResponseError

from events.features.members import creation_of
from events.features.own_data.redis import RedisOwnData, kept_of
from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.whole_games import RedisGames

OWN_DATA: Final = re.compile(r"\{app:([^}]+)\}:(own-data|games:own-data)")
PAGE: Final = 500  # records looked at in one request

# Whether a game has this record and this entry in the index, at one moment.
# KEYS: records, index. ARGV: game id, the record ("" for none), the entry
LOOK: Final = """
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return -1 end
return redis.call('ZSCORE', KEYS[2], ARGV[3]) and 1 or 0
"""
# Enters or removes an entry of a game, if its record is this one still.
# KEYS: records, index. ARGV: game id, the record ("" for none), the entry, 1 to enter it
FIX: Final = """
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[4] == '1' then return redis.call('ZADD', KEYS[2], 0, ARGV[3]) end
return redis.call('ZREM', KEYS[2], ARGV[3])
"""


@dataclass(frozen=True, slots=True)
class OwnDataCheck:
    """A walk through all records and their indexes, beside a live service. `patience`: in seconds."""

    link: RedisClient
    redis: RedisGames
    archived: Callable[[Collection[str]], set[str]]
    patience: float
    repair: bool

    def findings(self) -> Iterator[Finding]:
        """All faults, but for those of keys of a wrong type, which are reported."""
        for pattern in ("{app:*}:own-data", "{app:*}:games:own-data"):
            for found in self.redis.keys(pattern):
                for key in found:
                    match = OWN_DATA.fullmatch(key.decode(errors="replace"))
                    if match is not None:
                        with suppress(ResponseError):
                            yield from self._of_key(match[1], match[0], match[2])

    def _of_key(self, app: str, key: str, kind: str) -> Iterator[Finding]:
        command, look = ("HSCAN", self._records) if kind == "own-data" else ("ZSCAN", self._entries)
        cursor = b"0"
        while True:
            cursor, flat = self.link.call(command, key, cursor, "COUNT", PAGE)
            yield from look(app, flat)
            if cursor == b"0":
                return

    def _records(self, app: str, flat: list[bytes]) -> Iterator[Finding]:
        records = {
            game.decode(errors="replace"): raw for game, raw in zip(flat[::2], flat[1::2], strict=True)
        }
        there, created = self.redis.existing(list(records)), self._creations(app, list(records))
        there |= self.archived(records.keys() - there)
        for game_id, raw in records.items():
            record = kept_of(raw).record
            if record is None:
                where = keys.own_data(app)
                yield Finding("own-data-bad", game_id, where, "The record cannot be read.")
            elif game_id not in there:
                yield from self._orphan(app, game_id, raw)
            else:
                for entry in sorted(record.entries(game_id)):
                    detail = "The game is not found by a value of its record."
                    yield from self._fault("own-data-unlisted", app, game_id, raw, entry, detail)
                if created.get(game_id, record.at) != record.at:
                    detail = "The game's record has another time of its creation than its line."
                    yield Finding("own-data-bad", game_id, keys.own_data(app), detail)

    def _creations(self, app: str, game_ids: list[str]) -> dict[str, int]:
        """The creation of these games, as far as their lines tell."""
        (lines,) = self.link.calls([("HMGET", keys.lines(app), *game_ids)]) if game_ids else ([],)
        found = {}
        for game_id, line in zip(game_ids, lines if isinstance(lines, list) else [], strict=False):
            try:
                found[game_id] = creation_of(orjson.loads(line.partition(b":")[2])["created_at"])
            except (AttributeError, LookupError, TypeError, ValueError):
                continue  # none, or one that is reported
        return found

    def _orphan(self, app: str, game_id: str, raw: bytes) -> Iterator[Finding]:
        """The fault of own data whose game never came; a game comes within moments of its data."""
        seconds, _ = self.link.call("TIME")
        since = raw.partition(b":")[0]
        if since.isdigit() and abs(int(seconds) - int(since) / 1000) < self.patience:
            return
        where, detail = keys.own_data(app), "The game that it is about is not there."
        finding = Finding("own-data-orphan", game_id, where, detail)
        if self.repair:
            RedisOwnData(self.link).put(app, game_id, kept_of(raw), None)
        yield finding.done() if self.repair else finding

    def _entries(self, app: str, flat: list[bytes]) -> Iterator[Finding]:
        entries = [entry.decode(errors="replace") for entry in flat[::2]]
        games = [entry.rpartition(":")[2] for entry in entries]
        records = self.link.call("HMGET", keys.own_data(app), *games) if games else []
        for entry, game_id, raw in zip(entries, games, records, strict=True):
            record = None if raw is None else kept_of(raw).record
            if record is None and raw is not None:
                continue  # which is reported
            if record is None or entry not in record.entries(game_id):
                detail = "The game is found by a value that it has not."
                yield from self._fault("own-data-listed", app, game_id, raw or b"", entry, detail)

    def _fault(
        self, code: str, app: str, game_id: str, raw: bytes, entry: str, detail: str
    ) -> Iterator[Finding]:
        """The fault, unless somebody has changed the data meanwhile."""
        touched, is_missing = (keys.own_data(app), keys.own_data_index(app)), code == "own-data-unlisted"
        if self.link.script(LOOK, touched, (game_id, raw, entry)) != (0 if is_missing else 1):
            return
        finding = Finding(code, game_id, keys.own_data_index(app), detail)
        fixed = self.repair and self.link.script(FIX, touched, (game_id, raw, entry, int(is_missing)))
        yield finding.done() if fixed else finding
