"""Players who look for a partner, in Redis: a hash for each ticket, and two sorted sets for each pool of players who
want the same game: by rating, and, for those who accept any rating, by time. All keys of an app share a hash tag.

A ticket expires when nobody asks for it. Its entries in the sets are removed by the next script that meets them, and
expire with the sets. A script builds the keys of tickets that it meets by itself: they share its own hash tag.
"""

from collections.abc import Mapping
from typing import Final

from events.errors import TooManyWaiting
from events.features.matchmaking.port import Candidate, Seeker
from events.store import keys
from events.store.connections.client import RedisClient

WAITS: Final = 60  # seconds for which a waiting ticket is valid after it was last asked for
KEPT: Final = 3_600  # seconds for which a ticket is kept at most once it no longer waits
MOST: Final = 10_000  # players who wait in one pool
WINDOW: Final = 100  # players who are looked at in one step

# The beginning that the scripts share.
# ARGV: what the app's keys begin with, the seconds of a ticket that waits, and of one that waits no more
COMMON = """
local prefix = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function ticket_key(ticket) return prefix .. 'ticket:' .. ticket end

local function leave(ticket, pool)
  redis.call('ZREM', prefix .. 'rated:' .. pool, ticket)
  redis.call('ZREM', prefix .. 'open:' .. pool, ticket)
end

local function free(player, ticket)
  local key = prefix .. 'player:' .. player
  if redis.call('GET', key) == ticket then redis.call('DEL', key) end
end

local function touch(ticket, player, pool)
  redis.call('EXPIRE', ticket_key(ticket), ARGV[2])
  redis.call('EXPIRE', prefix .. 'player:' .. player, ARGV[2])
  redis.call('EXPIRE', prefix .. 'rated:' .. pool, ARGV[3])
  redis.call('EXPIRE', prefix .. 'open:' .. pool, ARGV[3])
end

-- Whether a ticket that waits is good for longer than any: the clock was set back, and nobody knows how long ago it was
-- asked for. It counts again once it is asked for, and else is gone soon.
local function is_doubtful(ticket)
  local doubtful = redis.call('PTTL', ticket_key(ticket)) > 1000 * ARGV[2]
  if doubtful then redis.call('EXPIRE', ticket_key(ticket), ARGV[2]) end
  return doubtful
end

local function told(ticket)
  local fields = redis.call('HGETALL', ticket_key(ticket))
  for name, value in pairs({now = now, expires = now + redis.call('PTTL', ticket_key(ticket))}) do
    fields[#fields + 1], fields[#fields + 2] = name, string.format('%d', value)
  end
  return fields
end
"""

