"""Requests for a rematch, in Redis: beside the game that is over, which gets no more events.

A hash holds, by seat, the hash of the seat's new token and the time at which the request ends, in seconds of the
server's clock; and the field `begun` once the rematch may be created, from when on nothing in it changes. What seats
say goes into the feed in the same step (see `events.redis.feed.FeedEntry.said`).
"""

from collections.abc import Collection, Sequence
from typing import Final

from events.ports import Agreement
from events.redis import keys
from events.redis.connections.client import RedisClient

# Drops requests that have ended, but not those that a rematch is created from. A request of a former release has no
# end of its own: it lasts as long as the key. One that would last for longer than any has ended, too: the clock was set
# back, and nobody knows how long ago it was made.
# ARGV: the seconds for which a request lasts
_CURRENT: Final = """
local now = tonumber(redis.call('TIME')[1])
local furthest = now + tonumber(ARGV[1]) + 60
local function is_over(ends) return tonumber(ends) <= now or tonumber(ends) > furthest end
local begun = redis.call('HEXISTS', KEYS[1], 'begun') == 1
local all = redis.call('HGETALL', KEYS[1])
local agreed = {}
for at = 1, #all, 2 do
  local hash, ends = string.match(all[at + 1], '^(%S+) ?(%d*)$')
  if all[at] == 'begun' then
  elseif not begun and ends ~= '' and is_over(ends) then redis.call('HDEL', KEYS[1], all[at])
  else agreed[all[at]] = hash end
end
local function reply()
  local flat = {begun and 1 or 0}
  for seat, hash in pairs(agreed) do flat[#flat + 1] = seat; flat[#flat + 1] = hash end
  return flat
end
local function begin(seconds)
  begun = true
  redis.call('HSET', KEYS[1], 'begun', 1)
  redis.call('EXPIRE', KEYS[1], seconds)
end
"""

# Tells of what a seat says. KEYS: after the requests the feed and the game's events; without those it is archived, and
# ends with the `version` given.
_SAY: Final = """
local function say(what, seat, game, version)
  local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
  version = last and string.match(last[1], '^%d+') or version
  redis.call('XADD', KEYS[2], '*', 'game', game, 'first', version, 'last', version,
    'types', 'rematch.' .. what .. ':' .. seat, 'due', '')
end
"""

# KEYS: the game's requests
LOOK: Final = f"{_CURRENT}return reply()"

# KEYS: the game's requests, feed, events
# ARGV: as above, seat, hash, seconds for which an agreement is kept, game id, version, the seats that it takes
AGREE: Final = f"""{_CURRENT}{_SAY}
if not begun then
  if not agreed[ARGV[2]] then say(next(agreed) and 'agreed' or 'requested', ARGV[2], ARGV[5], ARGV[6]) end
  agreed[ARGV[2]] = agreed[ARGV[2]] or ARGV[3]
  redis.call('HSET', KEYS[1], ARGV[2], agreed[ARGV[2]] .. ' ' .. string.format('%d', now + tonumber(ARGV[1])))
  if redis.call('TTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
  local missing = false
  for at = 7, #ARGV do missing = missing or not agreed[ARGV[at]] end
  if not missing then begin(ARGV[4]) end
end
return reply()
"""

# KEYS: the game's requests; ARGV: as above, seconds for which an agreement is kept
BEGIN: Final = f"""{_CURRENT}
if not begun then begin(ARGV[2]) end
return reply()
"""

# KEYS: the game's requests, feed, events; ARGV: as above, seat, game id, version
WITHDRAW: Final = f"""{_CURRENT}{_SAY}
if begun then return 0 end
if agreed[ARGV[2]] then say('withdrawn', ARGV[2], ARGV[3], ARGV[4]) end
redis.call('HDEL', KEYS[1], ARGV[2])
return 1
"""

KEPT: Final = 7 * 86_400  # seconds: what has begun is created within a moment, or when somebody asks again


class RedisConsents:
    """The port of requests for rematches over Redis; each method is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def agree(
        self, game_id: str, version: int, seat: int, token_hash: str, seconds: int, everybody: Collection[int]
    ) -> Agreement:
        arguments: list[str | bytes | int] = [seconds, seat, token_hash, KEPT, game_id, version, *everybody]
        return _agreement(self._link.script(AGREE, _named(game_id), arguments))

    def begin(self, game_id: str, seconds: int) -> Agreement:
        return _agreement(self._link.script(BEGIN, [keys.rematch(game_id)], [seconds, KEPT]))

    def reopen(self, game_id: str) -> None:
        self._link.call("HDEL", keys.rematch(game_id), "begun")

    def withdraw(self, game_id: str, version: int, seat: int, seconds: int) -> bool:
        return bool(self._link.script(WITHDRAW, _named(game_id), [seconds, seat, game_id, version]))

    def agreement(self, game_id: str, seconds: int) -> Agreement:
        return _agreement(self._link.script(LOOK, [keys.rematch(game_id)], [seconds]))


def _named(game_id: str) -> list[str]:
    return [keys.rematch(game_id), keys.feed(keys.partition_of(game_id)), keys.stream(game_id)]


def _agreement(reply: Sequence[bytes]) -> Agreement:
    begun, *flat = reply
    hashes = {int(flat[at]): flat[at + 1].decode() for at in range(0, len(flat), 2)}
    return Agreement(bool(begun), dict(sorted(hashes.items())))
