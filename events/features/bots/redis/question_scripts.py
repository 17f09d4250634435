"""Lua scripts of the questions to bots: each is one step of a question's way on the queue's server.

The entry 1-0 of a question's stream has owner, question, queue, member, kind and digest; the entry of a batch, and of a
position of a batch, has further fields. The entry 2-0 is the answer. `redis/queue.py` has the rules of the queues that
the scripts share.
"""

from typing import Final

from events.features.bots.redis.queue import RULES
from events.store.queues.keys import NOTE, TELL_DONE

# Finds room for a question that is about to be put; a question with a key that finds none gets a reservation. Returns
# "stands" if the question was put under its key before, "other" if another question was, and "room"; or "none", the
# seconds until there is room, whether the question has a reservation, and whether the app's share is full.
# KEYS: the question's stream, the queue, the times of answers, RQ's workers
# ARGV: key, app, kind, its usual cost, slots, the digest of a question with a key or "", now or "", chance
ENTER: Final = (
    RULES
    + """
local key, app, slots = ARGV[1], ARGV[2], tonumber(ARGV[5])
local first = ARGV[6] ~= '' and redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if first then
  local fields = first[2]
  return {fields[#fields] == ARGV[6] and 'stands' or 'other'}
end
local now, living, cost = clock(ARGV[7]), thinkers(KEYS[4]), cost_of(KEYS[3], ARGV[3], ARGV[4])
local fits, wait, full, may_reserve = room(KEYS[2], app, key, cost, slots, living, now)
local seconds = fits and 0 or told(wait, tonumber(ARGV[8]))
local reserved = fits or (may_reserve and ARGV[6] ~= '')
if reserved then
  local till = fits and now + ENTERED or now + 1000 * seconds + GRACE
  reserve(KEYS[2] .. ':reservations:' .. app, key, nil, till, cost, slots)
end
if fits then return {'room'} end
return {'none', seconds, reserved and 1 or 0, full and 1 or 0}
"""
)
# KEYS: the reservations of an app, in one queue and in another; ARGV: key
LEAVE: Final = f"{RULES}for _, reserved in ipairs(KEYS) do give_up(reserved, ARGV[1]) end"
# Stores a question and queues it, unless it is queued already or there is no room. A question that found room by ENTER
# has room. A stored question in no queue either is being thought about, or its worker died: it is queued again, and
# skipped later if it has been answered by then. Returns "stands", "answered", "other" if the key has another question,
# or the seconds until there is room.
# KEYS: the question's stream, the queue, the times of answers, RQ's workers, what is being thought about
# ARGV: key, owner, app, question, kind, its usual cost, slots, its digest or "", seconds until it is gone,
#       how many fields the hash may have before apps that are owed nothing are forgotten, now or "", chance
ASK: Final = (
    RULES
    + """
local key, app, slots, queue = ARGV[1], ARGV[3], tonumber(ARGV[7]), KEYS[2]
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if first and ARGV[8] ~= '' and first[2][#first[2]] ~= ARGV[8] then return 'other' end
if first and first[1] ~= '1-0' then return 'answered' end
local member = first and first[2][8]
if member and redis.call('ZSCORE', queue, member) then return 'stands' end
if first and ARGV[8] ~= '' and redis.call('HEXISTS', KEYS[5], key) == 1 then return 'stands' end
local cost = cost_of(KEYS[3], ARGV[5], ARGV[6])
if not give_up(queue .. ':reservations:' .. app, key) then
  local fits, wait = room(queue, app, key, cost, slots, thinkers(KEYS[4]), clock(ARGV[11]))
  if not fits then return first and 'stands' or tostring(told(wait, tonumber(ARGV[12]))) end
end
local apps = queue .. ':apps'
if redis.call('HLEN', apps) > tonumber(ARGV[10]) then
  local fields, now = redis.call('HGETALL', apps), number(apps, 'now')
  for at = 1, #fields, 2 do
    if string.match(fields[at], ' last$') and tonumber(fields[at + 1]) + 0.5 <= now then
      redis.call('HDEL', apps, fields[at])
    end
  end
end
member = member or string.format('%s %d %d %s', app, cost, slots, key)
enter(queue, member)
if not first then
  redis.call('XADD', KEYS[1], '1-0', 'owner', ARGV[2], 'question', ARGV[4], 'queue', queue, 'member', member,
             'kind', ARGV[5], 'digest', ARGV[8])
end
redis.call('EXPIRE', KEYS[1], ARGV[9])
for _, name in ipairs({queue, apps}) do
  if redis.call('TTL', name) < tonumber(ARGV[9]) then redis.call('EXPIRE', name, ARGV[9]) end
end
return 'stands'
"""
)
# Puts the positions of a batch, each a question whose answer the batch collects. Returns "put", "stands" or "other" as
# ENTER does, or, if there is no room for more positions, the number that wait.
# KEYS: the batch's stream, the queue, the times of answers
# ARGV: what streams' keys begin with, key, app, digest or "", seconds until all is gone, most that may wait of an app,
#       then of each position the question, its kind and the usual cost of that
ASK_ALL: Final = (
    RULES
    + """
local prefix, job, app, queue, ttl = ARGV[1], ARGV[2], ARGV[3], KEYS[2], ARGV[5]
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if first then
  local digest = first[1] == '1-0' and first[2][12] or first[2][6]
  return ARGV[4] ~= '' and digest == ARGV[4] and 'stands' or 'other'
end
local pending, many = queue .. ':batches:' .. app, (#ARGV - 6) / 3
if redis.call('LLEN', pending) + many > tonumber(ARGV[6]) then return tostring(redis.call('LLEN', pending)) end
redis.call('XADD', KEYS[1], '1-0', 'owner', app, 'question', '{}', 'queue', queue, 'member', '', 'kind', '',
           'digest', ARGV[4], 'many', many)
redis.call('EXPIRE', KEYS[1], ttl)
for at = 7, #ARGV, 3 do
  local key, cost = job .. '_' .. (at - 7) / 3, cost_of(KEYS[3], ARGV[at + 1], ARGV[at + 2])
  redis.call('XADD', prefix .. key, '1-0', 'owner', app, 'question', ARGV[at], 'queue', queue,
             'member', string.format('%s 0 1 %s', app, key), 'kind', ARGV[at + 1], 'digest', '', 'batch', job,
             'cost', cost)
  redis.call('HINCRBY', queue .. ':apps', app .. ' batched', cost)
  redis.call('EXPIRE', prefix .. key, ttl)
  redis.call('RPUSH', pending, key)
end
advance(prefix, queue, app)
for _, name in ipairs({queue, queue .. ':apps', pending}) do
  if redis.call('TTL', name) < tonumber(ttl) then redis.call('EXPIRE', name, ttl) end
end
return 'put'
"""
)
# Stores a question that is in no queue.
# KEYS: its stream; ARGV: owner, question, seconds until it is gone
LAY: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XADD', KEYS[1], '1-0', 'owner', ARGV[1], 'question', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
return 1
"""
# Takes the first question in the queues that is not forgotten. Returns its key; and the key of the next question if
# fewer jobs than questions wait, because then one question has lost its job.
# KEYS: the queues of hints, of long questions, of others; RQ's list of waiting jobs, what is being thought about
# ARGV: what streams' keys begin with, the numbers of the queues that are looked at, the worker, now or "", a question
#       that is taken where none is in the queue and nobody thinks about it, or ""
NEXT: Final = (
    RULES
    + """
