"""The rules of a line, for scripts: who is next, who finds room, and when there will be some.

A line is a sorted set of `app cost places key`, the cost in microseconds. Beside it, under `:apps`, is a hash: `now`,
the turn that was taken last; `apps` and `places`, how many have something in it and how much; of each app `waiting` and
`cost`, its places and their sum, and `last`, the turn of its last question. Under `:places:APP` is a hash of questions
that are not in line yet: of each its rank, cost and places; and of all of them the last rank and the sums. Beside it
are `:ranks`, and `:until`, the times (ms) until which the places are kept. Under `:batches:APP` is a list of positions
of batches, of which one at a time stands in line, `position`, at no cost; `batched` is the cost of all others.

In a line the apps take turns, however many questions each of them has there: a question gets the number after its app's
last one, or half a number after the one that was taken last if that is more, and the lowest is taken first.
"""

from typing import Final

from events.features.bots import line

LINE: Final = (
    f"""
local LONGEST_WAIT, MOST, OF_APP, KEPT = {int(line.LONGEST_WAIT * 1e6)}, {line.MOST}, {line.OF_APP}, {line.KEPT}
local GRACE, ENTERED, LONGEST_RETRY = {int(line.GRACE * 1000)}, {int(line.ENTERED * 1000)}, {line.LONGEST_RETRY}
local SILENT, SMOOTHING = {line.SILENT}, {line.SMOOTHING}
"""
    """
local function number(key, field) return tonumber(redis.call('HGET', key, field) or 0) end
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
-- RQ gives the key of a worker 80 s with each sign of life.
local function thinkers(workers)
  local living = 0
  for _, worker in ipairs(redis.call('SMEMBERS', workers)) do
    if redis.call('TTL', worker) > 80 - SILENT then living = living + 1 end
  end
  return math.max(1, living)
end
local function cost_of(times, kind, usual)
  return math.ceil(tonumber(redis.call('HGET', times, kind) or usual))
end
local function measure(times, kind, took)
  local known = tonumber(redis.call('HGET', times, kind) or took)
  redis.call('HSET', times, kind, math.ceil(known + (took - known) / SMOOTHING))
  redis.call('EXPIRE', times, 604800)
end
local function unanswered(stream)
  local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  return first and first[1] == '1-0' and first[2]
end
local function parts(member) return string.match(member, '^(%S+) (%d+) (%d+) (.+)$') end
local function enter(line, member, first)
  local apps, app, cost, places = line .. ':apps', parts(member)
  local now, last = number(apps, 'now'), number(apps, app .. ' last')
  local turn = first and now or math.max(now + 0.5, last + 1)
  redis.call('ZADD', line, turn, member)
  if not first then redis.call('HSET', apps, app .. ' last', turn) end
  redis.call('HINCRBY', apps, 'places', places)
  redis.call('HINCRBY', apps, app .. ' cost', cost)
  if redis.call('HINCRBY', apps, app .. ' waiting', places) == tonumber(places) then
    redis.call('HINCRBY', apps, 'apps', 1)
  end
end
local function leave(line, member)
  if redis.call('ZREM', line, member) == 0 then return false end
  local apps, app, cost, places = line .. ':apps', parts(member)
  redis.call('HINCRBY', apps, 'places', -places)
  redis.call('HINCRBY', apps, app .. ' cost', -cost)
  if redis.call('HINCRBY', apps, app .. ' waiting', -places) <= 0 then
    redis.call('HDEL', apps, app .. ' waiting', app .. ' cost')
    redis.call('HINCRBY', apps, 'apps', -1)
  end
  return true
end
-- Lets the app's next position of a batch into the line, unless one stands there: they take one turn after the other.
local function advance(prefix, line, app)
  local apps, pending = line .. ':apps', line .. ':batches:' .. app
  local there = redis.call('HGET', apps, app .. ' position')
  if there and redis.call('ZSCORE', line, there) then return end
  redis.call('HDEL', apps, app .. ' position')
  while true do
    local key = redis.call('LPOP', pending)
    if not key then
      redis.call('HDEL', apps, app .. ' batched')
      return
    end
    local fields = unanswered(prefix .. key)
    if fields then
      redis.call('HINCRBY', apps, app .. ' batched', -fields[16])
      enter(line, fields[8])
      redis.call('HSET', apps, app .. ' position', fields[8])
      return
    end
  end
end
-- Takes a kept place away; its rank, cost and places, or nothing.
local function give_up(kept, key)
  local found = redis.call('HGET', kept, key)
  if not found then return end
  local rank, cost, places = string.match(found, '^(%d+) (%d+) (%d+)$')
  redis.call('HDEL', kept, key)
  redis.call('ZREM', kept .. ':ranks', key)
  redis.call('ZREM', kept .. ':until', key)
  redis.call('HINCRBY', kept, ' cost', -cost)
  redis.call('HINCRBY', kept, ' places', -places)
  return tonumber(rank)
end
local function keep(kept, key, rank, till, cost, places)
  rank = give_up(kept, key) or rank or redis.call('HINCRBY', kept, ' rank', 1)
  redis.call('HSET', kept, key, string.format('%d %d %d', rank, cost, places))
  redis.call('ZADD', kept .. ':ranks', rank, key)
  redis.call('ZADD', kept .. ':until', till, key)
  redis.call('HINCRBY', kept, ' cost', cost)
  redis.call('HINCRBY', kept, ' places', places)
  for _, name in ipairs({kept, kept .. ':ranks', kept .. ':until'}) do
    redis.call('EXPIRE', name, 2 * LONGEST_RETRY)
  end
end
-- Whether there is room for a question behind its app's in line and those whose places are kept before it; the
-- microseconds until there is; whether the app's share is as good as full; and whether a place may be kept for it.
-- Half of the share is for whoever comes: places of those who never come back leave no thinker idle.
local function room(line, app, key, cost, places, living, now)
  local apps, kept = line .. ':apps', line .. ':places:' .. app
  for _, bounds in ipairs({{'-inf', now}, {now + 2000 * LONGEST_RETRY, '+inf'}}) do
    for _, late in ipairs(redis.call('ZRANGEBYSCORE', kept .. ':until', bounds[1], bounds[2])) do
      give_up(kept, late)
    end
  end
  local waiting, in_line = number(apps, app .. ' waiting'), number(apps, app .. ' cost')
  local used, before, rank = in_line, waiting, redis.call('ZSCORE', kept .. ':ranks', key)
  if rank then
    for _, other in ipairs(redis.call('ZRANGEBYSCORE', kept .. ':ranks', '-inf', '(' .. rank)) do
      local _, its_cost, its_places = string.match(redis.call('HGET', kept, other), '^(%d+) (%d+) (%d+)$')
      used, before = used + its_cost, before + its_places
    end
  else
    used, before = used + number(kept, ' cost'), before + number(kept, ' places')
  end
  local sharing = math.max(0, number(apps, 'apps')) + (waiting == 0 and 1 or 0)
  local share = LONGEST_WAIT * living / sharing
  local fits = (used + cost <= share or in_line + cost <= share / 2 or in_line == 0)
    and waiting + places <= OF_APP and number(apps, 'places') + places <= MOST
  local is_kept = rank or redis.call('ZCARD', kept .. ':ranks') < KEPT
  return fits, math.max(used + cost - share, cost) * sharing / living, used >= share * 7 / 8, is_kept
end
-- Seconds after which an asker is told to come again: not before there is room, and not all at once.
local function told(wait, chance)
  local seconds = wait / 1000000
  return math.min(LONGEST_RETRY, math.max(1, math.ceil(seconds + (seconds / 4 + 1) * chance)))
end
"""
)

# Work that waits, in microseconds: of hints, of questions, of batches; and the number of thinkers that live.
# KEYS: the line of hints, the line of questions, RQ's workers
LOOK: Final = (
    LINE
    + """
local found = {hints = 0, questions = 0, batched = 0}
for name, line in pairs({hints = KEYS[1], questions = KEYS[2]}) do
  local fields = redis.call('HGETALL', line .. ':apps')
  for at = 1, #fields, 2 do
    if string.match(fields[at], ' cost$') then found[name] = found[name] + fields[at + 1] end
    if string.match(fields[at], ' batched$') then found.batched = found.batched + fields[at + 1] end
  end
end
return {found.hints, found.questions, found.batched, thinkers(KEYS[3])}
"""
)
