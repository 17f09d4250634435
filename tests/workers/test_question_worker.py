"""The job that thinks about questions: the first in line is next, and no hint waits for a question."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from rq.timeouts import JobTimeoutException

from domain.bot import Bot, Budget, Choice, Stop
from domain.lifecycle import Seat
from domain.migrato.bots import BOTS
from domain.registry import GAMES
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import BotFailed
from events.features.analyses.analyses import Analyses
from events.features.analyses.redis import RedisAnalyses
from events.features.bots.question_documents import Question
from events.features.bots.questions import BotAnswer, BotQuestions
from events.features.bots.redis.questions import HINTS, QUESTIONS, RedisQuestionQueue
from events.store.link import link_to
from tests.support.clock import Clock
from tests.support.sure import sure
from tests.support.waiting import LIMIT, until
from workers import question_worker
from workers.question_worker import BESIDE, OthersMeanwhile

PEOPLE = (Seat("human", player="ada"), Seat("human", player="bob"))
ONCE, THOUGHT = Budget(iterations=1), Budget(milliseconds=50)


class Asking:
    """A game, questions about its position, and a bot that thinks at least until it may stop."""

    def __init__(self, application: Application, url: str) -> None:
        self.link = link_to(url, 5.0)
        queue = RedisQuestionQueue(self.link, link_to(url, 1.0), LIMIT, lambda *_: None)
        analyses = Analyses(application.decisions, RedisAnalyses(self.link))
        self.bots = BotQuestions(GAMES, application.hints, analyses, queue)
        self.game_id = application.creation.create("club", NewGame(seats=PEOPLE)).snapshot.game_id
        now = application.views.snapshot(self.game_id)
        self.seat = sure(now.status.to_act)
        self._view = application.views.game_document(now, self.seat)
        self.may_stop = Event()
        self.pool = ThreadPoolExecutor(2)

    def think(self, seen: Any, rng: Any, budget: Budget, stop: Stop) -> Choice:
        """Think, in place of the bot."""
        while not stop() or not self.may_stop.is_set():
            pass
        return Choice(seen.moves[0])

    def ask(self, app: str, bot: str = "ismcts-easy", budget: Budget = ONCE) -> str:
        return self.bots.ask(app, Question("migrato", bot, {"view": self._view}, budget))

    def hint(self) -> BotAnswer:
        return self.bots.hint(self.game_id, self.seat, "greedy")

    def is_answered(self, app: str, job: str) -> bool:
        return self.bots.answer(app, job) is not None

    def begun(self, job: str) -> Future[None]:
        """A worker that thinks about what is next in line, and has begun."""
        done = self.pool.submit(question_worker.think, job)
        until(lambda: not self.link.call("ZCARD", QUESTIONS))
        return done

    def given(self, hint: Future[BotAnswer]) -> BotAnswer:
        """The answer to a hint to which workers come now."""

        def come() -> bool:
            question_worker.think("hint")
            return hint.done()

        until(come)
        return hint.result()


@pytest.fixture
def asking(application: Application, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    """Questions that wait until a test lets `question_worker.think` run."""
    asking = Asking(application, redis_url)
    monkeypatch.setitem(BOTS, "patient", Bot("patient", "1", "A test's.", asking.think, 1, THOUGHT))
    monkeypatch.setattr(question_worker, "bot_questions", lambda: asking.bots)
    yield asking
    asking.may_stop.set()
    asking.pool.shutdown()


def test_the_first_in_line_is_next(asking: Asking) -> None:
    """The first question in line is next, whichever question the job was made for."""
    one, two, other = (asking.ask(app) for app in ("a", "a", "b"))
    answered = []
    for job in (two, two, one, one):  # more jobs than questions do no harm
        question_worker.think(job)
        answered.append([asking.is_answered(*asked) for asked in (("a", one), ("b", other), ("a", two))])
    assert answered == [[True, False, False], [True, True, False], [True] * 3, [True] * 3]


def test_a_question_that_stands_in_no_line_is_answered(asking: Asking) -> None:
    """By the job that was made for it: a former release knew no lines, and a server may have lost them."""
    asked = asking.ask("club")
    asking.link.call("DEL", QUESTIONS, f"{QUESTIONS}:apps")
    question_worker.think(asked)
    assert asking.is_answered("club", asked)


def test_a_hint_whose_worker_died_is_given_to_the_next_asker(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first asker waits yet, and gets it, too."""
    monkeypatch.setattr("events.features.bots.questions.AGAIN", 0.05)
    first = asking.pool.submit(asking.hint)
    until(lambda: asking.bots.for_workers.next(hints_only=True) is not None)
    second = asking.pool.submit(asking.hint)
    assert asking.given(second) == first.result(LIMIT)