# In this order: 1. a ticket that is there is told; 2. a player waits by one ticket only; 3. the partner is taken, if it
# still waits; 4. somebody else who fits is named, and nothing done; 5. the seeker waits.
# ARGV: as above, then the seeker's ticket, player, pool, rating ("" for none), reach ("" for any), the partner's ticket
#       ("" for none), the hash of the token that the seeker has in the partner's game, how many may
#       wait, how many are looked at at once, then the fields of the ticket and their values
JOIN = (
    COMMON
    + """
local mine, player, pool = ARGV[4], ARGV[5], ARGV[6]
local rating, reach = tonumber(ARGV[7]), tonumber(ARGV[8])
local rated, open = prefix .. 'rated:' .. pool, prefix .. 'open:' .. pool
local window = tonumber(ARGV[12])

if redis.call('EXISTS', ticket_key(mine)) == 1 then
  if redis.call('HGET', ticket_key(mine), 'status') == 'waiting' then touch(mine, player, pool) end
  return told(mine)
end
local holds = redis.call('GET', prefix .. 'player:' .. player)
if holds and redis.call('HGET', ticket_key(holds), 'status') == 'waiting' then
  is_doubtful(holds)
  return 'waits'
end

local function reaches(from, far, to)
  return not far or (from and to and math.abs(from - to) <= far)
end

-- 'yes', 'no', or 'gone' for one that waits no more, which is cleared away
local function fits(ticket)
  local other = redis.call('HMGET', ticket_key(ticket), 'status', 'rating', 'reach')
  if other[1] ~= 'waiting' then
    leave(ticket, pool)
    return 'gone'
  end
  if is_doubtful(ticket) then return 'no' end
  local its, far = tonumber(other[2] or ''), tonumber(other[3] or '')
  return reaches(rating, reach, its) and reaches(its, far, rating) and 'yes' or 'no'
end

local function first(command, set, from, to)
  for _ = 1, 10 do
    local found = redis.call(command, set, from, to, 'LIMIT', 0, window)
    local gone = 0
    for _, ticket in ipairs(found) do
      local answer = fits(ticket)
      if answer == 'yes' then return ticket end
      if answer == 'gone' then gone = gone + 1 end
    end
    if gone == 0 or #found < window then return nil end
  end
end

local function search()
  if not reach then
    local longest = first('ZRANGEBYSCORE', open, '-inf', '+inf')
    if longest then return longest end
  end
  if not rating then return nil end
  local up = first('ZRANGEBYSCORE', rated, rating, reach and rating + reach or '+inf')
  local down = first('ZREVRANGEBYSCORE', rated, rating, reach and rating - reach or '-inf')
  if not (up and down) then return up or down end
  local over = redis.call('ZSCORE', rated, up) - rating
  return over <= rating - redis.call('ZSCORE', rated, down) and up or down
end

local partner = ARGV[9]
if partner ~= '' and fits(partner) == 'yes' then
  local its = ticket_key(partner)
  local theirs = redis.call('HMGET', its, 'game', 'seat', 'player', 'person', 'hash')
  local place, seat = string.format('%d', 1 - theirs[2]), theirs[2]
  redis.call('HSET', ticket_key(mine), unpack(ARGV, 13))
  local person = redis.call('HGET', ticket_key(mine), 'person')
  for _, key in ipairs({its, ticket_key(mine)}) do
    redis.call('HSET', key, 'status', 'matched', 'match', theirs[1], 'matched_at', string.format('%d', now),
      'person' .. seat, theirs[4], 'hash' .. seat, theirs[5], 'person' .. place, person, 'hash' .. place, ARGV[10])
    redis.call('EXPIRE', key, ARGV[3])
  end
  redis.call('HSET', its, 'place', seat)
  redis.call('HSET', ticket_key(mine), 'place', place, 'since', string.format('%d', now))
  leave(partner, pool)
  free(theirs[3], partner)
  return told(mine)
end

local candidate = search()
if candidate then
  local its = redis.call('HMGET', ticket_key(candidate), 'game', 'seat')
  return {'candidate', candidate, its[1], its[2]}
end

if redis.call('ZCARD', rated) + redis.call('ZCARD', open) >= tonumber(ARGV[11]) then return 'full' end
redis.call('HSET', ticket_key(mine), unpack(ARGV, 13))
redis.call('HSET', ticket_key(mine), 'status', 'waiting', 'since', string.format('%d', now))
redis.call('SET', prefix .. 'player:' .. player, mine)
if rating then redis.call('ZADD', rated, rating, mine) end
if not reach then redis.call('ZADD', open, now, mine) end
touch(mine, player, pool)
return told(mine)
"""
)

# ARGV: as above, then the ticket, and whether the bot steps in if it is time ("1")
LOOK = (
    COMMON
    + """
local mine = ARGV[4]
local key = ticket_key(mine)
local known = redis.call('HMGET', key, 'status', 'player', 'pool', 'bot', 'patience', 'since', 'game', 'seat')
if known[1] == 'waiting' then
  if tonumber(known[6]) > now then  -- the clock was set back
    known[6] = now
    redis.call('HSET', key, 'since', string.format('%d', now))
  end
  if ARGV[5] == '1' and known[4] and now >= known[6] + known[5] then
    local place = string.format('%d', 1 - known[8])
    local person, hash = unpack(redis.call('HMGET', key, 'person', 'hash'))
    redis.call('HSET', key, 'status', 'matched', 'match', known[7], 'matched_at', string.format('%d', now),
      'place', known[8], 'person' .. known[8], person, 'hash' .. known[8], hash, 'person' .. place, known[4],
      'hash' .. place, '')
    redis.call('EXPIRE', key, ARGV[3])
    leave(mine, known[3])
    free(known[2], mine)
  else
    touch(mine, known[2], known[3])
  end
end
return known[1] and told(mine) or {}
"""
)

