"""Whole games in Redis: read at one moment, removed, put back; each by one script that may be sent twice."""

import re
import secrets as randomness
import time
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from typing import Any, Final

from domain.interventions import ABORT
from events.errors import CorruptStream
from events.log.envelope import RecordedEvent
from events.log.stored_form import StoredGame
from events.ports import Ended, Found, LockLost, Whereabouts, is_drawn
from events.store import keys
from events.store.connections.client import Argument, RedisClient
from events.store.stream_entries import (
    ENDS_WITH,
    RawEntry,
    entries_of,
    events_of,
    last_entry,
    packed_events,
    packed_heads,
    place,
)

SCAN: Final = 500  # keys looked at in one request
LAST: Final = frozenset(("game_scored", ABORT))  # events after which nothing follows
LOCK_MS: Final = 20_000  # after which a lock expires whose holder has died
STREAM: Final = re.compile(rb"\{p[0-9]{3}\}:events:(.+)", re.DOTALL)

# All that there is of a game, at one moment. What stands beside its stream in a key of a wrong type counts as missing.
# Before the hashes come the id of the last entry that the stream ever had, "" where it is not known, the deadline,
# and how the game stands.
# KEYS: events, due, restored, archiving, deadlines, standings, then the hashes beside the events; ARGV: game id
WHOLE = """
local function hash(missing, ...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then return missing end
  return reply
end
local found = {redis.call('XRANGE', KEYS[1], '-', '+'), hash(false, 'HGET', KEYS[2], ARGV[1]),
  hash(false, 'HGET', KEYS[3], ARGV[1]), redis.call('EXISTS', KEYS[4]), redis.call('TIME'), '',
  hash(false, 'ZSCORE', KEYS[5], ARGV[1]), hash(false, 'HGET', KEYS[6], ARGV[1])}
local about = hash({}, 'XINFO', 'STREAM', KEYS[1])
for at = 1, #about, 2 do
  if about[at] == 'last-generated-id' then found[6] = about[at + 1] end
end
for at = 7, #KEYS do found[at + 2] = hash({}, 'HGETALL', KEYS[at]) end
return found
"""

# Removes a game that an archive file holds, if it is still what the file holds and nobody has brought it back since.
# KEYS: events, due, restored, archiving, archived, then the hashes beside the events
# ARGV: game id, the lock's token, version, head (32 bytes), the mark of a restored game ("" for none), file, then the
#       number of the stream's entries and the sizes of the hashes
REMOVE = (
    ENDS_WITH
    + """
if redis.call('GET', KEYS[4]) ~= ARGV[2] then return 'lost' end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not last then return 'gone' end
if string.match(last[1], '^%d+') ~= ARGV[3] or not ends_with(last, ARGV[4]) then return 'changed' end
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[7]) then return 'changed' end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 'changed' end
if (redis.call('HGET', KEYS[3], ARGV[1]) or '') ~= ARGV[5] then return 'changed' end
for at = 6, #KEYS do
  if redis.call('HLEN', KEYS[at]) ~= tonumber(ARGV[at + 2]) then return 'changed' end
end
redis.call('SET', KEYS[5], ARGV[6])
for at = 6, #KEYS do redis.call('DEL', KEYS[at]) end
redis.call('DEL', KEYS[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return 'removed'
"""
)