def test_a_hint_is_given_while_a_bot_thinks(asking: Asking) -> None:
    """At once; and the question gets all of its time none the less."""
    job = asking.ask("club", "patient", THOUGHT)
    done = asking.begun(job)
    assert asking.hint().decision["bot"] == "greedy"
    assert not asking.is_answered("club", job)  # it goes on
    asking.may_stop.set()
    done.result(LIMIT)
    thought = sure(asking.bots.answer("club", job))
    assert thought["milliseconds"] >= 50


def test_hints_do_not_keep_a_question_for_ever(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some time none is begun any more before it is answered."""
    monkeypatch.setattr(question_worker, "HINTS_FOR", 0.0)
    job = asking.ask("club", "patient", THOUGHT)
    done = asking.begun(job)
    hint = asking.pool.submit(asking.hint)
    until(lambda: asking.link.call("ZCARD", HINTS))
    asking.may_stop.set()
    done.result(LIMIT)
    assert asking.is_answered("club", job)
    assert not hint.done()
    assert asking.given(hint).decision["bot"] == "greedy"


@pytest.mark.parametrize("failure", [RuntimeError("The bot broke."), JobTimeoutException()])
def test_a_hint_whose_bot_fails_leaves_the_question(
    asking: Asking, application: Application, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its asker is told; but the time limit of the job ends the question as well, whose asker is told, too."""

    def fails(*_: object) -> None:
        raise failure

    monkeypatch.setattr(application.hints, "think", fails)
    job = asking.ask("club", "patient", THOUGHT)
    done = asking.begun(job)
    with pytest.raises(BotFailed):
        asking.hint()
    asking.may_stop.set()
    done.result(LIMIT)
    if isinstance(failure, RuntimeError):
        assert asking.is_answered("club", job)
    else:
        with pytest.raises(BotFailed):
            asking.bots.answer("club", job)


class TestLongThoughts:
    """A bot thinks for longer than anybody else may wait."""

    LONG = Budget(milliseconds=5001)

    @pytest.fixture(autouse=True)
    def limits(self) -> None:
        self.limits = list[float]()

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> Clock:
        """The time of thinkers, which each look of a bot at it puts forward; nobody's alarm is set."""
        clock = Clock()

        def monotonic() -> float:
            clock.now += 0.06
            return clock.now

        monkeypatch.setattr("events.engine.bot_decision.time", SimpleNamespace(monotonic=monotonic))
        monkeypatch.setattr(question_worker, "OthersMeanwhile", partial(OthersMeanwhile, clock=clock))
        monkeypatch.setattr(question_worker, "allow", self.limits.append)
        return clock

    def test_others_are_answered_meanwhile(self, asking: Asking, clock: Clock) -> None:
        """Questions and hints, one thinker or not; no other long one; and it has all of its time none the less."""
        asking.may_stop.set()
        long, other = (asking.ask(app, "patient", self.LONG) for app in ("club", "rival"))
        short = asking.ask("third")
        began = clock.now
        question_worker.think(long)
        assert [asking.is_answered(*one) for one in (("club", long), ("third", short), ("rival", other))] == [
            True,
            True,
            False,
        ]
        assert clock.now - began >= 5.0
        assert self.limits == [2 * 5.001 + BESIDE]
        assert sure(asking.bots.answer("club", long))["milliseconds"] >= 5000

    def test_they_have_half_of_the_time(self, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
        """Beside a crowd that never ends a long thought comes to its end; a hint does not wait for the crowd."""
        clock, given = Clock(), Counter[bool]()
        others = OthersMeanwhile("long", clock)

        def give(*, hints_only: bool) -> bool:
            given[hints_only] += 1
            clock.now += 0.0 if hints_only else 0.5
            others._spent += 0.0 if hints_only else 0.5
            return not hints_only

        monkeypatch.setattr(others, "_give", give)
        began = clock.now
        for _ in range(600):
            clock.now += 0.1
            others.give()
        assert 119.9 < clock.now - began < 125
        assert given[True] == 600

    def test_a_worker_that_is_to_stop_leaves_one(
        self, asking: Asking, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """At once; the next worker begins anew, and a bot cannot keep the first from stopping."""
        del clock
        long = asking.ask("club", "patient", self.LONG)
        monkeypatch.setattr(question_worker, "_WORKERS", [SimpleNamespace(goes_on=lambda: False)])
        question_worker.think(long)
        assert not asking.is_answered("club", long)
        monkeypatch.setattr(question_worker, "_WORKERS", [])
        asking.may_stop.set()
        question_worker.think("any")
        assert asking.is_answered("club", long)
