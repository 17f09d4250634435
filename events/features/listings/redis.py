"""Listings in Redis: a hash of lines for each app, and sorted sets of games; all keys of an app share a hash tag."""

import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from redis.exceptions import ResponseError

from events.errors import CorruptStream
from events.features.listings.port import (
    OWN,
    Band,
    Change,
    Changed,
    Horizon,
    Index,
    Kept,
    Known,
    Place,
    Span,
)
from events.store import horizons, keys
from events.store.connections.client import Argument, RedisClient, Request
from events.store.stream_entries import events_of, last_entry

FINISHED: Final = "finished"
STATUSES: Final = ("waiting", "playing", FINISHED)
AT_ONCE: Final = 500  # the most games whose changes one script notes
NOTED: Final = 60.0  # seconds after which a process notes again that an app has games

# Stores a game's line unless a later one is there, and enters the game into the indexes by which it is found. All
# members have the same score, so that they are sorted by their bytes: creation time, then id. The time of a game's last
# change is its score in one of three more sets, by its status. Each of its players has a set in which the score also
# says how the game stands for that player. A finished game from before the app's horizon is not stored: it would never
# be removed.
# KEYS: lines, the indexes that list the game, the indexes that no longer do, the players' sets, the sets by change: its
#       own, two others; the app's horizon
# ARGV: game id, version, line, member, number of indexes that list the game, 1 to replace a line of the same version,
#       when the game changed last, the scores in the players' sets, 1 if the game is finished
UPDATE = """
local horizon, finished = table.remove(KEYS), table.remove(ARGV)
for _, at in ipairs(finished == '1' and redis.call('HMGET', horizon, 'listed', 'gone') or {}) do
  if (tonumber(at) or 0) > tonumber(ARGV[7]) then return 0 end
end
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and (tonumber(string.match(known, '^%d+')) or 0) >= tonumber(ARGV[2]) + ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. ARGV[3])
local listed, players = 1 + tonumber(ARGV[5]), #ARGV - 7
local others = #KEYS - 3 - players
for at = 2, listed do redis.call('ZADD', KEYS[at], 0, ARGV[4]) end
for at = listed + 1, others do redis.call('ZREM', KEYS[at], ARGV[4]) end
local seen = redis.call('ZSCORE', KEYS[#KEYS - 2], ARGV[4])
if not seen or tonumber(seen) <= tonumber(ARGV[7]) then
  redis.call('ZADD', KEYS[#KEYS - 2], ARGV[7], ARGV[4])
  for at = 1, players do redis.call('ZADD', KEYS[others + at], ARGV[7 + at], ARGV[4]) end
end
for at = #KEYS - 1, #KEYS do redis.call('ZREM', KEYS[at], ARGV[4]) end
return 1
"""

# Removes a game whose line is known.
# KEYS: lines, the indexes that list the game; ARGV: game id, line ("" for none), member
UNLIST = """
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
for at = 2, #KEYS do redis.call('ZREM', KEYS[at], ARGV[3]) end
return 1
"""

# Notes changes of running games, unless a later change is noted already.
# KEYS: the set by change of games that are played, then for each game the sets of its players
# ARGV: for each game its member, when it changed, the number of its players, its scores in their sets
TOUCH = """
local key, at = 1, 1
while at < #ARGV do
  local member, players = ARGV[at], tonumber(ARGV[at + 2])
  local seen = redis.call('ZSCORE', KEYS[1], member)
  if seen and tonumber(seen) <= tonumber(ARGV[at + 1]) then
    redis.call('ZADD', KEYS[1], ARGV[at + 1], member)
    for player = 1, players do redis.call('ZADD', KEYS[key + player], ARGV[at + 2 + player], member) end
  end
  key, at = key + players, at + 3 + players
end
"""

# Stores a game's standing, unless the game has gone on. KEYS: standings, events. ARGV: game id, version, the standing
STAND = """
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if not last or string.match(last[1], '^%d+') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
"""