# Puts a game back, whole, and marks it as brought back; refuses where there is another one.
# KEYS: events, due, restored, then the hashes beside the events
# ARGV: game id, version, head (32 bytes), seed, for each hash the number of its fields, those fields and values; then
#       for each append the number of its events, their lines, their heads, and their command
RESTORE = (
    ENDS_WITH
    + """
local now = redis.call('TIME')
local stamp = now[1] .. string.format('%03d', math.floor(now[2] / 1000))
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  if string.match(last[1], '^%d+') ~= ARGV[2] or not ends_with(last, ARGV[3]) then return 'different' end
  local version = 0
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
    local there, count = string.match(entry[1], '^(%d+)-(%d+)$')
    version = version + math.max(1, count)
    if version ~= tonumber(there) then return 'different' end
  end
  redis.call('HSET', KEYS[3], ARGV[1], stamp)
  return 'present'
end
for at = 4, #KEYS do
  local seed = redis.call('HGET', KEYS[at], 'seed')
  if seed and seed ~= ARGV[4] then return 'different' end
end
local place = 5
for at = 4, #KEYS do
  redis.call('DEL', KEYS[at])
  local fields = tonumber(ARGV[place])
  for field = place + 1, place + 2 * fields, 2 do redis.call('HSET', KEYS[at], ARGV[field], ARGV[field + 1]) end
  place = place + 1 + 2 * fields
end
local version = 0
for at = place, #ARGV, 4 do
  version = version + ARGV[at]
  redis.call('XADD', KEYS[1], version .. '-' .. ARGV[at],
    'events', ARGV[at + 1], 'heads', ARGV[at + 2], 'command', ARGV[at + 3])
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], stamp)
return 'restored'
"""
)

# Takes the lock, unless somebody else holds it. A lock that would last longer than a new one, because the clock was set
# back, is cut to that time: its holder renews it, or has died. KEYS: the lock; ARGV: token, milliseconds
LOCK = """
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
"""
EXTEND = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


