"""Requests for a rematch, in Redis: beside the game that is over, which gets no more events.

A hash has, by seat, the hash of the seat's new token and the time at which the request expires, in seconds of the
server's clock; and the field `begun` once the rematch may be created, after which nothing in the hash changes. Each
request and withdrawal of a seat goes into the feed in the same step (see `events.ports.FeedEntry.said`). So does the
expiry of a request, by the next script that meets it. A list of all requests says where to look. A request is listed
before it is made: so every request is listed, and a listed one may be gone.
"""

from collections.abc import Collection, Sequence
from typing import Final

from events.features.rematches.port import Agreement, ListedRequest
from events.store import keys
from events.store.connections.client import RedisClient

# The requests that are valid, and `ended`, those that have expired; requests from which a rematch is created do not
# expire. A request of a former release has no expiry of its own: it lasts as long as the key. A request that would last
# longer than any can has expired, too: the clock was set back, and nobody knows when the request was made.
# ARGV: the seconds for which a request lasts
_CURRENT: Final = """
local now = tonumber(redis.call('TIME')[1])
local furthest = now + tonumber(ARGV[1]) + 60
local function is_over(ends) return tonumber(ends) <= now or tonumber(ends) > furthest end
local begun = redis.call('HEXISTS', KEYS[1], 'begun') == 1
local all = redis.call('HGETALL', KEYS[1])
local agreed, ended = {}, {}
for at = 1, #all, 2 do
  local hash, ends = string.match(all[at + 1], '^(%S+) ?(%d*)$')
  if all[at] == 'begun' then
  elseif not begun and ends ~= '' and is_over(ends) then ended[#ended + 1] = all[at]
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

# The same for scripts that change something: they record in the feed what a seat says, and which requests have expired;
# these are removed.
# KEYS: after the requests the feed and the game's events; without those it is archived, and ends with the version given
# ARGV: as above, game id, version
_TELLING: Final = f"""{_CURRENT}
local function say(what, seat)
  local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
  local version = last and string.match(last[1], '^%d+') or ARGV[3]
  redis.call('XADD', KEYS[2], '*', 'game', ARGV[2], 'first', version, 'last', version,
    'types', 'rematch.' .. what .. ':' .. seat, 'due', '')
end
for _, seat in ipairs(ended) do
  redis.call('HDEL', KEYS[1], seat)
  say('expired', seat)
end
"""

# KEYS: the game's requests
LOOK: Final = f"{_CURRENT}return reply()"

# ARGV: as above, seat, hash, for how many seconds an agreement is kept, and a request after its end, then the seats
#       that it takes
AGREE: Final = f"""{_TELLING}
local seat = ARGV[4]
if not begun then
  if not agreed[seat] then say(next(agreed) and 'agreed' or 'requested', seat) end
  agreed[seat] = agreed[seat] or ARGV[5]
  redis.call('HSET', KEYS[1], seat, agreed[seat] .. ' ' .. string.format('%d', now + tonumber(ARGV[1])))
  local kept = ARGV[1] + ARGV[7]
  if redis.call('TTL', KEYS[1]) < kept then redis.call('EXPIRE', KEYS[1], kept) end
  local missing = false
  for at = 8, #ARGV do missing = missing or not agreed[ARGV[at]] end
  if not missing then begin(ARGV[6]) end
end
return reply()
"""

# ARGV: as above, for how many seconds an agreement is kept
BEGIN: Final = f"""{_TELLING}
if not begun then begin(ARGV[4]) end
return reply()
"""

# ARGV: as above, seat
WITHDRAW: Final = f"""{_TELLING}
if begun then return 0 end
if agreed[ARGV[4]] then say('withdrawn', ARGV[4]) end
redis.call('HDEL', KEYS[1], ARGV[4])
return 1
"""

# ARGV: as above
END: Final = f"{_TELLING}return reply()"

# Lists a request. KEYS: the list; ARGV: game and seat, seconds
LIST: Final = """
return redis.call('ZADD', KEYS[1], string.format('%d', redis.call('TIME')[1] + ARGV[2]), ARGV[1])
"""

# Removes a request from the list, unless it was listed again. KEYS: the list; ARGV: game and seat, its time
UNLIST: Final = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
"""

# The requests of which some may have expired, and those that are listed for longer than any lasts, because a clock was
# ahead.
# KEYS: the list; ARGV: the seconds for which a request lasts at most, how many
ENDING: Final = """
local now = tonumber(redis.call('TIME')[1])
local far = string.format('%d', now + tonumber(ARGV[1]) + 60)
local found = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
for _, one in ipairs(redis.call('ZRANGE', KEYS[1], far, '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')) do
  found[#found + 1] = one
end
return found
"""

LONGEST: Final = 7 * 86_400  # seconds for which a request lasts
# seconds after its expiry in which the expiry of a request is still recorded in the feed
LATE: Final = 86_400
AT_ONCE: Final = 100  # requests that are read in one round
# seconds: a rematch that has begun is created within a moment, or when a player asks again
KEPT: Final = 7 * 86_400


class RedisConsents:
    """The port of requests for rematches over Redis; each method is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def agree(
        self, game_id: str, version: int, seat: int, token_hash: str, seconds: int, everybody: Collection[int]
    ) -> Agreement:
        self._link.script(LIST, [keys.REMATCHES], [f"{game_id}:{seat}", seconds])
        sent: list[str | bytes | int] = [seconds, game_id, version, seat, token_hash, KEPT, LATE, *everybody]
        return _agreement(self._link.script(AGREE, _named(game_id), sent))

    def begin(self, game_id: str, version: int, seconds: int) -> Agreement:
        return _agreement(self._link.script(BEGIN, _named(game_id), [seconds, game_id, version, KEPT]))

    def reopen(self, game_id: str) -> None:
        self._link.call("HDEL", keys.rematch(game_id), "begun")

    def withdraw(self, game_id: str, version: int, seat: int, seconds: int) -> bool:
        return bool(self._link.script(WITHDRAW, _named(game_id), [seconds, game_id, version, seat]))

    def ending(self) -> list[ListedRequest]:
        flat = self._link.script(ENDING, [keys.REMATCHES], [LONGEST, AT_ONCE])
        return [_listed(member, at) for member, at in zip(flat[::2], flat[1::2], strict=True)]

    def end(self, game_id: str, version: int, seconds: int) -> Agreement:
        return _agreement(self._link.script(END, _named(game_id), [seconds, game_id, version]))

    def unlist(self, request: ListedRequest) -> None:
        member = f"{request.game_id}:{request.seat}"
        self._link.script(UNLIST, [keys.REMATCHES], [member, request.at])

    def agreement(self, game_id: str, seconds: int) -> Agreement:
        return _agreement(self._link.script(LOOK, [keys.rematch(game_id)], [seconds]))


def _named(game_id: str) -> list[str]:
    return [keys.rematch(game_id), keys.feed(keys.partition_of(game_id)), keys.stream(game_id)]


def _listed(member: bytes, at: bytes) -> ListedRequest:
    game_id, _, seat = member.decode().partition(":")
    return ListedRequest(game_id, int(seat), at.decode())


def _agreement(reply: Sequence[bytes]) -> Agreement:
    begun, *flat = reply
    hashes = {int(flat[at]): flat[at + 1].decode() for at in range(0, len(flat), 2)}
    return Agreement(bool(begun), dict(sorted(hashes.items())))