class RedisListings:
    """The port of listings over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link
        # by app, the time until which it need not be noted again that the app has games
        self._noted = dict[str, float]()

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
        scores: Mapping[str, int],
        *,
        anew: bool = False,
    ) -> None:
        if anew:
            self._note(app)
        status, at = changed
        statuses = sorted(STATUSES, key=lambda one: one != status)  # the game's own status first
        indexes = [_index(app, index) for index in (*listed, *unlisted)]
        indexes += [_games_of(app, player) for player in scores]
        indexes += [_index(app, ("changed", one)) for one in statuses]
        arguments: list[Argument] = [game_id, version, line, member, len(listed), int(anew), at]
        arguments += [*scores.values(), int(status == FINISHED)]
        self._link.script(UPDATE, [keys.lines(app), *indexes, keys.horizon(app)], arguments)

    def _note(self, app: str) -> None:
        """Note that the app has games, unless this process did so lately."""
        now = time.monotonic()
        if self._noted.get(app, 0.0) <= now:
            self._link.call("SADD", keys.LISTED_APPS, app)
            self._noted[app] = now + NOTED

    def apps(self) -> list[str]:
        return [app.decode() for app in self._link.call("SMEMBERS", keys.LISTED_APPS)]

    def horizon(self, app: str) -> Horizon:
        return Horizon(*horizons.read(self._link, app, "listed", "done"))

    def move_horizon(self, app: str, *, listed: int | None = None, done: int | None = None) -> None:
        for name, at in (("listed", listed), ("done", done)):
            if at is not None:
                horizons.move(self._link, app, name, at)

    def clear_horizon(self, app: str) -> None:
        self._link.call("HDEL", keys.horizon(app), "listed", "done")

    def lines(self, app: str, members: Sequence[bytes]) -> list[bytes | None]:
        game_ids = [member.partition(b":")[2] for member in members]
        return list(self._link.call("HMGET", keys.lines(app), *game_ids)) if game_ids else []

    def unlist(self, app: str, member: bytes, line: bytes | None, listed: Sequence[Index]) -> bool:
        indexes = [_index(app, index) for index in listed]
        game_id = member.partition(b":")[2]
        return bool(self._link.script(UNLIST, [keys.lines(app), *indexes], [game_id, line or b"", member]))

    def known(self, game_ids: Sequence[str]) -> list[Known | None]:
        asked: list[Request] = []
        for game_id in game_ids:
            asked.append(("HMGET", keys.secrets(game_id), "app", "created_at", "visibility"))
            asked.append(("HGET", keys.standings(keys.partition_of(game_id)), game_id))
        replies = self._link.calls(asked)
        found = [_known(*pair) for pair in zip(replies[::2], replies[1::2], strict=True)]
        bare = [at for at, one in enumerate(found) if one is not None and one.standing is None]
        entries = self._link.calls([last_entry(keys.stream(game_ids[at])) for at in bare]) if bare else []
        for at, last in zip(bare, entries, strict=True):
            found[at] = _with_last(found[at], last)
        return found

    def stand(self, game_id: str, version: int, standing: bytes) -> None:
        touched = [keys.standings(keys.partition_of(game_id)), keys.stream(game_id)]
        self._link.script(STAND, touched, [game_id, version, standing])

    def touch(self, app: str, changes: Sequence[Change]) -> None:
        left = iter(changes)
        while some := list(islice(left, AT_ONCE)):
            touched = [_games_of(app, player) for change in some for player in change.scores]
            arguments: list[Argument] = []
            for member, at, scores in some:
                arguments += (member, at, len(scores), *scores.values())
            self._link.script(TOUCH, [_index(app, ("changed", "playing")), *touched], arguments)
        self._note(app)

    def kept(self, app: str, members: Sequence[bytes]) -> list[Kept]:
        game_ids = [member.partition(b":")[2].decode() for member in members]
        # The standings are read first: a game whose standing is removed in between has all of it in its line.
        asked: list[Request] = [
            ("HGET", keys.standings(keys.partition_of(game_id)), game_id) for game_id in game_ids
        ]
        asked.append(("HMGET", keys.lines(app), *game_ids))
        asked += [("ZMSCORE", _index(app, ("changed", status)), *members) for status in STATUSES]
        replies = self._link.calls(asked)
        standings, (lines, *found_at) = replies[: len(game_ids)], replies[len(game_ids) :]
        scores = zip(*found_at, strict=True)
        changed = [
            next((int(float(score)) for score in found if score is not None), None) for found in scores
        ]
        return [
            Kept(_document(line), standing if isinstance(standing, bytes) else None, at)
            for line, standing, at in zip(lines, standings, changed, strict=True)
        ]

    def by_change(
        self,
        app: str,
        bands: Sequence[Band],
        within: Span,
        limit: int,
        among: Sequence[bytes] | None = None,
    ) -> list[Place]:
        found = {  # Each game once, where it was found last: its status may change between two reads.
            member: at
            for band in bands
            for at, member in (
                self._changed(app, band, within, limit)
                if among is None
                else self._changed_among(app, band, within, among)
            )
        }
        places = [(at, member) for member, at in found.items()]
        return sorted(places, reverse=within.newest_first)[:limit]

    def _changed(self, app: str, band: Band, within: Span, limit: int) -> list[Place]:
        first, last = _bounds(band, within)
        beyond, down = within.beyond, within.newest_first
        if beyond is not None:
            at = band.first + min(beyond[0], band.width)
            first, last = (first, min(last, at)) if down else (max(first, at), last)
        order = (last, first, "BYSCORE", "REV") if down else (first, last, "BYSCORE")
        key = _index(app, band.index)
        found, offset = list[Place](), 0
        while len(found) < limit:
            flat = self._link.call("ZRANGE", key, *order, "LIMIT", offset, limit, "WITHSCORES")
            places = [
                (int(float(score)) - band.first, member)
                for member, score in zip(flat[::2], flat[1::2], strict=True)
            ]
            found += [
                one for one in places if beyond is None or _is_beyond(one, within)
            ]  # some may have changed in the same millisecond
            if len(places) < limit:
                break
            offset += limit
        return found

    def _changed_among(self, app: str, band: Band, within: Span, among: Sequence[bytes]) -> list[Place]:
        if not among:
            return []
        first, last = _bounds(band, within)
        scores = self._link.call("ZMSCORE", _index(app, band.index), *among)
        places = [
            (int(float(score)) - band.first, member)
            for member, score in zip(among, scores, strict=True)
            if score is not None and first <= int(float(score)) <= last
        ]
        return [one for one in places if within.beyond is None or _is_beyond(one, within)]

    def members(
        self, app: str, index: Index, first: bytes, last: bytes, limit: int, *, newest_first: bool
    ) -> list[bytes]:
        key, mark = _place(app, index)
        bounds = (b"(" + mark + first, b"(" + mark + last)
        order = (*bounds[::-1], "BYLEX", "REV") if newest_first else (*bounds, "BYLEX")
        found = self._link.call("ZRANGE", key, *order, "LIMIT", 0, limit)
        return [member[len(mark) :] for member in found]

    def listed(self, app: str, index: Index, members: Sequence[bytes]) -> list[bool]:
        if not members:
            return []
        key, mark = _place(app, index)
        scores = self._link.call("ZMSCORE", key, *(mark + member for member in members))
        return [score is not None for score in scores]

    def shared(self, app: str, indexes: Sequence[Index]) -> list[bytes]:
        found = self._link.call("ZINTER", len(indexes), *(_index(app, index) for index in indexes))
        return list(found)

    def versions(self, game_ids: Sequence[str]) -> list[int]:
        apps = self._link.calls([("HGET", keys.secrets(game_id), "app") for game_id in game_ids])
        known = [keys.lines(app.decode() if isinstance(app, bytes) else "") for app in apps]
        lines = self._link.calls(
            [("HGET", key, game_id) for key, game_id in zip(known, game_ids, strict=True)]
        )
        return [_version(line) for line in lines]


def _document(line: bytes | None) -> bytes | None:
    """The document of a line, without its version."""
    return None if line is None else line.partition(b":")[2]


def _version(line: Any) -> int:
    version = line.partition(b":")[0] if isinstance(line, bytes) else b""
    return int(version) if version.isdigit() else 0


def _known(about: Any, standing: Any) -> Known | None:
    """The data in a game's own keys; None for a game that is gone, or whose data cannot be read."""
    if isinstance(about, ResponseError) or None in about:
        return None
    app, created_at, visibility = (part.decode() for part in about)
    return Known(app, created_at, visibility, standing if isinstance(standing, bytes) else None, None)


def _with_last(known: Known | None, entries: Any) -> Known | None:
    """The same data with the time of the last event; None if that cannot be read."""
    if known is None or isinstance(entries, ResponseError) or not entries:
        return None
    try:
        return known._replace(last_event=events_of(entries[0])[-1].at)
    except CorruptStream:
        return None


def _is_beyond(place: Place, within: Span) -> bool:
    """True if the place comes after `within.beyond`, which must be there."""
    beyond = within.beyond
    return beyond is not None and (place < beyond if within.newest_first else place > beyond)


def _bounds(band: Band, within: Span) -> tuple[int, int]:
    """The lowest and the highest score of a band within the span of time."""
    most = band.width - 1
    first = 0 if within.first is None else within.first
    last = most if within.last is None else within.last
    return band.first + max(0, first), band.first + min(most, last)


def _games_of(app: str, player: str) -> str:
    return _index(app, ("of", player))


def _place(app: str, index: Index) -> tuple[str, bytes]:
    """The sorted set of an index, and the beginning that its members have there."""
    if index[:1] == (OWN,):
        return keys.own_data_index(app), index[1].encode() + b":"
    return _index(app, index), b""


def _index(app: str, index: Index) -> str:
    return ":".join((f"{{app:{app}}}", "games", *index))