local function first(queue) return redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES') end
local function key(member) return (select(4, parts(member))) end
local function take(taken)
  local tries = tonumber(string.match(redis.call('HGET', KEYS[5], taken) or '0', '^%d+')) + 1
  redis.call('HSET', KEYS[5], taken, string.format('%d %d %s', tries, clock(ARGV[4]) / 1000, ARGV[3]))
  redis.call('EXPIRE', KEYS[5], 3600)
end
for number in string.gmatch(ARGV[2], '%d') do
  local at = tonumber(number)
  while true do
    local member, turn = unpack(first(KEYS[at]))
    if not member then break end
    leave(KEYS[at], member)
    advance(ARGV[1], KEYS[at], (parts(member)))
    local taken = key(member)
    if unanswered(ARGV[1] .. taken) then
      redis.call('HSET', KEYS[at] .. ':apps', 'now', turn)
      take(taken)
      local waiting, behind = 0, nil
      for at_queue = 1, 3 do
        waiting, behind = waiting + redis.call('ZCARD', KEYS[at_queue]), behind or first(KEYS[at_queue])[1]
      end
      local lost = waiting > redis.call('LLEN', KEYS[4])
      return {taken, lost and key(behind) or ''}
    end
  end
end
if ARGV[5] ~= '' and unanswered(ARGV[1] .. ARGV[5]) and redis.call('HEXISTS', KEYS[5], ARGV[5]) == 0 then
  take(ARGV[5])
  return {ARGV[5], ''}
end
return {}
"""
)
# Puts a question of a dead or stopping worker back into its queue, before all others. Returns "back"; "gone" if nobody
# waits for it, or it is queued; "spent" if too many workers have died of it.
# KEYS: the question's stream, what is being thought about
# ARGV: key, the record of its worker as it was read, how many workers may take it, 1 if the worker stops and does not
#       count, else 0
PUT_BACK: Final = (
    RULES
    + """
