"""The job that thinks about questions: the first in line is next, and no hint waits for a question."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from rq.timeouts import JobTimeoutException

from domain.bot import Budget
from domain.lifecycle import Seat
from domain.registry import GAMES
from events.errors import BotFailed
from events.games.new_game import NewGame
from events.redis.connections.client import RedisClient
from events.redis.queues.analyses import RedisAnalyses
from events.redis.queues.bot_query_queue import QUESTIONS, RedisBotQueryQueue
from events.use_cases.application import Application
from events.use_cases.bots.analyses import Analyses
from events.use_cases.bots.queries import BotQueries, Question
from tests.waiting import until
from workers import bot_query_worker

PEOPLE = (Seat("human", player="ada"), Seat("human", player="bob"))
LONG = Budget(milliseconds=3000)
Ask = Callable[[str, Budget], str]


@pytest.fixture
def bot_queries(application: Application, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> BotQueries:
    """Advice whose questions wait until a test lets `bot_query_worker.think` run."""
    link = RedisClient.to(redis_url, 5.0)
    thinkers = RedisBotQueryQueue(link, RedisClient.to(redis_url, 1.0), 20.0, lambda *_: None)
    bot_queries = BotQueries(
        GAMES, application.hints, Analyses(application.decisions, RedisAnalyses(link)), thinkers
    )
    monkeypatch.setattr(bot_query_worker, "bot_queries", lambda: bot_queries)
    return bot_queries


@pytest.fixture
def game_id(application: Application) -> str:
    """A game in which seat 0 or 1 is to act."""
    return application.creation.create("club", NewGame(seats=PEOPLE)).snapshot.game_id


@pytest.fixture
def ask(bot_queries: BotQueries, application: Application, game_id: str) -> Ask:
    """Puts a question about that game's position for an app."""
    now = application.views.snapshot(game_id)
    view = application.views.game_document(now, now.status.to_act)

    def ask(app: str, budget: Budget) -> str:
        return bot_queries.ask(app, Question("migrato", "ismcts-easy", {"view": view}, budget))

    return ask


def waiting(bot_queries: BotQueries) -> str:
    """What stands in the line of questions."""
    return str(bot_queries._queue._link.call("ZRANGE", QUESTIONS[0], 0, -1))  # type: ignore[attr-defined]


def test_the_first_in_line_is_next(bot_queries: BotQueries, ask: Ask) -> None:
    """Whichever question the job was made for."""
    one, two, other = (ask(app, Budget(iterations=1)) for app in ("a", "a", "b"))
    bot_query_worker.think(two)
    assert [
        bot_queries.answer(app, job) is not None for app, job in (("a", one), ("a", two), ("b", other))
    ] == [
        True,
        False,
        False,
    ]
    bot_query_worker.think(two)
    assert bot_queries.answer("b", other) is not None
    for _ in range(2):  # more jobs than questions do no harm
        bot_query_worker.think(one)
    assert bot_queries.answer("a", two) is not None


def test_a_question_that_stands_in_no_line_is_answered(bot_queries: BotQueries, ask: Ask) -> None:
    """By the job that was made for it: a former release knew no lines, and a server may have lost them."""
    asked = ask("club", Budget(iterations=1))
    bot_queries._queue._link.call("DEL", *QUESTIONS)  # type: ignore[attr-defined]
    bot_query_worker.think(asked)
    assert bot_queries.answer("club", asked) is not None


def test_a_hint_whose_worker_died_is_given_to_the_next_who_asks(
    bot_queries: BotQueries, application: Application, game_id: str
) -> None:
    """Whoever asked first waits yet, and gets it, too."""
    seat = application.views.snapshot(game_id).status.to_act
    assert seat is not None
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(bot_queries.hint, game_id, seat, "greedy")
        until(lambda: bot_queries.next(hints_only=True) is not None)
        second = pool.submit(bot_queries.hint, game_id, seat, "greedy")

        def given() -> bool:
            bot_query_worker.think("another")
            return second.done()

        until(given)
        assert first.result(20) == second.result(20)


def test_a_hint_is_given_while_a_bot_thinks(
    bot_queries: BotQueries, ask: Ask, application: Application, game_id: str
) -> None:
    """At once; and the question gets all of its time none the less."""
    job = ask("club", LONG)
    seat = application.views.snapshot(game_id).status.to_act
    assert seat is not None
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(bot_query_worker.think, job)
        assert bot_queries.hint(game_id, seat, "greedy").decision["bot"] == "greedy"
        assert bot_queries.answer("club", job) is None  # it goes on
        done.result(20)
    thought = bot_queries.answer("club", job)
    assert thought is not None
    assert LONG.milliseconds is not None
    assert thought["milliseconds"] >= LONG.milliseconds


def test_hints_do_not_keep_a_question_for_ever(
    ask: Ask, bot_queries: BotQueries, application: Application, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some time none is begun any more before it is answered."""
    monkeypatch.setattr(bot_query_worker, "HINTS_FOR", 0.0)
    job = ask("club", Budget(milliseconds=300))
    seat = application.views.snapshot(game_id).status.to_act
    assert seat is not None
    with ThreadPoolExecutor(2) as pool:
        thinking_about_it = pool.submit(bot_query_worker.think, job)
        until(lambda: "club" not in waiting(bot_queries))
        hint = pool.submit(bot_queries.hint, game_id, seat, "greedy")
        thinking_about_it.result(20)
        assert bot_queries.answer("club", job) is not None

        def given() -> bool:
            bot_query_worker.think("hint")
            return hint.done()

        until(given)
        assert hint.result(20).decision["bot"] == "greedy"


def test_a_hint_whose_bot_fails_leaves_the_question(
    bot_queries: BotQueries, ask: Ask, application: Application, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked for it is told."""

    def breaks(*_: object) -> None:
        raise RuntimeError("The bot broke.")

    monkeypatch.setattr(application.hints, "think", breaks)
    job = ask("club", LONG)
    seat = application.views.snapshot(game_id).status.to_act
    assert seat is not None
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(bot_query_worker.think, job)
        with pytest.raises(BotFailed):
            bot_queries.hint(game_id, seat, "greedy")
        done.result(20)
    assert bot_queries.answer("club", job) is not None


def test_the_time_limit_of_the_job_is_no_hints_alone(
    bot_queries: BotQueries, ask: Ask, application: Application, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends what was begun before the hint as well, and both are told."""

    def takes_too_long(*_: object) -> None:
        raise JobTimeoutException

    monkeypatch.setattr(application.hints, "think", takes_too_long)
    job = ask("club", LONG)
    seat = application.views.snapshot(game_id).status.to_act
    assert seat is not None
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(bot_query_worker.think, job)
        with pytest.raises(BotFailed):
            bot_queries.hint(game_id, seat, "greedy")
        done.result(20)
    with pytest.raises(BotFailed):
        bot_queries.answer("club", job)
