"""Own data in Redis: a hash of records and an index of games, which share the app's hash tag, so that each change is
one script. A game without own data is in neither.
"""

from collections.abc import Sequence
from typing import Final

from events.features.own_data.port import Kept, Outcome
from events.features.own_data.records import EXTERNAL_ID, Record, mark_of, unpacked
from events.store import keys
from events.store.connections.client import Argument, RedisClient

# Replaces the record of a game and its entries in the index, which has each external id once. A record is stored as
# `milliseconds:JSON`, with the time at which it was written.
# KEYS: records, index
# ARGV: game id, what is known to be there ("" for nothing), the JSON that is to be there ("" for nothing), the mark of
#       its external id ("" for none), the number of entries that go, these, entries that come
PUT: Final = """
local there = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if string.match(there, '^%d+:(.*)$') == ARGV[3] then return {'done', there} end
if there ~= ARGV[2] then return {'changed', there} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[4] ~= '' then
  local found = redis.call('ZRANGE', KEYS[2], '[' .. ARGV[4] .. ':', '(' .. ARGV[4] .. ';', 'BYLEX', 'LIMIT', 0, 2)
  for _, entry in ipairs(found) do
    local other = string.match(entry, '[^:]+$')
    if other ~= ARGV[1] then
      local kept = redis.call('HGET', KEYS[1], other) or ''
      return {'taken', kept, other, string.format('%d', now - (tonumber(string.match(kept, '^%d+')) or 0))}
    end
  end
end
local last = 5 + ARGV[5]
for at = 6, last do redis.call('ZREM', KEYS[2], ARGV[at]) end
for at = last + 1, #ARGV do redis.call('ZADD', KEYS[2], 0, ARGV[at]) end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return {'done', ''}
end
local kept = string.format('%d:', now) .. ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], kept)
return {'done', kept}
"""


class RedisOwnData:
    """The port of own data over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def kept(self, app: str, game_ids: Sequence[str]) -> list[Kept | None]:
        if not game_ids:
            return []
        found = self._link.call("HMGET", keys.own_data(app), *game_ids)
        return [None if raw is None else kept_of(raw) for raw in found]

    def put(self, app: str, game_id: str, known: Kept | None, record: Record | None) -> Outcome:
        packed = b"" if record is None else record.packed()
        before = set() if known is None or known.record is None else known.record.entries(game_id)
        after = set() if record is None else record.entries(game_id)
        external_id = None if record is None else record.own.external_id
        mark = "" if external_id is None else mark_of(EXTERNAL_ID, external_id)
        gone = sorted(before - after)
        arguments: list[Argument] = [game_id, b"" if known is None else known.raw, packed, mark, len(gone)]
        arguments += [*gone, *sorted(after - before)]
        touched = [keys.own_data(app), keys.own_data_index(app)]
        kind, raw, *more = self._link.script(PUT, touched, arguments)
        other, age = more or (game_id.encode(), b"0")
        return Outcome(kind.decode(), kept_of(raw) if raw else None, other.decode(), int(age))


def kept_of(raw: bytes) -> Kept:
    """The record of these stored bytes."""
    try:
        return Kept(raw, unpacked(raw.partition(b":")[2]))
    except (AttributeError, LookupError, TypeError, ValueError):
        return Kept(raw, None)
