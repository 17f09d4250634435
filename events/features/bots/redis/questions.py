"""Questions to bots, on their way to a worker that thinks, and the answers on their way back.

A question is a stream of its own on the queue's server, `migrato:thinking:<key>`: entry 1-0 is the question, 2-0 the
answer. A caller that waits for the answer blocks on the stream, as often as need be; the first answer is the only one.
The question is deleted when the answer comes, and the answer after ANSWER_TTL.

Until a worker takes it, a question is in one of three queues: that of hints, which come first, of long questions, or of
all others. While a worker thinks about a long question, it still gives hints and answers other questions, but takes no
second long one.

A worker learns of a question by an RQ job that carries only the key. The job merely says that something waits: the
worker takes the first question in the queue. These jobs have an RQ queue of their own, so that questions never delay
games.
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
from events.features.bots.redis.question_scripts import (
    ANNOUNCE,
    ANSWER,
    ASK,
    ASK_ALL,
    ENTER,
    FORGET,
    LAY,
    LEAVE,
    NEXT,
    PUT_BACK,
    RENEW,
)
from events.features.bots.redis.queue import LOOK
from events.store.cluster.news import news_of
from events.store.connections.client import Argument, RedisClient
from events.store.queues.keys import NOTES, waiting_jobs, workers

JOB = "workers.bot_query_worker.think"  # the function that a worker carries out, with the key
# fields of a queue's `:apps` hash; beyond this number, those of apps without questions are removed
REMEMBERED = 3 * MOST
QUESTION_TTL = 180  # seconds for which an unanswered question is kept
ANSWER_TTL = 120  # seconds for which an answer can be fetched
# seconds without a sign of life after which a question that a worker has taken counts as lost
LOST_AFTER = 30
TRIES = 2  # workers that may take a question and die; then it has failed
PREFIX = "migrato:thinking:"
HINTS = "migrato:thinking-queue:hints"
QUESTIONS = "migrato:thinking-queue:questions"
LONG = "migrato:thinking-queue:long"
TIMES = "migrato:thinking-times"  # for each kind of question, the microseconds that an answer takes
# for each question that a worker is thinking about: tries, the time of the last sign (s), the worker
TAKEN = "migrato:thinking-taken"
ANSWERED: Final = 2  # the number of the answer's entry in the stream

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
        """`waiting` is the connection on which all waiting callers are notified, each for at most `patience` seconds.

        `enqueue` makes the job. `clock`: seconds, in place of the server's time; `chance`: a number from 0 to 1 that
        spreads the times at which refused callers return.
        """
        self._clock = clock
        self._chance: Callable[[], str] = lambda: f"{chance():.6f}"
        self._refusals = Refusals() if clock is None else Refusals(clock)
        self._link = link
        self._patience = patience
        self._enqueue = enqueue
        self._news = news_of(link, waiting, _ask_for_answer, _answer_in)

    def refuse_early(self, app: str, key: str | None) -> None:
        """Raise QueueFull from the cache if this question was refused, or the app's share was full, a moment ago."""
        self._refusals.check(app if key is None else key)

    def enter(self, key: str, app: str, cost: Cost, digest: str = "") -> bool:
        """Find room for a question that will be put at once; False if it was put under its key already.

        `digest`: of a question with a key of the caller's own; it gets a reservation if there is no room. Raises
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
            # otherwise other questions of the app may still find room
            if is_full and not digest and not cost.is_long:
                self._refusals.note(app, seconds, reserved=False)
            raise QueueFull(seconds, reserved=bool(reserved))
        return bool(what == b"room")

    def leave(self, key: str, app: str) -> None:
        """Give back the room of a question that will not be put."""
        with suppress(StoreUnavailable):  # its room expires after a moment
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
        # a question that stands may lack a job: the process that put it may have died before it made one
        if reply == b"stands":
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
        """Store a question that is in no queue. Raises NoAnswer."""
        self._asked(LAY, [_stream(key)], [owner, orjson.dumps(question), QUESTION_TTL])

    def _asked(self, script: str, keys: list[str], arguments: list[Argument]) -> Any:
        try:
            return self._link.script(script, keys, arguments)
        except StoreUnavailable as error:
            raise NoAnswer(error.reason) from error

    def answer(self, key: str, owner: str, seconds: float = 0.0) -> Json | None:
        """The answer, waited for at most `seconds`, and no longer than this queue's patience. Raises QuestionNotFound,
        NoAnswer.
        """
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

    def announce(self, key: str, owner: str) -> None:
        """Make a webhook tell the owner once the question is answered. Raises NoAnswer."""
        self._asked(ANNOUNCE, [_stream(key)], [key, owner])

    def forget(self, key: str) -> None:
        """Remove the question, and its job. Raises StoreUnavailable."""
        self._link.script(FORGET, [_stream(key), waiting_jobs(QUESTION_QUEUE), TAKEN], [key])

    def next(
        self, *, hints_only: bool = False, long_too: bool = True, worker: str = "", or_else: str = ""
    ) -> str | None:
        """The key of the next question. If the question behind it has lost its job, it gets another one. Raises
        StoreUnavailable.

        `or_else`: the question to take if the queues are empty and no worker is thinking about it.
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
        """Put questions of dead workers into their queues again. Returns the keys of questions under which too many
        workers died.

        If questions wait but no job does, the first question gets a job. Raises StoreUnavailable, NoAnswer.
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
        if waiting and not jobs:  # no thinker was there for longer than a job waits for one
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
        """Store the answer, which took so many `seconds`, and the usage `used`; an earlier answer stays."""
        took = "" if seconds is None else max(1, round(seconds * 1e6))
        sent: list[Argument] = [key, orjson.dumps(answer), ANSWER_TTL, took, used, PREFIX]
        self._link.script(ANSWER, [_stream(key), TIMES, TAKEN, NOTES, LONG], sent)

    def _now(self) -> Argument:
        return "" if self._clock is None else round(1000 * self._clock())


def work_waiting(link: RedisClient) -> tuple[dict[str, float], int]:
    """Seconds of waiting work, by queue, and the number of living thinkers, at least 1. Raises StoreUnavailable."""
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