class RedisGames:
    """Whole games in Redis. Every method may raise StoreUnavailable."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def whole(self, game_id: str) -> Found:
        """All keys of the game, at one moment."""
        partition = keys.partition_of(game_id)
        places = (
            *(keys.due(partition), keys.restored(partition), keys.archiving(partition)),
            *(keys.deadlines(partition), keys.standings(partition)),
        )
        stream, due, restored, moving, now, last, deadline, standing, *beside = self._link.script(
            WHOLE, (keys.stream(game_id), *places, *_beside(game_id)), (game_id,)
        )
        hashes = {kind: _fields(flat) for kind, flat in zip(keys.BESIDE, beside, strict=True)}
        sizes = (len(stream), *map(len, hashes.values()))
        kept = tuple(event for entry in stream for event in entries_of(entry))
        hashes["commands"] = _drawn_commands(stream) | hashes["commands"]
        return Found(
            StoredGame(game_id, kept, hashes),
            sizes,
            _gaps(stream),
            last.decode() if stream and last and last != stream[-1][0] else None,
            None if due is None else due.decode(errors="replace"),
            None if restored is None else restored.decode(errors="replace"),
            bool(moving),
            int(now[0]) + int(now[1]) / 1e6,
            None if deadline is None else deadline.decode(),
            standing,
        )

    def keys(self, pattern: str) -> Iterator[list[bytes]]:
        """All keys that fit the pattern, some at a time; one may come twice, one that comes and goes not at all."""
        cursor = b"0"
        while True:
            cursor, found = self._link.call("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN)
            yield list(found)
            if cursor == b"0":
                return

    def ids(self) -> Iterator[list[str]]:
        """The ids of all games that have a stream, some at a time; one may come twice."""
        for found in self.keys("{p???}:events:*"):
            yield [match[1].decode() for key in found if (match := STREAM.fullmatch(key))]

    def ended(self) -> Iterator[Ended]:
        """The games whose last event ends them for good."""
        for ids in self.ids():
            requests: list[tuple[Argument, ...]] = [last_entry(keys.stream(game_id)) for game_id in ids]
            requests += [("HGET", keys.restored(keys.partition_of(game_id)), game_id) for game_id in ids]
            replies = self._link.calls(requests) if requests else []
            for game_id, last, mark in zip(ids, replies, replies[len(ids) :], strict=False):
                event = _last_event(last)
                if event is not None and event.type in LAST:
                    known = isinstance(mark, bytes) and mark.isdigit()  # of others `migrato fsck` tells
                    yield Ended(game_id, event.at, mark.decode() if known else None)

    def existing(self, game_ids: list[str]) -> set[str]:
        """Those of the games that have a stream."""
        there = (
            self._link.calls([("EXISTS", keys.stream(game_id)) for game_id in game_ids]) if game_ids else []
        )
        return {game_id for game_id, exists in zip(game_ids, there, strict=True) if exists}

    def stamp(self, partition: int) -> str | None:
        """Stamp that changes with every move of a game of the partition."""
        return self.stamps([partition])[partition]

    def stamps(self, partitions: Collection[int]) -> dict[int, str | None]:
        """The stamps of several partitions, by number."""
        asked = [("GET", keys.archived(partition)) for partition in partitions]
        found = zip(partitions, self._link.calls(asked) if asked else [], strict=True)
        # `migrato fsck` tells of a stamp of a wrong type.
        return {number: stamp.decode() if isinstance(stamp, bytes) else None for number, stamp in found}

    def whereabouts(self, game_id: str) -> Whereabouts:
        """Place of the game: if it has a stream, the stamp of its partition, and the day of a game that was pruned.

        The stamp is read after the stream was found missing, and is set by the very step that removes the stream: so
        what has been moved meanwhile is found.
        """
        partition = keys.partition_of(game_id)
        has, stamp, day = self._link.calls(
            [
                ("EXISTS", keys.stream(game_id)),
                ("GET", keys.archived(partition)),
                ("HGET", keys.pruned(partition), game_id),
            ]
        )
        known = isinstance(day, bytes) and day.isdigit()  # of others `migrato fsck` tells
        return Whereabouts(bool(has), None if stamp is None else stamp.decode(), int(day) if known else None)

    def note_pruned(self, day: int, game_ids: list[str]) -> None:
        """Note these games as pruned: they ended on that day, and are in no file any more."""
        by_partition: dict[int, list[Argument]] = {}
        for game_id in game_ids:
            by_partition.setdefault(keys.partition_of(game_id), []).extend((game_id, day))
        self._link.calls(
            [("HSET", keys.pruned(partition), *fields) for partition, fields in by_partition.items()]
        )

    def pruned(self, game_ids: list[str]) -> set[str]:
        """Those of the games that are noted as pruned."""
        return set(self.pruned_on(game_ids))

    def pruned_on(self, game_ids: list[str]) -> dict[str, str]:
        """The noted day (since 1970) of each of these games that was pruned, by id."""
        asked = [("HGET", keys.pruned(keys.partition_of(game_id)), game_id) for game_id in game_ids]
        days = self._link.calls(asked) if asked else []
        known = zip(game_ids, days, strict=True)
        return {game_id: day.decode(errors="replace") for game_id, day in known if isinstance(day, bytes)}

    def pruned_of(self, partition: int) -> dict[str, str]:
        """The days, since 1970, of all games of the partition that were pruned, by id."""
        (flat,) = self._link.calls([("HGETALL", keys.pruned(partition))])
        if not isinstance(flat, list):
            return {}  # of a wrong type: `migrato fsck` tells
        texts = [part.decode(errors="replace") for part in flat]
        return dict(zip(texts[::2], texts[1::2], strict=True))

    def is_retaining(self) -> bool:
        """True if somebody lets old games go just now."""
        return bool(self._link.call("EXISTS", keys.RETAINING))

    def remove(self, found: Found, token: str, file: str) -> str:
        """Remove a game that the file holds: "removed"; "gone", "changed" or "lost" (the lock) if nothing was done."""
        raw, partition = found.raw, keys.partition_of(found.raw.game_id)
        places = (keys.due(partition), keys.restored(partition), keys.archiving(partition))
        arguments: list[Argument] = [raw.game_id, token, raw.version, bytes.fromhex(raw.head)]
        arguments += [found.restored or "", file, *found.sizes]
        named = (keys.stream(raw.game_id), *places, keys.archived(partition), *_beside(raw.game_id))
        return str(self._link.script(REMOVE, named, arguments).decode())

    def restore(self, raw: StoredGame) -> str:
        """Put a game back: "restored", "present" (the very same is there), or "different", and then nothing is done."""
        partition = keys.partition_of(raw.game_id)
        arguments: list[Argument] = [raw.game_id, raw.version, bytes.fromhex(raw.head)]
        arguments.append(raw.beside["secrets"]["seed"])
        for kind in keys.BESIDE:
            fields = raw.beside[kind]
            if kind == "commands":
                fields = {command: record for command, record in fields.items() if not is_drawn(command)}
            arguments += [len(fields), *(part for field in fields.items() for part in field)]
        for command, events in groupby(raw.events(), lambda event: event.command):
            appended = list(events)
            arguments += [len(appended), packed_events(appended), packed_heads(appended), command or ""]
        places = (keys.stream(raw.game_id), keys.due(partition), keys.restored(partition))
        return str(self._link.script(RESTORE, (*places, *_beside(raw.game_id)), arguments).decode())

    def lock(self, partition: int, clock: Callable[[], float] = time.monotonic) -> "RedisLock | None":
        """The right to move games of the partition; None while somebody else has it."""
        return self._locked(keys.archiving(partition), clock)

    def retention_lock(self, clock: Callable[[], float] = time.monotonic) -> "RedisLock | None":
        """The right to let old games go; None while somebody else has it."""
        return self._locked(keys.RETAINING, clock)

    def _locked(self, key: str, clock: Callable[[], float]) -> "RedisLock | None":
        token = randomness.token_hex(16)
        taken = self._link.script(LOCK, [key], [token, LOCK_MS])
        return RedisLock(self._link, key, token, clock) if taken else None

    def is_locked(self, partition: int) -> bool:
        """True if somebody moves games of the partition just now."""
        return bool(self._link.call("EXISTS", keys.archiving(partition)))


class RedisLock:
    """Held until it is released, or for LOCK_MS after it was last renewed; every step under it names its `token`."""

    def __init__(self, link: RedisClient, key: str, token: str, clock: Callable[[], float]) -> None:
        self._link = link
        self._key = key
        self._clock = clock
        self._renewed = clock()
        self.token = token

    def renew(self) -> None:
        """Hold the lock for longer; LockLost if it has expired."""
        if self._clock() - self._renewed < LOCK_MS / 6000:
            return
        if not self._link.script(EXTEND, (self._key,), (self.token, LOCK_MS)):
            raise LockLost
        self._renewed = self._clock()

    def release(self) -> None:
        """Release the lock, so that another archiver may work here."""
        self._link.script(RELEASE, (self._key,), (self.token,))


def _last_event(entries: Any) -> RecordedEvent | None:
    """The last event of the first of some entries; None where there is none, or none that can be read."""
    try:
        return events_of(entries[0])[-1]
    except (CorruptStream, LookupError, TypeError, ValueError):
        return None


def _gaps(stream: list[RawEntry]) -> tuple[str, ...]:
    """The entries that do not stand where they belong."""
    places = [place(entry_id) for entry_id, _ in stream]
    ends = [0, *(last for _, last in places)]
    return tuple(
        entry_id.decode()
        for (entry_id, _), (first, _), end in zip(stream, places, ends, strict=False)
        if first != end + 1
    )


def _drawn_commands(stream: list[RawEntry]) -> dict[str, str]:
    """The records of the commands that have none beside the stream, because nobody can ask for them again."""
    records = {}
    for entry in stream:
        command = entry[1][-1].decode(errors="replace")
        if is_drawn(command):
            records[command] = "".join([f":{version}" for version in place(entry[0])])
    return records


def _beside(game_id: str) -> tuple[str, ...]:
    return tuple(keys.beside(kind, game_id) for kind in keys.BESIDE)


def _fields(flat: list[bytes]) -> dict[str, str]:
    try:
        return {flat[at].decode(): flat[at + 1].decode() for at in range(0, len(flat), 2)}
    except UnicodeDecodeError as error:
        raise CorruptStream("What stands beside a stream is no text.") from error
