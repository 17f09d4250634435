"""Bots that are asked outside of their games, told with the small counter game."""

from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from domain.bot import LONGEST, Budget
from domain.errors import DomainError
from domain.lifecycle import Json
from events.application import Application
from events.errors import BotFailed, StoreUnavailable
from events.features.analyses.analyses import Analyses
from events.features.analyses.redis import RedisAnalyses
from events.features.bots import questions as asking
from events.features.bots.question_documents import Question
from events.features.bots.questions import ANALYSIS, MARGIN, SHORT, BotQuestions
from events.features.bots.redis.questions import RedisQuestionQueue
from tests.events.conftest import NewLink
from tests.events.counter import COUNTER
from tests.events.test_application import new_game
from tests.support.sure import sure

SOMEWHERE = {"memory": ["added", "added"]}
ASKED = Question("counter", "thinker", SOMEWHERE, seed="00000000000000a7")


@pytest.fixture
def jobs() -> list[str]:
    """The questions that wait for a worker."""
    return []


@pytest.fixture
def bot_questions(counter: Application, new_link: NewLink, jobs: list[str]) -> BotQuestions:
    """Advice whose questions wait until the test carries them out."""
    thinkers = RedisQuestionQueue(new_link(), new_link(), 1.0, lambda key, _: jobs.append(key))
    analyses = Analyses(counter.decisions, RedisAnalyses(new_link()))
    return BotQuestions({COUNTER.name: COUNTER}, counter.hints, analyses, thinkers)


def answered(bot_questions: BotQuestions, question: Question) -> Any:
    job = bot_questions.ask("club", question)
    bot_questions.for_workers.carry_out(job)
    return bot_questions.answer("club", job)


def test_a_bot_thinks_about_a_position(bot_questions: BotQuestions, jobs: list[str]) -> None:
    """With its own budget; what it remembers is what was described."""
    job = bot_questions.ask("club", ASKED)
    assert jobs == [job]
    assert bot_questions.answer("club", job) is None
    bot_questions.for_workers.carry_out(job)
    thought = sure(bot_questions.answer("club", job))
    assert thought.pop("milliseconds") >= 0
    move = {"type": "add", "amount": thought["move"]["amount"]}
    judged: Json = {"visits": 20, "value": 1.0, "win_probability": 0.5, "spread": None, "reasons": []}
    assert thought == {
        "bot": "thinker",
        "version": "7",
        "move": move,
        "considered": [{"move": move, **judged}],
        "iterations": 20,
        "seed": "00000000000000a7",
    }


def test_the_same_seed_and_iterations_give_the_same(bot_questions: BotQuestions) -> None:
    """As the answer says them; without a seed there is a new one each time."""
    asked = Question("counter", "thinker", SOMEWHERE, Budget(iterations=7))
    first, other = answered(bot_questions, asked), answered(bot_questions, asked)
    again = answered(bot_questions, replace(asked, seed=first["seed"]))
    assert first["iterations"] == 7
    assert again | {"milliseconds": 0} == first | {"milliseconds": 0}
    assert other["seed"] != first["seed"]


def test_a_budget_of_milliseconds_is_kept_by_the_clock(
    bot_questions: BotQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says how many iterations that were: here one each millisecond."""
    ticks = count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 1000)
    monkeypatch.setattr("events.engine.bot_decision.time", clock)
    thought = answered(bot_questions, Question("counter", "thinker", SOMEWHERE, Budget(milliseconds=50)))
    assert (thought["milliseconds"], thought["iterations"]) == (51, 49)


def test_a_long_history_is_left_to_the_worker(bot_questions: BotQuestions) -> None:
    """A long history is left to the worker, whose refusal is the same and has the same details."""
    job = bot_questions.ask("club", Question("counter", "thinker", {"history": [{}] * (SHORT + 1)}))
    bot_questions.for_workers.carry_out(job)
    with pytest.raises(DomainError) as refused:
        bot_questions.answer("club", job)
    assert (refused.value.code, refused.value.detail) == ("impossible-position", "No memory.")
    assert refused.value.data == {"errors": {"memory": ["Missing."]}}


def test_a_bot_that_fails(bot_questions: BotQuestions) -> None:
    """The error goes to the worker's log; the caller learns that there was one."""
    job = bot_questions.ask("club", Question("counter", "broken", SOMEWHERE))
    with pytest.raises(RuntimeError):
        bot_questions.for_workers.carry_out(job)
    bot_questions.for_workers.give_up(job)
    with pytest.raises(BotFailed):
        bot_questions.answer("club", job)


def test_a_store_that_does_not_answer_leaves_the_question(
    bot_questions: BotQuestions, counter: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question stays while the store does not answer, so its job can be tried again."""
    hints = counter.hints
    job = "hint-x"
    bot_questions._queue.ask(job, "game", {"hint": {**HINT}}, ANALYSIS)

    def away(_: object) -> None:
        raise StoreUnavailable("restarting")

    monkeypatch.setattr(hints, "think", away)
    with pytest.raises(StoreUnavailable):
        bot_questions.for_workers.carry_out(job)
    assert bot_questions.answer("game", job) is None


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_hint_that_is_lost_on_its_way(
    counter: Application, bot_questions: BotQuestions, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    """By the queue's server, which came back empty, or by a worker that died with it: it is asked for again."""
    monkeypatch.setattr(asking, "AGAIN", 0.01)
    asked = list[str]()

    def once_in_vain(key: str, _: bool) -> None:
        asked.append(key)
        if len(asked) > 1:
            bot_questions.for_workers.carry_out(bot_questions.for_workers.next() or "")
        elif is_gone:
            bot_questions.forget(key)
        else:
            bot_questions.for_workers.next()

    bot_questions._queue._enqueue = once_in_vain  # type: ignore[attr-defined]
    game = new_game(counter).snapshot.game_id
    assert bot_questions.hint(game, 0, "one").decision["bot"] == "one"
    assert len(asked) == 2


HINT = {"game_id": "g", "since": 2, "seat": 0, "bot": "one", "bot_version": "1", "budget": None}


def test_an_answer_is_waited_for_as_long_as_the_bot_may_think(bot_questions: BotQuestions) -> None:
    """An answer is waited for as long as the bot may think, and a margin longer."""
    for budget, seconds in (
        (None, 0.01),
        (Budget(milliseconds=300), 0.3),
        (Budget(milliseconds=9000), LONGEST),
        (Budget(iterations=5), LONGEST),
    ):
        question = Question("counter", "thinker", SOMEWHERE, budget)
        assert bot_questions.seconds(question) == pytest.approx(seconds + MARGIN)