# ARGV: as above, then the ticket, or "" and a player for the one by which that player waits; whether also one that
#       has a partner waits no more, whose game cannot be ("1")
CANCEL = (
    COMMON
    + """
local mine = ARGV[4] ~= '' and ARGV[4] or redis.call('GET', prefix .. 'player:' .. ARGV[5])
if not mine then return {} end
local known = redis.call('HMGET', ticket_key(mine), 'status', 'player', 'pool')
if known[1] == 'waiting' or (known[1] == 'matched' and ARGV[6] == '1') then
  redis.call('HSET', ticket_key(mine), 'status', 'cancelled')
  redis.call('EXPIRE', ticket_key(mine), ARGV[3])
  leave(mine, known[3])
  free(known[2], mine)
end
return known[1] and told(mine) or {}
"""
)


class RedisMatchStore:
    """Store of players who look for a partner, by app; every step is one script."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def join(
        self, app: str, seeker: Seeker, partner: Candidate | None, token_hash: str
    ) -> Candidate | Mapping[str, str] | None:
        """Pair with the partner, name somebody else who fits, or wait; None if the player waits by another ticket."""
        prefix = keys.quick_match(app)
        reply = self._link.script(
            JOIN,
            [f"{prefix}ticket:{seeker.ticket}"],
            [
                *(prefix, WAITS, KEPT, seeker.ticket, seeker.player, seeker.pool),
                *(_number(seeker.rating), _number(seeker.reach)),
                *("" if partner is None else partner.ticket, token_hash, MOST, WINDOW),
                *_fields(seeker),
            ],
        )
        if reply == b"waits":
            return None
        if reply == b"full":
            raise TooManyWaiting
        if reply[0] == b"candidate":
            return Candidate(reply[1].decode(), reply[2].decode(), 1 - int(reply[3]))
        return _told(reply)

    def look(self, app: str, ticket: str, *, may_step_in: bool = False) -> Mapping[str, str] | None:
        """State of a ticket, which is good for longer by that; a bot steps in if it may and it is time."""
        return self._asked(LOOK, app, ticket, int(may_step_in))

    def cancel(self, app: str, ticket: str, *, if_matched: bool = False) -> Mapping[str, str] | None:
        """End the wait. Returns the content of the ticket. `if_matched`: also with a partner, as there is no game."""
        return self._asked(CANCEL, app, ticket, "", int(if_matched))

    def withdraw(self, app: str, player: str) -> None:
        """Let the player wait no longer."""
        prefix = keys.quick_match(app)
        self._link.script(CANCEL, [f"{prefix}player:{player}"], [prefix, WAITS, KEPT, "", player, 0])

    def _asked(self, script: str, app: str, ticket: str, *more: str | int) -> Mapping[str, str] | None:
        prefix = keys.quick_match(app)
        touched = [f"{prefix}ticket:{ticket}"]
        return _told(self._link.script(script, touched, [prefix, WAITS, KEPT, ticket, *more])) or None


def _fields(seeker: Seeker) -> list[str]:
    fields = {
        "player": seeker.player,
        "pool": seeker.pool,
        "fingerprint": seeker.fingerprint,
        "game": seeker.game_id,
        "seat": str(seeker.seat),
        "hash": seeker.token_hash,
        "person": seeker.person,
        "wanted": seeker.wanted,
    }
    if seeker.rating is not None:
        fields["rating"] = _number(seeker.rating)
    if seeker.reach is not None:
        fields["reach"] = _number(seeker.reach)
    if seeker.bot is not None:
        fields |= {"bot": seeker.bot, "patience": str(seeker.patience)}
    return [part for field in fields.items() for part in field]


def _number(number: float | None) -> str:
    return "" if number is None else repr(number)


def _told(flat: list[bytes]) -> Mapping[str, str]:
    return {flat[at].decode(): flat[at + 1].decode() for at in range(0, len(flat), 2)}
