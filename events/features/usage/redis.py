"""Usage in Redis: counts in the app's hash slot, and beside them the cursor up to which each source has been counted.

A source is the feed of a partition, or the notes on the queue's server. One script compares the cursor, and changes
counts and cursor. So each note counts once, even if processes die, or several count at the same time.
"""

import secrets as randomness
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from redis.exceptions import ResponseError

from events.errors import StoreUnavailable
from events.features.usage.port import Noted, Slice
from events.features.usage.quotas import DAY, GAMES, KINDS, PERIODS, QUESTIONS
from events.log import usage
from events.log.partitions import PARTITIONS
from events.log.usage import GAMES_CREATED, Used
from events.store import keys
from events.store.connections.client import Argument, RedisClient
from events.store.feed_entries import entry_of, used_of
from events.store.queues.keys import NOTE, NOTES
from events.store.usage_counts import expiry_of, expiry_of_month

GROUP: Final = "usage"  # the feed's reader group for usage; it keeps uncounted entries in the feed
MOST_COUNTS: Final = 400  # counts of a day; further bots are counted together, as others
AT_ONCE: Final = 200  # notes of a source that are read together
NAME: Final = "migrato:used:name"  # the key of the present series of notes, on the queue's server
FIELDS: Final = [b"used", b"of"]

# Counts slices of an app's notes, each if the cursor of its source is before it. Of an app that was deleted meanwhile,
# notes from before the deletion do not count. Returns for each slice '' if it was counted, else the cursor.
# KEYS: cursors, horizon, day, month, reserved games, reserved questions
# ARGV: when the day and the month expire, in seconds; how many counts a day may have; then of each slice its source,
#       its first id, its last id, how many counts and how many reservations follow, these
ADD: Final = """
local function parts(id) return tonumber(string.match(id, '^%d+')), tonumber(string.match(id, '%d+$')) end
local function later(one, other)
  local ms, number = parts(one)
  local other_ms, other_number = parts(other)
  return ms > other_ms or ms == other_ms and number > other_number
end
local function add(key, name, number)
  if string.find(name, ':', 1, true) and redis.call('HEXISTS', key, name) == 0
      and redis.call('HLEN', key) >= tonumber(ARGV[3]) then
    name = string.match(name, '^[^:]+:') .. 'other'
  end
  redis.call('HINCRBY', key, name, number)
end
local gone = tonumber(redis.call('HGET', KEYS[2], 'gone') or -1)
local answers, at = {}, 4
while at <= #ARGV do
  local source, first, last = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local counts, freed = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  at = at + 5
  local cursor = redis.call('HGET', KEYS[1], source)
  if cursor and not later(first, cursor) then
    answers[#answers + 1] = cursor
  else
    answers[#answers + 1] = ''
    if parts(first) > gone then
      redis.call('HSET', KEYS[1], source, last)
      for number = at, at + 2 * counts - 1, 2 do
        add(KEYS[3], ARGV[number], ARGV[number + 1])
        add(KEYS[4], ARGV[number], ARGV[number + 1])
      end
      redis.call('EXPIREAT', KEYS[3], ARGV[1])
      redis.call('EXPIREAT', KEYS[4], ARGV[2])
    end
    for number = at + 2 * counts, at + 2 * counts + freed - 1 do
      redis.call('ZREM', KEYS[5], ARGV[number])
      redis.call('ZREM', KEYS[6], ARGV[number])
    end
  end
  at = at + 2 * counts + freed
end
return answers
"""


# How many of a kind are counted or reserved. This script is part of the one that reserves more, all or none if a quota
# is spent. A reservation ends when it is counted, or after some time; one that would last longer was made before the
# clock was set back.
# KEYS: reserved, day, month
# ARGV: milliseconds for which one is reserved at most, which counts are meant, in Lua's patterns; then the quotas of a
#       day and of a month ('' for none), for how long to reserve, and which
USED: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. now + ARGV[1], '+inf')
local function used(key)
  local sum, counts = redis.call('ZCARD', KEYS[1]), redis.call('HGETALL', key)
  for at = 1, #counts, 2 do
    for form in string.gmatch(ARGV[2], '%S+') do
      if string.match(counts[at], form) then sum = sum + counts[at + 1] end
    end
  end
  return sum
