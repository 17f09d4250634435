"""Questions to bots, on their way to a worker that thinks, and the answers on their way back.

A question is a stream of its own on the queue's server, `migrato:thinking:<key>`: entry 1-0 is the question, 2-0 the
answer. A caller that waits for the answer blocks on the stream, as often as need be; the first answer is the only one.
The question is deleted when the answer comes, and the answer after ANSWER_TTL.

Until a worker takes it, it is in one of three queues: that of hints, which come first, of long ones, or of all others.
While a worker thinks about a long question, it gives hints and answers others, but no other long one.

A worker learns of it by an RQ job that carries nothing but the key. The job only says that something waits: the worker
takes the first question in the queue. These jobs have an RQ queue of their own, so that questions never delay games.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import random
from typing import Any, Final

import orjson

from domain.lifecycle import Json
from events.engine.pending_action import QUESTION_QUEUE
from events.errors import CommandMismatch, NoAnswer, QuestionNotFound, QueueFull, StoreUnavailable
from events.features.bots.queue import BATCH_LASTS, LONGEST_RETRY, MOST, OF_APP, Cost, Refusals
from events.features.bots.redis.queue import LOOK, RULES
from events.store.cluster.news import news_of
from events.store.connections.client import Argument, RedisClient
from events.store.queues.keys import NOTE, NOTES, waiting_jobs, workers

JOB = "workers.bot_query_worker.think"  # the function that a worker carries out, with the key
REMEMBERED = 3 * MOST  # fields of a queue's `:apps`, before those of apps without questions are removed
QUESTION_TTL = 180  # seconds after which a question that nobody has answered is gone
ANSWER_TTL = 120  # seconds for which an answer can be fetched
LOST_AFTER = 30  # seconds without a sign after which a question that a worker has taken counts as lost
TRIES = 2  # workers that may take a question and die before they answer it
PREFIX = "migrato:thinking:"
HINTS = "migrato:thinking-queue:hints"
QUESTIONS = "migrato:thinking-queue:questions"
LONG = "migrato:thinking-queue:long"
TIMES = "migrato:thinking-times"  # of each kind of question the microseconds that an answer takes
TAKEN = "migrato:thinking-taken"  # of each question that is thought about: tries, since when (s), and by whom

# Finds room for a question that is to be put; a question with a key that finds none gets a reservation. Returns
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
# Stores a question and puts it into the queue, unless it is there already or there is no room; a question that has
# found room by ENTER has it. A stored question in no queue is being thought about, or its worker died: it is put into
# the queue again, and passed over if it has been answered by then. Returns "stands", "answered", "other" if
# the key has another question, or the seconds until there is room.
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
# Puts the positions of a batch, each a question of its own whose answer the batch gets. Returns "put", "stands" or
# "other" as ENTER does, or the number of positions that wait if there is no room for more.
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
# Keeps a question that is in no queue.
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
# Notes that a worker still thinks about a question.
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
# Gives the answer, unless the question is gone or has one already; the question itself is not kept. What was used is
# noted with it. That of a long question is kept until the question would have gone.
# KEYS: the question's stream, the times of answers, what is being thought about, the notes, the queue of long ones
# ARGV: key, answer, seconds until it is gone, the microseconds that it took or "", what was used or "", what streams'
#       keys begin with
ANSWER: Final = (
    RULES
    + NOTE
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
if fields[13] ~= 'batch' then
  answered(KEYS[1], fields, ARGV[2])
  if fields[6] ~= KEYS[5] then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
else
  redis.call('DEL', KEYS[1])
  advance(ARGV[6], fields[6], fields[2])
  local stream = ARGV[6] .. fields[14]
  local answers, whole = stream .. ':answers', unanswered(stream)
  if not whole then return 0 end
  redis.call('HSET', answers, string.match(ARGV[1], '%d+$'), ARGV[2])
  redis.call('EXPIRE', answers, math.max(1, redis.call('TTL', stream)))
  if redis.call('HLEN', answers) == tonumber(whole[14]) then answered(stream, whole, '{"batch": true}') end
end
if ARGV[5] ~= '' then note(ARGV[5], ARGV[1]) end
return 1
"""
)
# Forgets a question, and the job that was made for it, unless that was done for another one; or a batch and its rest.
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
return redis.call('DEL', KEYS[1], KEYS[1] .. ':answers')
"""
)
ANSWERED: Final = 2  # the number of an answer in its stream

Enqueue = Callable[[str, bool], None]  # makes a job for this key, once; True: before all others


class RedisQuestionQueue:
    """Questions and answers on the queue's server; safe among threads and greenlets."""

    def __init__(
        self,
        link: RedisClient,
        waiting: RedisClient,
        patience: float,
        enqueue: Enqueue,
        clock: Callable[[], float] | None = None,
        chance: Callable[[], float] = random,
    ) -> None:
        """`waiting` is the way to the one connection on which all callers that wait are notified, each for at most
        `patience` s.

        `enqueue` makes the job. `clock`: seconds, in place of the server's time; `chance`: 0 to 1, spreads askers.
        """
        self._clock = clock
        self._chance: Callable[[], str] = lambda: f"{chance():.6f}"
        self._refusals = Refusals() if clock is None else Refusals(clock)
        self._link = link
        self._patience = patience
        self._enqueue = enqueue
        self._news = news_of(link, waiting, _ask_for_answer, _answer_in)

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raises QueueFull from the cache if this question was refused, or the app's share was full, a moment ago."""
        self._refusals.check(app if key is None else key)

    def enter(self, key: str, app: str, cost: Cost, digest: str = "") -> bool:
        """Find room for a question that will be put at once; False if it was put under its key already.

        `digest`: of a question with a key of the caller's, which gets a reservation if there is no room. Raises
        QueueFull, CommandMismatch if another question has the key, NoAnswer.
        """
        arguments = [key, app, *_told(cost), digest, self._now(), self._chance()]
        queue = LONG if cost.is_long else QUESTIONS
        keys = [_stream(key), queue, TIMES, workers(QUESTION_QUEUE)]
        what, *rest = self._asked(ENTER, keys, arguments)
        if what == b"other":
            raise CommandMismatch
        if what == b"none":
            seconds, reserved, is_full = (int(number) for number in rest)
            if reserved:
                self._refusals.note(key, seconds, reserved=True)
            if is_full and not digest and not cost.is_long:  # then others have room
                self._refusals.note(app, seconds, reserved=False)
            raise QueueFull(seconds, reserved=bool(reserved))
        return bool(what == b"room")

    def leave(self, key: str, app: str) -> None:
        """Give back the room that a question has found: it is not put."""
        with suppress(StoreUnavailable):  # its room is free after a moment
            self._link.script(LEAVE, [f"{queue}:reservations:{app}" for queue in (QUESTIONS, LONG)], [key])

    def ask(
        self,
        key: str,
        owner: str,
        question: Json,
        cost: Cost,
        *,
        urgent: bool = False,
        app: str | None = None,
        digest: str = "",
    ) -> None:
        """Put a question, in the queue of hints if it is `urgent`. Raises QueueFull, CommandMismatch, NoAnswer."""
        queue, ttl = (LONG, BATCH_LASTS) if cost.is_long else (HINTS if urgent else QUESTIONS, QUESTION_TTL)
        keys = [_stream(key), queue, TIMES, workers(QUESTION_QUEUE), TAKEN]
        about: list[Argument] = [key, owner, app or owner, orjson.dumps(question), *_told(cost), digest]
        reply = self._asked(ASK, keys, [*about, ttl, REMEMBERED, self._now(), self._chance()])
        if reply == b"other":
            raise CommandMismatch
        if reply.isdigit():
            raise QueueFull(int(reply))
        if reply == b"stands":  # also where it was put up before: that may have been all that was done
            self._enqueue(key, urgent)

    def ask_all(self, key: str, app: str, questions: Sequence[tuple[Json, Cost]], digest: str = "") -> None:
        """Put the positions of a batch. Raises QueueFull, CommandMismatch, NoAnswer."""
        arguments: list[Argument] = [PREFIX, key, app, digest, BATCH_LASTS, OF_APP]
        for question, cost in questions:
            arguments += orjson.dumps(question), *_told(cost)[:2]
        what = self._asked(ASK_ALL, [_stream(key), QUESTIONS, TIMES], arguments)
        if what == b"other":
            raise CommandMismatch
        if what.isdigit():
            raise QueueFull(min(LONGEST_RETRY, int(what) * questions[0][1].seconds))
        self._enqueue(f"{key}_0", False)

    def lay(self, key: str, owner: str, question: Json) -> None:
        """Keep a question that is in no queue. Raises NoAnswer."""
        self._asked(LAY, [_stream(key)], [owner, orjson.dumps(question), QUESTION_TTL])

    def _asked(self, script: str, keys: list[str], arguments: list[Argument]) -> Any:
        try:
            return self._link.script(script, keys, arguments)
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer, waited for at most `seconds`, and this queue's patience. Raises QuestionNotFound, NoAnswer."""
        try:
            entries = self._link.call("XRANGE", _stream(key), "-", "+")
            if entries and entries[0][0] == b"1-0" and _owner(entries[0]) == owner and seconds > 0:
                self._news.wait(_stream(key), ANSWERED - 1, min(seconds, self._patience))
                entries = self._link.call(*_ask_for_answer(_stream(key))) or entries
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error
        if not entries or _owner(entries[0]) != owner:
            raise QuestionNotFound
        entry_id, fields = entries[0]
        if entry_id == b"1-0":
            return None
        answer = _document(fields[3])
        if not answer.get("batch"):
            return answer
        found = self._link.call("HGETALL", f"{_stream(key)}:answers")
        each = {int(at): _document(raw) for at, raw in zip(found[::2], found[1::2], strict=True)}
        return {"answers": [each[at] for at in sorted(each)]}

    def seconds_left(self, key: str) -> float:
        """Seconds until the question, or its answer, is gone. Raises NoAnswer."""
        try:
            return max(0, int(self._link.call("PTTL", _stream(key)))) / 1000
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error

    def forget(self, key: str) -> None:
        """Remove the question, and its job. Raises StoreUnavailable."""
        self._link.script(FORGET, [_stream(key), waiting_jobs(QUESTION_QUEUE), TAKEN], [key])

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the next question; the one behind it gets a job if it lost its own. Raises StoreUnavailable.

        `or_else`: the question to take if the queues are empty and nobody thinks about it.
        """
        keys = [HINTS, LONG, QUESTIONS, waiting_jobs(QUESTION_QUEUE), TAKEN]
        queues = "1" if hints_only else "123" if long_too else "13"
        taken = self._link.script(NEXT, keys, [PREFIX, queues, worker, self._now(), or_else])
        if not taken:
            return None
        key, without_job = (part.decode() for part in taken)
        if without_job:
            self._enqueue(without_job, False)
        return str(key)

    def put_back(self, is_dead: Callable[[str], bool]) -> list[str]:
        """Put questions of dead workers into their queues again; the keys of those that too many workers have died of.

        If questions wait and no job does, the first question gets one. Raises StoreUnavailable, NoAnswer.
        """
        found, (seconds, _), jobs, *first = self._link.calls(
            [
                ("HGETALL", TAKEN),
                ("TIME",),
                ("LLEN", waiting_jobs(QUESTION_QUEUE)),
                ("ZRANGE", HINTS, 0, 0),
                ("ZRANGE", LONG, 0, 0),
                ("ZRANGE", QUESTIONS, 0, 0),
            ]
        )
        waiting, spent = [one for queue in first for one in queue], list[str]()
        if waiting and not jobs:  # thinkers were away for longer than a job waits for one
            self._enqueue(waiting[0].decode().split(" ", 3)[3], False)
        for raw, known in zip(found[::2], found[1::2], strict=True):
            key, (_, since, worker) = raw.decode(), known.decode().split(" ", 2)
            if not is_dead(worker) and abs(int(seconds) - int(since)) <= LOST_AFTER:
                continue
            what = self._link.script(PUT_BACK, [_stream(key), TAKEN], [key, known, TRIES, 0])
            if what == b"back":
                self._enqueue(key, True)
            elif what == b"spent":
                spent.append(key)
        return spent

    def renew(self, key: str, worker: str) -> None:
        """Note that the worker still thinks about the question. Raises StoreUnavailable."""
        self._link.script(RENEW, [TAKEN], [key, worker, self._now()])

    def leave_off(self, key: str, worker: str) -> None:
        """Put the question into its queue again: the worker stops. Raises StoreUnavailable."""
        known = self._link.call("HGET", TAKEN, key)
        if known is None or known.decode().split(" ", 2)[2] != worker:
            return
        if self._link.script(PUT_BACK, [_stream(key), TAKEN], [key, known, TRIES + 1, 1]) == b"back":
            self._enqueue(key, True)

    def question(self, key: str) -> Json | None:
        """The question; None if it is answered or forgotten. Raises StoreUnavailable."""
        entries = self._link.call("XRANGE", _stream(key), "1-0", "1-0")
        return _document(entries[0][1][3]) if entries else None

    def tell(self, key: str, answer: Json, seconds: float | None = None, used: str = "") -> None:
        """Give the answer, which took so many `seconds`, and note what was `used`; an earlier one stays.

        Raises StoreUnavailable.
        """
        took = "" if seconds is None else max(1, round(seconds * 1e6))
        sent: list[Argument] = [key, orjson.dumps(answer), ANSWER_TTL, took, used, PREFIX]
        self._link.script(ANSWER, [_stream(key), TIMES, TAKEN, NOTES, LONG], sent)

    def _now(self) -> Argument:
        return "" if self._clock is None else round(1000 * self._clock())


def work_waiting(link: RedisClient) -> tuple[dict[str, float], int]:
    """Seconds of work that wait, by queue, and the number of living thinkers, at least 1. Raises StoreUnavailable."""
    *work, living = link.script(LOOK, [HINTS, QUESTIONS, LONG, workers(QUESTION_QUEUE)], [])
    names = ("hints", "questions", "long", "batches")
    return {name: int(each) / 1e6 for name, each in zip(names, work, strict=True)}, int(living)


def _told(cost: Cost) -> tuple[Argument, Argument, Argument]:
    return cost.kind, round(1e6 * cost.seconds), cost.slots


def _stream(key: str) -> str:
    return PREFIX + key


def _ask_for_answer(stream: str) -> tuple[str, str, str, str]:
    return ("XRANGE", stream, f"{ANSWERED}-0", f"{ANSWERED}-0")


def _answer_in(entries: list[Any]) -> int:
    return ANSWERED if entries else ANSWERED - 1


def _owner(entry: tuple[bytes, list[bytes]]) -> str:
    return entry[1][1].decode()


def _document(raw: bytes) -> Json:
    document: Json = orjson.loads(raw)
    return document
