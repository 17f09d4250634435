"""Questions to bots, on their way to a worker that thinks, and the answers on their way back.

A question is a stream of its own on the queue's server, `migrato:thinking:<key>`: entry 1-0 is the question, 2-0 the
answer, so that whoever waits for it blocks on the stream, as often as need be, and the first answer is the only one.
Nothing of it lasts: the question goes when the answer comes, and the answer when it has been there for ANSWER_TTL.

Until a worker takes it, it stands in one of two lines: of hints, which come first, or of all other questions. In a line
the apps take turns, however many questions each of them has there: a question gets the number after its app's last one,
or half a number after the one that was taken last if that is more, and the lowest is taken first.

A worker learns of it by an RQ job that carries nothing but the key. It only says that something waits: what is taken is
the first in line. The queue is one of its own, so that questions never stand in the way of games.
"""

from collections.abc import Callable
from typing import Any, Final

import orjson

from domain.lifecycle import Json
from events.engine.pending_action import QUESTION_QUEUE
from events.errors import NoAnswer, QuestionNotFound, QueueFull, StoreUnavailable
from events.store.cluster.news import news_of
from events.store.connections.client import Argument, RedisClient
from events.store.queues.keys import waiting_jobs

JOB = "workers.bot_query_worker.think"  # the function that a worker carries out, with the key
MOST_WAITING = 128  # in each line; whoever came later would wait in vain
SHARE = 32  # questions of one app
SHARE_OF_HINTS = 64  # hints in games of one app
REMEMBERED = 3 * MOST_WAITING  # fields beside a line: of apps that wait in it, and of some that do not
QUESTION_TTL = 180  # seconds after which a question that nobody has answered is gone
ANSWER_TTL = 120  # seconds for which an answer can be fetched
PREFIX = "migrato:thinking:"
HINTS = ("migrato:thinking-line:hints", "migrato:thinking-line:hints:apps")
QUESTIONS = ("migrato:thinking-line:questions", "migrato:thinking-line:questions:apps")

# A line is a sorted set of `app key`. Beside it stands a hash: under `app waiting` how many an app has in the line,
# under `app last` the number of its last question, under `now` that of the one that was taken last.
LEAVE: Final = """
local function leave(line, apps, member)
  if redis.call('ZREM', line, member) == 0 then return false end
  local waiting = string.match(member, '^%S+') .. ' waiting'
  if redis.call('HINCRBY', apps, waiting, -1) <= 0 then redis.call('HDEL', apps, waiting) end
  return true
end
local function unanswered(stream)
  local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  return first and first[1] == '1-0' and first[2]
end
local function leave_for_good(stream, fields)
  local line, app, key = fields[6], fields[8], string.sub(stream, #ARGV[1] + 1)
  return line and leave(line, line .. ':apps', app .. ' ' .. key) and key
end
"""
# Puts a question up and in line, unless it stands there already or there is no room. One that is up and in no line is
# being thought about, or its worker died: it is put in line again, to be passed over if it has been answered by then.
# Says "stands" or "answered", or what is full ("all" or "share") and of how many.
# KEYS: the question's stream, the line, the hash beside it
# ARGV: key, owner, app, question, seconds until it is gone, most that may wait in the line, and of them of one app,
#       how many fields the hash may have before apps that are owed nothing are forgotten
ASK: Final = """
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if first and first[1] ~= '1-0' then return 'answered' end
local app, member = ARGV[3], ARGV[3] .. ' ' .. ARGV[1]
if first and redis.call('ZSCORE', KEYS[2], member) then return 'stands' end
local waiting = redis.call('ZCARD', KEYS[2])
if waiting >= tonumber(ARGV[6]) then return first and 'stands' or 'all ' .. waiting end
local function number(field) return tonumber(redis.call('HGET', KEYS[3], field) or 0) end
local own = number(app .. ' waiting')
if own >= tonumber(ARGV[7]) then return first and 'stands' or 'share ' .. own end

local now = number('now')
if redis.call('HLEN', KEYS[3]) > tonumber(ARGV[8]) then
  local fields = redis.call('HGETALL', KEYS[3])
  for at = 1, #fields, 2 do
    if string.match(fields[at], ' last$') and tonumber(fields[at + 1]) + 0.5 <= now then
      redis.call('HDEL', KEYS[3], fields[at])
    end
  end
end
local turn = math.max(now + 0.5, number(app .. ' last') + 1)
redis.call('ZADD', KEYS[2], turn, member)
redis.call('HSET', KEYS[3], app .. ' last', turn)
redis.call('HINCRBY', KEYS[3], app .. ' waiting', 1)
if not first then
  redis.call('XADD', KEYS[1], '1-0', 'owner', ARGV[2], 'question', ARGV[4], 'line', KEYS[2], 'app', app)
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[5]) end
return 'stands'
"""
# Takes the first in line that somebody still wants to know; says its key, and that of the next in line where fewer jobs
# wait than questions do, so that one has lost its job.
# KEYS: the line of hints, the hash beside it, the line of questions, the hash beside it, RQ's list of waiting jobs
# ARGV: what streams' keys begin with, the last of the lines among the KEYS that is looked at
NEXT: Final = (
    LEAVE
    + """
local function first(line) return redis.call('ZRANGE', line, 0, 0, 'WITHSCORES') end
local function key(member) return string.match(member, '%S+$') end
for at = 1, tonumber(ARGV[2]), 2 do
  while true do
    local member, turn = unpack(first(KEYS[at]))
    if not member then break end
    leave(KEYS[at], KEYS[at + 1], member)
    if unanswered(ARGV[1] .. key(member)) then
      redis.call('HSET', KEYS[at + 1], 'now', turn)
      local waiting = redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[3])
      local behind = first(KEYS[1])[1] or first(KEYS[3])[1]
      local lost = waiting > redis.call('LLEN', KEYS[5])
      return {key(member), lost and key(behind) or ''}
    end
  end
end
return {}
"""
)
# Gives the answer, unless the question is gone or has one already; the question itself is not kept.
# KEYS: the question's stream
# ARGV: what streams' keys begin with, answer, seconds until it is gone
ANSWER: Final = (
    LEAVE
    + """
local fields = unanswered(KEYS[1])
if not fields then return 0 end
leave_for_good(KEYS[1], fields)
redis.call('XADD', KEYS[1], '2-0', 'owner', fields[2], 'answer', ARGV[2])
redis.call('XDEL', KEYS[1], '1-0')
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.pcall('PUBLISH', KEYS[1], 2)
return 1
"""
)
# Forgets a question, and the job that was made for it, unless that was done for another one.
# KEYS: the question's stream, RQ's list of waiting jobs
# ARGV: what streams' keys begin with
FORGET: Final = (
    LEAVE
    + """
local fields = unanswered(KEYS[1])
local key = fields and leave_for_good(KEYS[1], fields)
if key and redis.call('LREM', KEYS[2], 1, 'think-' .. key) > 0 then redis.call('DEL', 'rq:job:think-' .. key) end
return redis.call('DEL', KEYS[1])
"""
)
ANSWERED: Final = 2  # the number of an answer in its stream

