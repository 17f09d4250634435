"""Questions to bots, on their way to a worker that thinks, and the answers on their way back.

A question is a stream of its own on the queue's server, `migrato:thinking:<key>`: entry 1-0 is the question, 2-0 the
answer, so that whoever waits for it blocks on the stream, as often as need be, and the first answer is the only one.
Nothing of it lasts: the question goes when the answer comes, and the answer when it has been there for ANSWER_TTL.

A worker learns of it by an RQ job that carries nothing but the key. The queue has a bounded length and is one of its
own, so that questions never stand in the way of games.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import orjson

from domain.lifecycle import Json
from events.errors import NoAnswer, QuestionNotFound, QueueFull, StoreUnavailable
from events.redis_link import RedisLink

QUEUE = "migrato-thinking"
JOB = "workers.thinking.think"  # the function that a worker carries out, with the key
MOST_WAITING = 32  # questions; whoever came later would wait for longer than anybody does
QUESTION_TTL = 180  # seconds after which a question that nobody has answered is gone
ANSWER_TTL = 120  # seconds for which an answer can be fetched

# Puts a question up, unless it stands there already or too many are waiting for a worker.
# Says -1 if it stands there now, -2 if it is answered already, and else how many are waiting.
# KEYS: the question's stream, RQ's list of waiting jobs
# ARGV: owner, question, seconds until it is gone, most that may wait
ASK = """
local first = redis.call('XRANGE', KEYS[1], '-', '+')[1]
if first and first[1] ~= '1-0' then return -2 end
if not first then
  local waiting = redis.call('LLEN', KEYS[2])
  if waiting >= tonumber(ARGV[4]) then return waiting end
  redis.call('XADD', KEYS[1], '1-0', 'owner', ARGV[1], 'question', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
return -1
"""
# Gives the answer, unless the question is gone or has one already; the question itself is not kept.
# KEYS: the question's stream
# ARGV: answer, seconds until it is gone
ANSWER = """
local first = redis.call('XRANGE', KEYS[1], '-', '+')[1]
if not first or first[1] ~= '1-0' then return 0 end
redis.call('XADD', KEYS[1], '2-0', 'owner', first[2][2], 'answer', ARGV[1])
redis.call('XDEL', KEYS[1], '1-0')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""
STANDS = -1

Enqueue = Callable[[str, bool], None]  # makes a job for this key, once; True: before all others


class Thinkers(Protocol):
    """Where questions wait for somebody who thinks about them. Every method may raise NoAnswer."""

    def ask(self, key: str, owner: str, question: Json, *, urgent: bool = False) -> None:
        """Put a question; nothing happens where one stands under the key already. QueueFull.

        An `urgent` one comes first, and finds room where others do not any more.
        """

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer to the owner's question, waited for at most so long; None while there is none.

        Raises QuestionNotFound.
        """

    def forget(self, key: str) -> None:
        """Nobody wants to know any more."""

    def question(self, key: str) -> Json | None:
        """For a worker: what is asked; None where it is answered or nobody wants to know."""

    def tell(self, key: str, answer: Json) -> None:
        """For a worker: the answer."""


@dataclass(frozen=True, slots=True)
class RedisThinkers:
    """Questions and answers on the queue's server; safe among threads and greenlets.

    `waiting` carries what blocks, for at most `patience` seconds at a time; `enqueue` makes the job.
    """

    link: RedisLink
    waiting: RedisLink
    patience: float
    enqueue: Enqueue

    def ask(self, key: str, owner: str, question: Json, *, urgent: bool = False) -> None:
        """See `Thinkers`."""
        try:
            found = self.link.script(
                ASK,
                [_stream(key), f"rq:queue:{QUEUE}"],
                [owner, orjson.dumps(question), QUESTION_TTL, MOST_WAITING * (2 if urgent else 1)],
            )
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error
        if found >= 0:
            raise QueueFull(found)
        if found == STANDS:  # also where it was put up before: that may have been all that was done
            self.enqueue(key, urgent)

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """See `Thinkers`."""
        try:
            entries = self.link.call("XRANGE", _stream(key), "-", "+")
            if entries and entries[0][0] == b"1-0" and _owner(entries[0]) == owner and seconds > 0:
                milliseconds = max(1, int(min(seconds, self.patience) * 1000))
                blocking = ("XREAD", "COUNT", 1, "BLOCK", milliseconds, "STREAMS", _stream(key), "1-0")
                found = self.waiting.call(*blocking)
                entries = found[0][1] if found else entries
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error
        if not entries or _owner(entries[0]) != owner:
            raise QuestionNotFound
        entry_id, fields = entries[0]
        return None if entry_id == b"1-0" else _document(fields[3])

    def forget(self, key: str) -> None:
        """See `Thinkers`."""
        self.link.call("DEL", _stream(key))

    def question(self, key: str) -> Json | None:
        """See `Thinkers`."""
        entries = self.link.call("XRANGE", _stream(key), "1-0", "1-0")
        return _document(entries[0][1][3]) if entries else None

    def tell(self, key: str, answer: Json) -> None:
        """See `Thinkers`."""
        self.link.script(ANSWER, [_stream(key)], [orjson.dumps(answer), ANSWER_TTL])


def _stream(key: str) -> str:
    return f"migrato:thinking:{key}"


def _owner(entry: tuple[bytes, list[bytes]]) -> str:
    return entry[1][1].decode()


def _document(raw: bytes) -> Json:
    document: Json = orjson.loads(raw)
    return document
