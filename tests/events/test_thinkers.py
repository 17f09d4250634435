"""Questions to bots on their way to a worker, and the answers on their way back."""

import threading
import time

import pytest
from redis import Redis

from domain.lifecycle import Json
from events import thinkers as protocol
from events.errors import NoAnswer, QuestionNotFound, QueueFull
from events.job_queue import enqueuing
from events.redis_link import RedisLink
from events.thinkers import RedisThinkers
from tests.events.conftest import NewLink

QUESTION = {"choose": {"bot": "one"}}
ANSWER: Json = {"thought": {"move": {}}}


@pytest.fixture
def jobs() -> list[tuple[str, bool]]:
    """The jobs that were made."""
    return []


@pytest.fixture
def thinkers(new_link: NewLink, jobs: list[tuple[str, bool]]) -> RedisThinkers:
    """Questions on an empty server."""
    return RedisThinkers(new_link(), new_link(), 5.0, lambda key, urgent: jobs.append((key, urgent)))


def test_a_question_is_put_and_answered(thinkers: RedisThinkers, jobs: list[tuple[str, bool]]) -> None:
    """The answer can be fetched again and again; the question itself is gone."""
    thinkers.ask("k", "club", QUESTION)
    assert jobs == [("k", False)]
    assert thinkers.answer("k", "club") is None
    assert thinkers.question("k") == QUESTION
    thinkers.tell("k", ANSWER)
    assert thinkers.question("k") is None
    assert [thinkers.answer("k", "club", seconds) for seconds in (0, 5)] == [ANSWER, ANSWER]


def test_an_answer_is_waited_for(thinkers: RedisThinkers) -> None:
    """It comes as soon as it is there, or not at all within the time."""
    thinkers.ask("k", "club", QUESTION)
    assert thinkers.answer("k", "club", 0.01) is None
    teller = threading.Timer(0.1, thinkers.tell, ("k", ANSWER))
    began = time.monotonic()
    teller.start()
    assert thinkers.answer("k", "club", 5) == ANSWER
    assert time.monotonic() - began < 3
    teller.join()


def test_the_first_answer_is_the_only_one(thinkers: RedisThinkers) -> None:
    """A job may be done twice."""
    thinkers.ask("k", "club", QUESTION)
    thinkers.tell("k", ANSWER)
    thinkers.tell("k", {"problem": {}})
    assert thinkers.answer("k", "club") == ANSWER


def test_the_same_question_is_put_once(thinkers: RedisThinkers, jobs: list[tuple[str, bool]]) -> None:
    """While it waits its job is asked for again, since it may have been lost; once it is answered, it is not."""
    thinkers.ask("k", "club", QUESTION)
    thinkers.ask("k", "club", {"choose": {"bot": "other"}})
    assert thinkers.question("k") == QUESTION
    assert jobs == [("k", False)] * 2
    thinkers.tell("k", ANSWER)
    thinkers.ask("k", "club", QUESTION)
    assert len(jobs) == 2
    assert thinkers.answer("k", "club") == ANSWER


def test_what_nobody_wants_to_know_is_not_there(thinkers: RedisThinkers) -> None:
    """Neither to be thought about nor to be answered."""
    thinkers.ask("k", "club", QUESTION)
    thinkers.forget("k")
    assert thinkers.question("k") is None
    thinkers.tell("k", ANSWER)
    with pytest.raises(QuestionNotFound):
        thinkers.answer("k", "club")


@pytest.mark.parametrize("answered", [False, True])
def test_another_owner_finds_nothing(thinkers: RedisThinkers, answered: bool) -> None:
    """Without waiting, whether there is an answer or not."""
    thinkers.ask("k", "club", QUESTION)
    if answered:
        thinkers.tell("k", ANSWER)
    began = time.monotonic()
    with pytest.raises(QuestionNotFound):
        thinkers.answer("k", "rival", 5)
    assert time.monotonic() - began < 2


def test_nothing_lasts(thinkers: RedisThinkers, link: RedisLink) -> None:
    """Neither question nor answer."""
    thinkers.ask("k", "club", QUESTION)
    assert 0 < link.call("TTL", "migrato:thinking:k") <= protocol.QUESTION_TTL
    thinkers.tell("k", ANSWER)
    assert 0 < link.call("TTL", "migrato:thinking:k") <= protocol.ANSWER_TTL


def test_the_queue_is_bounded(thinkers: RedisThinkers, link: RedisLink) -> None:
    """A question too many is refused and leaves nothing; an urgent one still finds room."""
    link.call("RPUSH", f"rq:queue:{protocol.QUEUE}", *["job"] * protocol.MOST_WAITING)
    with pytest.raises(QueueFull):
        thinkers.ask("k", "club", QUESTION)
    with pytest.raises(QuestionNotFound):
        thinkers.answer("k", "club")
    thinkers.ask("hint", "game", QUESTION, urgent=True)
    link.call("RPUSH", f"rq:queue:{protocol.QUEUE}", *["job"] * protocol.MOST_WAITING)
    with pytest.raises(QueueFull):
        thinkers.ask("another", "game", QUESTION, urgent=True)


def test_a_server_that_is_away() -> None:
    """It counts as no answer: the store of the games may be well."""
    nowhere = "redis://127.0.0.1:9/0"
    link = RedisLink.to(nowhere, 0.2)
    thinkers = RedisThinkers(link, link, 1.0, enqueuing(nowhere, 0.2))
    with pytest.raises(NoAnswer):
        thinkers.ask("k", "club", QUESTION)
    with pytest.raises(NoAnswer):
        thinkers.answer("k", "club")
    with pytest.raises(NoAnswer):
        enqueuing(nowhere, 0.2)("k", False)


def test_jobs_of_rq(redis_url: str) -> None:
    """One for each key, urgent ones first, with a time limit, and nothing but the key in them."""
    enqueue = enqueuing(redis_url, 2.0)
    for key, urgent in (("a", False), ("b", False), ("b", False), ("hint-c", True)):
        enqueue(key, urgent)
    server = Redis.from_url(redis_url)
    assert server.lrange(f"rq:queue:{protocol.QUEUE}", 0, -1) == [b"think-hint-c", b"think-a", b"think-b"]
    job: dict[bytes, bytes] = server.hgetall("rq:job:think-a")  # type: ignore[assignment]
    assert int(job[b"timeout"]) > 5
    assert b"choose" not in b"".join(job.values())