Enqueue = Callable[[str, bool], None]  # makes a job for this key, once; True: before all others


class RedisQuestionQueue:
    """Questions and answers on the queue's server; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, waiting: RedisClient, patience: float, enqueue: Enqueue) -> None:
        """`waiting` is the way to the one connection on which all who wait are notified, each for at most `patience` s.

        `enqueue` makes the job.
        """
        self._link = link
        self._patience = patience
        self._enqueue = enqueue
        self._news = news_of(link, waiting, _ask_for_answer, _answer_in)

    def ask(
        self, key: str, owner: str, question: Json, *, urgent: bool = False, app: str | None = None
    ) -> None:
        """Put a question, in the line of hints if it is `urgent`. Raises QueueFull, NoAnswer."""
        line, share = (HINTS, SHARE_OF_HINTS) if urgent else (QUESTIONS, SHARE)
        arguments: list[Argument] = [
            key,
            owner,
            app or owner,
            orjson.dumps(question),
            QUESTION_TTL,
            MOST_WAITING,
            share,
            REMEMBERED,
        ]
        try:
            reply = self._link.script(ASK, [_stream(key), *line], arguments)
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error
        what, _, waiting = reply.decode().partition(" ")
        if waiting:
            raise QueueFull(int(waiting), of_app=what == "share")
        if what == "stands":  # also where it was put up before: that may have been all that was done
            self._enqueue(key, urgent)

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
        return None if entry_id == b"1-0" else _document(fields[3])

    def forget(self, key: str) -> None:
        """Remove the question, and its job. Raises StoreUnavailable."""
        self._link.script(FORGET, [_stream(key), waiting_jobs(QUESTION_QUEUE)], [PREFIX])

    def next(self, *, hints_only: bool = False) -> str | None:
        """The key of the next question; the one behind it gets a job if it lost its own. Raises StoreUnavailable."""
        keys = [*HINTS, *QUESTIONS, waiting_jobs(QUESTION_QUEUE)]
        taken = self._link.script(NEXT, keys, [PREFIX, 1 if hints_only else 3])
        if not taken:
            return None
        key, without_job = (part.decode() for part in taken)
        if without_job:
            self._enqueue(without_job, False)
        return str(key)

    def question(self, key: str) -> Json | None:
        """The question; None where it is answered or nobody wants to know. Raises StoreUnavailable."""
        entries = self._link.call("XRANGE", _stream(key), "1-0", "1-0")
        return _document(entries[0][1][3]) if entries else None

    def tell(self, key: str, answer: Json) -> None:
        """Give the answer; an earlier one stays. Raises StoreUnavailable."""
        self._link.script(ANSWER, [_stream(key)], [PREFIX, orjson.dumps(answer), ANSWER_TTL])


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
