"""Rules of a queue of questions, as Lua for scripts: which question is next, which one finds room, and when there will
be room.

A queue is a sorted set of `app cost slots key`, the cost in microseconds. Its keys begin with the queue's own:

* `:apps` is a hash. `now` is the turn that was taken last, `apps` the number of apps with questions in the queue, and
  `slots` the number of slots that these questions take. Of each app it has `waiting`, the slots of its questions;
  `cost`, the sum of their costs; `last`, the turn of the last one; `position`, the position of a batch that is in the
  queue, at no cost; and `batched`, the cost of its positions that are not.
* `:reservations:APP` is a hash of questions that found no room: rank, cost and slots of each; the last rank and the
  sums. `:ranks` and `:until` beside it order them by rank, and by the time (ms) at which the reservation expires.
* `:batches:APP` is a list of the positions of batches that are not in the queue yet.

The apps take turns, however many questions each of them has. A question gets the turn after that of its app's last
question, or half a turn after the turn that was taken last if that is later. The question with the lowest turn is next.
"""

from typing import Final

from events.features.bots import queue

RULES: Final = (
    f"""
local LONGEST_WAIT, RESERVATIONS = {int(queue.LONGEST_WAIT * 1e6)}, {queue.RESERVATIONS}
local MOST, OF_APP = {queue.MOST}, {queue.OF_APP}
local GRACE, ENTERED, LONGEST_RETRY = {int(queue.GRACE * 1000)}, {int(queue.ENTERED * 1000)}, {queue.LONGEST_RETRY}
local SILENT, SMOOTHING = {queue.SILENT}, {queue.SMOOTHING}
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
local function enter(queue, member, first)
  local apps, app, cost, slots = queue .. ':apps', parts(member)
  local now, last = number(apps, 'now'), number(apps, app .. ' last')
  local turn = first and now or math.max(now + 0.5, last + 1)
  redis.call('ZADD', queue, turn, member)
  if not first then redis.call('HSET', apps, app .. ' last', turn) end
  redis.call('HINCRBY', apps, 'slots', slots)
  redis.call('HINCRBY', apps, app .. ' cost', cost)
  if redis.call('HINCRBY', apps, app .. ' waiting', slots) == tonumber(slots) then
    redis.call('HINCRBY', apps, 'apps', 1)
  end
end
local function leave(queue, member)
  if redis.call('ZREM', queue, member) == 0 then return false end
  local apps, app, cost, slots = queue .. ':apps', parts(member)
  redis.call('HINCRBY', apps, 'slots', -slots)
  redis.call('HINCRBY', apps, app .. ' cost', -cost)
  if redis.call('HINCRBY', apps, app .. ' waiting', -slots) <= 0 then
    redis.call('HDEL', apps, app .. ' waiting', app .. ' cost')
    redis.call('HINCRBY', apps, 'apps', -1)
  end
  return true
end
-- Puts the app's next position of a batch into the queue, unless one is there: positions take one turn after the other.
local function advance(prefix, queue, app)
  local apps, pending = queue .. ':apps', queue .. ':batches:' .. app
  local there = redis.call('HGET', apps, app .. ' position')
  if there and redis.call('ZSCORE', queue, there) then return end
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
      enter(queue, fields[8])
      redis.call('HSET', apps, app .. ' position', fields[8])
      return
    end
  end
end
-- Removes the reservation of a question. Returns its rank, or nothing if there was none.
local function give_up(reservations, key)
  local found = redis.call('HGET', reservations, key)
  if not found then return end
  local rank, cost, slots = string.match(found, '^(%d+) (%d+) (%d+)$')
  redis.call('HDEL', reservations, key)
  redis.call('ZREM', reservations .. ':ranks', key)
  redis.call('ZREM', reservations .. ':until', key)
  redis.call('HINCRBY', reservations, ' cost', -cost)
  redis.call('HINCRBY', reservations, ' slots', -slots)
  return tonumber(rank)
end
local function reserve(reservations, key, rank, till, cost, slots)
  rank = give_up(reservations, key) or rank or redis.call('HINCRBY', reservations, ' rank', 1)
  redis.call('HSET', reservations, key, string.format('%d %d %d', rank, cost, slots))
  redis.call('ZADD', reservations .. ':ranks', rank, key)
  redis.call('ZADD', reservations .. ':until', till, key)
  redis.call('HINCRBY', reservations, ' cost', cost)
  redis.call('HINCRBY', reservations, ' slots', slots)
  for _, name in ipairs({reservations, reservations .. ':ranks', reservations .. ':until'}) do
    redis.call('EXPIRE', name, 2 * LONGEST_RETRY)
  end
end
-- Tells whether there is room for a question behind its app's queued questions and earlier reservations; the
-- microseconds until there is; whether at least 7/8 of the app's share are in use; and whether the question may have a
-- reservation. Reservations hold half of the share at most, so those of askers who never come back leave no thinker
-- idle.
local function room(queue, app, key, cost, slots, living, now)
  local apps, reservations = queue .. ':apps', queue .. ':reservations:' .. app
  for _, bounds in ipairs({{'-inf', now}, {now + 2000 * LONGEST_RETRY, '+inf'}}) do
    for _, late in ipairs(redis.call('ZRANGEBYSCORE', reservations .. ':until', bounds[1], bounds[2])) do
      give_up(reservations, late)
    end
  end
  local waiting, queued = number(apps, app .. ' waiting'), number(apps, app .. ' cost')
  local used, before, rank = queued, waiting, redis.call('ZSCORE', reservations .. ':ranks', key)
  if rank then
    for _, other in ipairs(redis.call('ZRANGEBYSCORE', reservations .. ':ranks', '-inf', '(' .. rank)) do
      local _, its_cost, its_slots = string.match(redis.call('HGET', reservations, other), '^(%d+) (%d+) (%d+)$')
      used, before = used + its_cost, before + its_slots
    end
  else
    used, before = used + number(reservations, ' cost'), before + number(reservations, ' slots')
  end
  local sharing = math.max(0, number(apps, 'apps')) + (waiting == 0 and 1 or 0)
  local share = LONGEST_WAIT * living / sharing
  local fits = (used + cost <= share or queued + cost <= share / 2 or queued == 0)
    and waiting + slots <= OF_APP and number(apps, 'slots') + slots <= MOST
  local may_reserve = rank or redis.call('ZCARD', reservations .. ':ranks') < RESERVATIONS
  return fits, math.max(used + cost - share, cost) * sharing / living, used >= share * 7 / 8, may_reserve
end
-- Retry-After of a refusal, in seconds: not before there is room, and spread by chance so that not all come back at
-- once.
local function told(wait, chance)
  local seconds = wait / 1000000
  return math.min(LONGEST_RETRY, math.max(1, math.ceil(seconds + (seconds / 4 + 1) * chance)))
end
"""
)

# Waiting work in microseconds: of hints, questions, long questions, batches; and the number of living thinkers.
# KEYS: the queues of hints, of questions, of long questions; RQ's workers
LOOK: Final = (
    RULES
    + """
local found = {hints = 0, questions = 0, long = 0, batched = 0}
for name, queue in pairs({hints = KEYS[1], questions = KEYS[2], long = KEYS[3]}) do
  local fields = redis.call('HGETALL', queue .. ':apps')
  for at = 1, #fields, 2 do
    if string.match(fields[at], ' cost$') then found[name] = found[name] + fields[at + 1] end
    if string.match(fields[at], ' batched$') then found.batched = found.batched + fields[at + 1] end
  end
end
return {found.hints, found.questions, found.long, found.batched, thinkers(KEYS[4])}
"""
)