local known = redis.call('HGET', KEYS[2], ARGV[1])
local fields = unanswered(KEYS[1])
if not fields then redis.call('HDEL', KEYS[2], ARGV[1]) end
if not fields or known ~= ARGV[2] then return 'gone' end
local tries = string.match(known, '^%d+')
if tonumber(tries) >= tonumber(ARGV[3]) then return 'spent' end
redis.call('HSET', KEYS[2], ARGV[1], tries - ARGV[4] .. ' 0 ')
if redis.call('ZSCORE', fields[6], fields[8]) then return 'gone' end
enter(fields[6], fields[8], true)
return 'back'
"""
)
# Notes that a worker is still thinking about a question.
# KEYS: what is being thought about; ARGV: key, the worker, now or ""
RENEW: Final = (
    RULES
    + """
local tries, worker = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) %d+ (.*)$')
if worker ~= ARGV[2] then return 0 end
redis.call('EXPIRE', KEYS[1], 3600)
return redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %d %s', tries, clock(ARGV[3]) / 1000, worker))
"""
)
# Stores the answer, unless the question is gone or has one already; the question itself is deleted. The usage is
# recorded in the same step. The answer to a long question is kept for as long as the question would have been.
# KEYS: the question's stream, the times of answers, what is being thought about, the notes, the queue of long ones
# ARGV: key, answer, seconds until it is gone, the microseconds that it took or "", what was used or "", what streams'
#       keys begin with
ANSWER: Final = (
    RULES
    + NOTE
    + TELL_DONE
    + """
local fields = unanswered(KEYS[1])
redis.call('HDEL', KEYS[3], ARGV[1])
if not fields then return 0 end
if fields[8] then leave(fields[6], fields[8]) end
if ARGV[4] ~= '' and fields[10] then measure(KEYS[2], fields[10], tonumber(ARGV[4])) end
local function answered(stream, its, answer)
  redis.call('XADD', stream, '2-0', 'owner', its[2], 'answer', answer, 'digest', its[12] or '')
  redis.call('XDEL', stream, '1-0')
  redis.pcall('PUBLISH', stream, 2)
end
local function tell(stream, its)
  if redis.call('EXISTS', stream .. ':announced') == 1 then
    tell_done(its[2], string.sub(stream, #ARGV[6] + 1), redis.call('PTTL', stream))
  end
end
if fields[13] ~= 'batch' then
  answered(KEYS[1], fields, ARGV[2])
  if fields[6] ~= KEYS[5] then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
  tell(KEYS[1], fields)
else
  redis.call('DEL', KEYS[1])
  advance(ARGV[6], fields[6], fields[2])
  local stream = ARGV[6] .. fields[14]
  local answers, whole = stream .. ':answers', unanswered(stream)
  if not whole then return 0 end
  redis.call('HSET', answers, string.match(ARGV[1], '%d+$'), ARGV[2])
  redis.call('EXPIRE', answers, math.max(1, redis.call('TTL', stream)))
  if redis.call('HLEN', answers) == tonumber(whole[14]) then
    answered(stream, whole, '{"batch": true}')
    tell(stream, whole)
  end
end
if ARGV[5] ~= '' then note(ARGV[5], ARGV[1]) end
return 1
"""
)
# Makes a webhook tell the owner once, when the job is done; immediately if it already is.
# KEYS: the question's stream; ARGV: key, owner
ANNOUNCE: Final = (
    TELL_DONE
    + """
local first, announced = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1], KEYS[1] .. ':announced'
if not first or first[2][2] ~= ARGV[2] then return 0 end
local left = math.max(1, redis.call('PTTL', KEYS[1]))
if redis.call('SET', announced, 1, 'NX', 'PX', left) and first[1] ~= '1-0' then tell_done(ARGV[2], ARGV[1], left) end
redis.call('PEXPIRE', announced, left)
return 1
"""
)
# Removes a question, and the job that was made for it, unless that job already served another question; or a batch and
# the positions that wait.
# KEYS: the question's stream, RQ's list of waiting jobs, what is being thought about
# ARGV: the key
FORGET: Final = (
    RULES
    + """
local fields = unanswered(KEYS[1])
redis.call('HDEL', KEYS[3], ARGV[1])
local left = fields and fields[8] and leave(fields[6], fields[8])
if left and redis.call('LREM', KEYS[2], 1, 'think-' .. ARGV[1]) > 0 then
  redis.call('DEL', 'rq:job:think-' .. ARGV[1])
end
for number = 1, fields and fields[13] == 'many' and tonumber(fields[14]) or 0 do
  redis.call('DEL', KEYS[1] .. '_' .. number - 1)
end
return redis.call('DEL', KEYS[1], KEYS[1] .. ':answers', KEYS[1] .. ':announced')
"""
)
