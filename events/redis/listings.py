"""Listings in Redis: a hash of lines for each app, and sorted sets of games; all keys of an app share a hash tag."""

import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from redis.exceptions import ResponseError

from events.errors import CorruptStream
from events.ports import Changed, Index, Place, Span
from events.redis import keys
from events.redis.connections.client import Argument, RedisClient, Request
from events.redis.stream_entries import events_of, last_entry

STATUSES: Final = ("waiting", "playing", "finished")
NOTED: Final = 60.0  # seconds after which it is noted again that an app has games

# Puts a game's line in unless a later one is there already, and the game into the indexes it can be found by.
# All members have the same score, so that they stand in the order of their bytes: creation time, then id.
# When a game changed last is its score in one of three more sets, by its status.
# KEYS: lines, the indexes that list the game, the indexes that no longer do, the sets by change: its own, two others
# ARGV: game id, version, line, member, number of indexes that list the game, 1 to replace a line of the same version,
#       when the game changed last
UPDATE = """
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and (tonumber(string.match(known, '^%d+')) or 0) >= tonumber(ARGV[2]) + ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. ARGV[3])
local listed = 1 + tonumber(ARGV[5])
for at = 2, listed do redis.call('ZADD', KEYS[at], 0, ARGV[4]) end
for at = listed + 1, #KEYS - 3 do redis.call('ZREM', KEYS[at], ARGV[4]) end
redis.call('ZADD', KEYS[#KEYS - 2], 'GT', ARGV[7], ARGV[4])
for at = #KEYS - 1, #KEYS do redis.call('ZREM', KEYS[at], ARGV[4]) end
return 1
"""


class RedisListings:
    """The port of listings over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        self._noted = dict[str, float]()  # until when it need not be noted again that an app has games

    def put(
        self,
        app: str,
        game_id: str,
        version: int,
        line: bytes,
        member: str,
        listed: Sequence[Index],
        unlisted: Sequence[Index],
        changed: Changed,
        *,
        anew: bool = False,
    ) -> None:
        if anew:
            self._link.calls(self._notes({app}))
        status, at = changed
        statuses = sorted(STATUSES, key=lambda one: one != status)  # its own comes first
        indexes = [_index(app, index) for index in (*listed, *unlisted)]
        indexes += [_by_change(app, one) for one in statuses]
        arguments: list[Argument] = [game_id, version, line, member, len(listed), int(anew), at]
        self._link.script(UPDATE, [keys.lines(app), *indexes], arguments)

    def _notes(self, apps: Iterable[str]) -> list[Request]:
        """The requests by which it is noted that these apps have games, unless that was done lately."""
        now = time.monotonic()
        new = [app for app in apps if self._noted.get(app, 0.0) <= now]
        self._noted.update(dict.fromkeys(new, now + NOTED))
        return [("SADD", keys.LISTED_APPS, *new)] if new else []

    def apps(self) -> list[str]:
        return [app.decode() for app in self._link.call("SMEMBERS", keys.LISTED_APPS)]

    def last_changes(self, game_ids: Sequence[str]) -> list[tuple[str, str, str] | None]:
        asked: list[Request] = []
        for game_id in game_ids:
            asked += [("HMGET", keys.secrets(game_id), "app", "created_at"), last_entry(keys.stream(game_id))]
        replies = self._link.calls(asked)
        return [_last_change(*pair) for pair in zip(replies[::2], replies[1::2], strict=True)]

    def touch(self, changes: Sequence[tuple[str, str, int]]) -> None:
        touched: list[Request] = [
            ("ZADD", _by_change(app, "playing"), "XX", "GT", changed_at, member)
            for app, member, changed_at in changes
        ]
        self._link.calls(touched + self._notes({app for app, *_ in changes}))

    def changed_at(self, app: str, members: Sequence[bytes]) -> list[int | None]:
        asked: list[Request] = [("ZMSCORE", _by_change(app, status), *members) for status in STATUSES]
        scores = zip(*self._link.calls(asked), strict=True)
        return [next((int(float(score)) for score in found if score is not None), None) for found in scores]

    def by_change(self, app: str, statuses: Sequence[str], within: Span, limit: int) -> list[Place]:
        found = {  # each game once, where it was seen last: it may get another status between two looks
            member: at
            for status in statuses
            for at, member in self._changed(_by_change(app, status), within, limit)
        }
        places = [(at, member) for member, at in found.items()]
        return sorted(places, reverse=within.newest_first)[:limit]

    def _changed(self, key: str, within: Span, limit: int) -> list[Place]:
        first: str | int = "-inf" if within.first is None else within.first
        last: str | int = "+inf" if within.last is None else within.last
        beyond, down = within.beyond, within.newest_first
        if beyond is not None:
            first, last = (first, beyond[0]) if down else (beyond[0], last)
        order = (last, first, "BYSCORE", "REV") if down else (first, last, "BYSCORE")
        found, offset = list[Place](), 0
        while len(found) < limit:
            flat = self._link.call("ZRANGE", key, *order, "LIMIT", offset, limit, "WITHSCORES")
            places = [
                (int(float(score)), member) for member, score in zip(flat[::2], flat[1::2], strict=True)
            ]
            found += [
                one for one in places if beyond is None or (one < beyond if down else one > beyond)
            ]  # some may have changed in the same millisecond
            if len(places) < limit:
                break
            offset += limit
        return found

    def members(
        self, app: str, indexes: Sequence[Index], first: bytes, last: bytes, limit: int, *, newest_first: bool
    ) -> set[bytes]:
        bounds = (b"(" + first, b"(" + last)
        order = (*bounds[::-1], "BYLEX", "REV") if newest_first else (*bounds, "BYLEX")
        reading: list[Request] = [
            ("ZRANGE", _index(app, index), *order, "LIMIT", 0, limit) for index in indexes
        ]
        return {member for reply in (self._link.calls(reading) if reading else ()) for member in reply}

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        found = self._link.call("ZINTER", len(indexes), *(_index(app, index) for index in indexes))
        return list(found)

    def lines(self, app: str, game_ids: Sequence[bytes]) -> list[bytes]:
        return [line.partition(b":")[2] for line in self._link.call("HMGET", keys.lines(app), *game_ids)]

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        apps = self._link.calls([("HGET", keys.secrets(game_id), "app") for game_id in game_ids])
        known = [keys.lines(app.decode() if isinstance(app, bytes) else "") for app in apps]
        lines = self._link.calls(
            [("HGET", key, game_id) for key, game_id in zip(known, game_ids, strict=True)]
        )
        return [_version(line) for line in lines]


def _version(line: Any) -> int:
    version = line.partition(b":")[0] if isinstance(line, bytes) else b""
    return int(version) if version.isdigit() else 0


def _last_change(known: Any, entries: Any) -> tuple[str, str, str] | None:
    """App, creation and last event of a game; None for one that is gone, or cannot be read."""
    if isinstance(known, ResponseError) or isinstance(entries, ResponseError) or None in known or not entries:
        return None
    try:
        return known[0].decode(), known[1].decode(), events_of(entries[0])[-1].at
    except CorruptStream:
        return None


def _by_change(app: str, status: str) -> str:
    return _index(app, ("changed", status))


def _index(app: str, index: Index) -> str:
    return ":".join((f"{{app:{app}}}", "games", *index))