end
"""
RESERVE: Final = (
    USED
    + """
local more = {}
for at = 6, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[at]) then more[#more + 1] = ARGV[at] end
end
if #more == 0 then return '' end
if ARGV[3] ~= '' and used(KEYS[2]) + #more > tonumber(ARGV[3]) then return 'day' end
if ARGV[4] ~= '' and used(KEYS[3]) + #more > tonumber(ARGV[4]) then return 'month' end
for _, which in ipairs(more) do redis.call('ZADD', KEYS[1], now + ARGV[5], which) end
redis.call('PEXPIRE', KEYS[1], 2 * ARGV[1])
return ''
"""
)
USUAL: Final = {
    GAMES: 30_000,
    QUESTIONS: 240_000,
}  # milliseconds until an admitted game or question exists
LONGEST: Final = {GAMES: 30_000, QUESTIONS: 3_900_000}  # of a batch
MEANT: Final = {GAMES: "^created$", QUESTIONS: "^questions: ^hints:"}


class RedisUsage:
    """The ports of usage and of quotas over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def add(self, app: str, day: str, slices: Sequence[Slice]) -> list[str | None]:
        """Count each of the slices as a whole and once, or not at all, as the port says."""
        arguments: list[Argument] = [expiry_of(day), expiry_of_month(day), MOST_COUNTS]
        for one in slices:
            sums = one.counts
            freed = [note.of for note in one.notes if note.of]
            arguments += [one.source, one.notes[0].id, one.notes[-1].id, len(sums), len(freed)]
            for name, number in sums.items():
                arguments += [name, number]
            arguments += freed
        touched = [
            *(keys.usage_cursors(app), keys.horizon(app), keys.usage(app, day), keys.usage(app, day[:7])),
            *(keys.usage_reserved(app, kind) for kind in KINDS),
        ]
        answers: list[bytes] = self._link.script(ADD, touched, arguments)
        return [cursor.decode() or None for cursor in answers]

    def days(self, app: str, days: Sequence[str]) -> list[Mapping[str, int]]:
        """Counts of the app on these days, or in these months."""
        found = self._link.calls([("HGETALL", keys.usage(app, day)) for day in days])
        return [_counts(flat) for flat in found]

    def reserve(
        self,
        app: str,
        kind: str,
        which: Sequence[str],
        quotas: Mapping[str, int],
        now: int,
        seconds: float | None = None,
    ) -> str | None:
        """Reserve all of these of a kind, as the port says."""
        limits = [quotas.get(period, "") for period in PERIODS]
        lasts = USUAL[kind] if seconds is None else min(LONGEST[kind], round(1000 * seconds))
        where, sent = _quota(app, kind, now)
        spent: bytes = self._link.script(RESERVE, where, [*sent, *limits, lasts, *which])
        return spent.decode() or None

    def release(self, app: str, kind: str, which: Sequence[str]) -> None:
        """Remove these reservations."""
        self._link.call("ZREM", keys.usage_reserved(app, kind), *which)

    def used(self, app: str, kind: str, period: str, now: int) -> int:
        """The number of that kind that are counted or reserved in the present day or month."""
        where, sent = _quota(app, kind, now)
        key = "KEYS[2]" if period == DAY else "KEYS[3]"
        return int(self._link.script(f"{USED}return used({key})", where, sent))


def _quota(app: str, kind: str, now: int) -> tuple[list[str], list[Argument]]:
    day = datetime.fromtimestamp(now / 1000, UTC).date().isoformat()
    where = [keys.usage_reserved(app, kind), keys.usage(app, day), keys.usage(app, day[:7])]
    return where, [LONGEST[kind], MEANT[kind]]


class RedisUsageNotes:
    """Notes of usage that the feed does not have, on the queue's server until they are counted."""

    def __init__(self, queue: RedisClient) -> None:
        self._queue = queue

    def note(self, app: str, day: str, counts: Mapping[str, int]) -> None:
        """Add a note with these counts. Raises StoreUnavailable."""
        self._queue.script(f"{NOTE}note(ARGV[1], '')", [NOTES], [usage.text_of(app, day, counts)])


class RedisUsageSource:
    """The feeds of all partitions, and the notes on the queue's server."""

    def __init__(self, link: RedisClient, queue: RedisClient) -> None:
        self._link = link
        self._queue = queue
        self._cursors = dict[int, str]()

    def fresh(self, partitions: Sequence[int]) -> Mapping[str, Sequence[Noted]]:
        """The notes after those that are `done`, by source, as the port says."""
        if not self._cursors:
            self._join()
        found = dict[str, Sequence[Noted]]()
        wanted = [number for number in partitions if number in self._cursors]
        asked = [
            ("XRANGE", keys.feed(number), f"({self._cursors[number]}", "+", "COUNT", AT_ONCE)
            for number in wanted
        ]
        for number, entries in zip(wanted, self._link.calls(asked), strict=True):
            if not isinstance(entries, ResponseError) and entries:
                found[str(number)] = [_of_feed(number, *entry) for entry in entries]
        with suppress(StoreUnavailable):  # games are counted in any case
            found |= self._noted()
        return found

    def _noted(self) -> Mapping[str, Sequence[Noted]]:
        """Notes on the queue's server. If that server has lost them, their ids may begin again, and the source has
        another name.
        """
        asked = [
            ("SET", NAME, randomness.token_hex(8), "NX"),
            ("GET", NAME),
            ("XRANGE", NOTES, "-", "+", "COUNT", AT_ONCE),
        ]
        _, name, entries = self._queue.calls(asked)
        if isinstance(entries, ResponseError) or not entries:
            return {}
        return {f"q:{name.decode()}": [_of_note(*entry) for entry in entries]}

    def done(self, ends: Mapping[str, str]) -> None:
        """Mark the notes of these sources up to these ids as counted."""
        cursors = {int(source): end for source, end in ends.items() if source.isdigit()}
        self._link.calls(
            [("XGROUP", "SETID", keys.feed(number), GROUP, end) for number, end in cursors.items()]
        )
        self._cursors |= cursors
        for source, end in ends.items():
            if not source.isdigit():
                ms, _, number = end.partition("-")
                self._queue.call("XTRIM", NOTES, "MINID", f"{ms}-{int(number) + 1}")

    def _join(self) -> None:
        """Make the reader groups begin where counting ended, or with the oldest entries."""
        numbers = range(PARTITIONS)
        made = [("XGROUP", "CREATE", keys.feed(number), GROUP, "0", "MKSTREAM") for number in numbers]
        self._link.calls(made)  # groups that exist stay as they are
        about = self._link.calls([("XINFO", "GROUPS", keys.feed(number)) for number in numbers])
        self._cursors = {
            number: group[b"last-delivered-id"].decode()
            for number, reply in zip(numbers, about, strict=True)
            if not isinstance(reply, ResponseError)  # a key of a wrong type, which fsck reports
            for group in (dict(zip(flat[::2], flat[1::2], strict=True)) for flat in reply)
            if group[b"name"] == GROUP.encode()
        }


NOTHING: Final = Used("", "", {})


def _of_feed(partition: int, entry_id: bytes, flat: Sequence[bytes]) -> Noted:
    """The note of an entry of the feed; it may have no counts."""
    used = _used(used_of(flat))
    if GAMES_CREATED not in used.counts:
        return Noted(entry_id.decode(), used, "")
    entry = entry_of(partition, entry_id, flat)
    return Noted(entry_id.decode(), used, "" if entry is None else entry.game_id)


@lru_cache(maxsize=1024)
def _used(text: bytes) -> Used:
    """The counts of such a text; cached, because a day has few different ones."""
    return usage.read(text.decode(errors="replace")) or NOTHING


def _of_note(entry_id: bytes, flat: Sequence[bytes]) -> Noted:
    """The note of an entry on the queue's server; it may have no counts."""
    used = usage.read(flat[1].decode(errors="replace")) if flat[::2] == FIELDS else None
    if used is None:
        return Noted(entry_id.decode(), NOTHING, "")
    return Noted(entry_id.decode(), used, flat[3].decode(errors="replace"))


def _counts(flat: Any) -> Mapping[str, int]:
    if isinstance(flat, ResponseError):
        raise flat
    return {name.decode(): int(number) for name, number in zip(flat[::2], flat[1::2], strict=True)}
