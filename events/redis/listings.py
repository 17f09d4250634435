"""Listings in Redis: a hash of lines for each app, and sorted sets of games; all keys of an app share a hash tag."""

from collections.abc import Sequence
from typing import Any

from events.ports import Index
from events.redis import keys
from events.redis.connections.client import RedisClient

# Puts a game's line in unless a later one is there already, and the game into the indexes it can be found by.
# All members have the same score, so that they stand in the order of their bytes: creation time, then id.
# KEYS: lines, the indexes that list the game, the indexes that no longer do
# ARGV: game id, version, line, member, number of indexes that list the game, 1 to replace a line of the same version
UPDATE = """
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and (tonumber(string.match(known, '^%d+')) or 0) >= tonumber(ARGV[2]) + ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. ARGV[3])
local listed = 1 + tonumber(ARGV[5])
for at = 2, listed do redis.call('ZADD', KEYS[at], 0, ARGV[4]) end
for at = listed + 1, #KEYS do redis.call('ZREM', KEYS[at], ARGV[4]) end
return 1
"""


class RedisListings:
    """The port of listings over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def put(
        self,
        app: str,
        game_id: str,
        version: int,
        line: bytes,
        member: str,
        listed: Sequence[Index],
        unlisted: Sequence[Index],
        *,
        anew: bool = False,
    ) -> None:
        indexes = [_index(app, index) for index in (*listed, *unlisted)]
        self._link.script(
            UPDATE, [_lines(app), *indexes], [game_id, version, line, member, len(listed), int(anew)]
        )

    def members(self, app: str, indexes: Sequence[Index], before: bytes | None, limit: int) -> set[bytes]:
        last = b"+" if before is None else b"(" + before
        reading = [("ZREVRANGEBYLEX", _index(app, index), last, "-", "LIMIT", 0, limit) for index in indexes]
        return {member for reply in (self._link.calls(reading) if reading else ()) for member in reply}

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        found = self._link.call("ZINTER", len(indexes), *(_index(app, index) for index in indexes))
        return list(found)

    def lines(self, app: str, game_ids: Sequence[bytes]) -> list[bytes]:
        return [line.partition(b":")[2] for line in self._link.call("HMGET", _lines(app), *game_ids)]

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        apps = self._link.calls([("HGET", keys.secrets(game_id), "app") for game_id in game_ids])
        known = [_lines(app.decode() if isinstance(app, bytes) else "") for app in apps]
        lines = self._link.calls(
            [("HGET", key, game_id) for key, game_id in zip(known, game_ids, strict=True)]
        )
        return [_version(line) for line in lines]


def _version(line: Any) -> int:
    version = line.partition(b":")[0] if isinstance(line, bytes) else b""
    return int(version) if version.isdigit() else 0


def _lines(app: str) -> str:
    return f"{{app:{app}}}:lines"


def _index(app: str, index: Index) -> str:
    return ":".join((f"{{app:{app}}}", "games", *index))
