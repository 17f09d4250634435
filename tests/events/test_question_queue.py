"""Questions to bots on their way to a worker, and the answers on their way back."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from redis import Redis

from domain.lifecycle import Json
from events.engine.pending_action import QUESTION_QUEUE
from events.errors import NoAnswer, QuestionNotFound, QueueFull
from events.features.bots.queue import BATCH_LASTS, MOST, OF_APP, Cost
from events.features.bots.redis import questions as protocol
from events.features.bots.redis.job_queue import enqueuing
from events.features.bots.redis.questions import LOST_AFTER, RedisQuestionQueue
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.queues.keys import DONE
from tests.events.conftest import NewLink
from tests.support.clock import Clock
from tests.support.waiting import LIMIT, until

QUESTION = {"choose": {"bot": "one"}}
QUICK, SLOW = Cost("migrato/greedy", 0.001), Cost("migrato/ismcts", 1.5)
HOUR = 3600.0
ANSWER: Json = {"thought": {"move": {}}}


@pytest.fixture
def jobs() -> list[tuple[str, bool]]:
    return []


@pytest.fixture
def thinkers(new_link: NewLink, jobs: list[tuple[str, bool]]) -> RedisQuestionQueue:
    """Questions on an empty server."""
    return RedisQuestionQueue(new_link(), new_link(), 5.0, lambda key, urgent: jobs.append((key, urgent)))


def test_a_question_is_put_and_answered(
    thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]], link: RedisClient
) -> None:
    """The answer can be fetched again and again, the first one only, for a while; the question itself is gone."""
    thinkers.ask("k", "club", QUESTION, QUICK)
    assert jobs == [("k", False)]
    assert thinkers.answer("k", "club") is None
    assert thinkers.question("k") == QUESTION
    assert 0 < link.call("TTL", "migrato:thinking:k") <= protocol.QUESTION_TTL
    thinkers.tell("k", ANSWER)
    assert 0 < link.call("TTL", "migrato:thinking:k") <= protocol.ANSWER_TTL
    assert thinkers.question("k") is None
    thinkers.tell("k", {"problem": {}})  # a job may be done twice
    assert [thinkers.answer("k", "club", seconds) for seconds in (0, 5)] == [ANSWER, ANSWER]


def test_an_answer_is_waited_for(new_link: NewLink) -> None:
    """It comes because it is there, long before the wait is over, or not at all within the time."""
    thinkers = RedisQuestionQueue(new_link(), new_link(), HOUR, lambda *_: None)
    thinkers.ask("k", "club", QUESTION, QUICK)
    assert thinkers.answer("k", "club", 0.01) is None
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(thinkers.answer, "k", "club", 2 * LIMIT)
        until(waits.running)
        thinkers.tell("k", ANSWER)
        assert waits.result(LIMIT) == ANSWER


def test_the_same_question_is_put_once(thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]]) -> None:
    """While it waits its job is asked for again, since it may have been lost; once it is answered, it is not.

    One that was forgotten is neither to be thought about nor to be answered.
    """
    thinkers.ask("k", "club", QUESTION, QUICK)
    thinkers.ask("k", "club", {"choose": {"bot": "other"}}, QUICK)
    assert thinkers.question("k") == QUESTION
    assert jobs == [("k", False)] * 2
    thinkers.tell("k", ANSWER)
    thinkers.ask("k", "club", QUESTION, QUICK)
    assert len(jobs) == 2
    assert thinkers.answer("k", "club") == ANSWER
    thinkers.ask("l", "club", QUESTION, QUICK)
    thinkers.forget("l")
    assert thinkers.question("l") is None
    thinkers.tell("l", ANSWER)
    with pytest.raises(QuestionNotFound):
        thinkers.answer("l", "club")


def test_another_owner_finds_nothing(thinkers: RedisQuestionQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another owner finds nothing, and does not wait, whether there is an answer or not."""
    waits = list[object]()
    monkeypatch.setattr(thinkers._news, "wait", lambda *asked: waits.append(asked))
    thinkers.ask("k", "club", QUESTION, QUICK)
    for _ in range(2):
        with pytest.raises(QuestionNotFound):
            thinkers.answer("k", "rival", 5)
        thinkers.tell("k", ANSWER)
    assert waits == []


def test_the_queue_is_bounded(thinkers: RedisQuestionQueue) -> None:
    """A question too many is refused and leaves nothing, whosesoever it is; a hint still finds room."""
    large = replace(QUICK, slots=OF_APP)
    for number in range(MOST // OF_APP):
        thinkers.ask(f"q{number}", f"club-{number}", QUESTION, large)
    with pytest.raises(QueueFull):
        thinkers.ask("k", "club", QUESTION, QUICK)
    with pytest.raises(QuestionNotFound):
        thinkers.answer("k", "club")
    for number in range(MOST // OF_APP):
        thinkers.ask(f"h{number}", "game", QUESTION, large, urgent=True, app=f"club-{number}")
    with pytest.raises(QueueFull):
        thinkers.ask("hint", "game", QUESTION, QUICK, urgent=True, app="club")


def done(link: RedisClient) -> list[tuple[str, str]]:
    """The apps that are to be told, and of which jobs."""
    entries = link.call("XRANGE", DONE, "-", "+")
    for _, flat in entries:
        assert 0 < int(flat[5]) <= 1000 * BATCH_LASTS
    return [(flat[1].decode(), flat[3].decode()) for _, flat in entries]


def test_a_job_is_told_once_it_is_done(thinkers: RedisQuestionQueue, link: RedisClient) -> None:
    """Once, however often it is announced and answered, and also where it is done before that; else not at all."""
    for key in ("a", "b", "c", "d", "e"):
        thinkers.ask(key, "club", QUESTION, QUICK)
    for _ in range(2):
        thinkers.announce("a", "club")
    thinkers.announce("d", "rival")
    thinkers.announce("e", "club")
    thinkers.forget("e")
    assert done(link) == []
    for key in ("a", "a", "b", "c", "d", "e"):
        thinkers.tell(key, ANSWER)
    assert done(link) == [("club", "a")]
    for _ in range(2):
        thinkers.announce("b", "club")
        thinkers.announce("gone", "club")
    assert done(link) == [("club", "a"), ("club", "b")]


def test_a_batch_is_told_when_its_last_position_is_answered(
    thinkers: RedisQuestionQueue, link: RedisClient
) -> None:
    thinkers.ask_all("j", "club", [(QUESTION, QUICK)] * 3)
    thinkers.announce("j", "club")
    for number in range(3):
        assert done(link) == []
        thinkers.tell(f"j_{number}", ANSWER)
    assert done(link) == [("club", "j")]
    thinkers.ask_all("k", "club", [(QUESTION, QUICK)] * 2)
    thinkers.announce("k", "club")
    thinkers.forget("k")
    assert link.call("EXISTS", "migrato:thinking:k:announced") == 0


def queued(thinkers: RedisQuestionQueue) -> list[str]:
    """The keys of what waits, in the order in which workers would take them."""
    taken = iter(thinkers.next, None)
    return [str(key) for key in taken]


def put(thinkers: RedisQuestionQueue, *questions: str) -> None:
    """Questions of apps; each app is the first letter of its questions."""
    for key in questions:
        thinkers.ask(key, f"{key[0]}-club", QUESTION, QUICK)


def test_apps_take_turns(thinkers: RedisQuestionQueue) -> None:
    """No matter how many questions one of them has put before the others came."""
    put(thinkers, "a0", "a1", "a2", "a3")
    assert thinkers.next() == "a0"
    put(thinkers, "b0", "b1", "c0")
    assert queued(thinkers) == ["b0", "c0", "a1", "b1", "a2", "a3"]


def test_a_late_app_is_owed_one_turn(thinkers: RedisQuestionQueue) -> None:
    """An app that did not ask for a while is next, and has saved up no further turns by that."""
    put(thinkers, "a0", "a1", "a2")
    assert [thinkers.next(), thinkers.next()] == ["a0", "a1"]
    put(thinkers, "b0", "b1")
    assert queued(thinkers) == ["b0", "a2", "b1"]


def test_hints_come_first(thinkers: RedisQuestionQueue) -> None:
    """In the order in which they were asked for, and the apps in turn."""
    thinkers.ask("question", "a-club", QUESTION, QUICK)
    for number, (key, app) in enumerate((("a0", "a-club"), ("a1", "a-club"), ("b0", "b-club"))):
        thinkers.ask(key, f"game-{number}", QUESTION, QUICK, urgent=True, app=app)
    assert queued(thinkers) == ["a0", "b0", "a1", "question"]


def test_an_app_has_its_share_of_the_queue(
    thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]]
) -> None:
    """One question more is refused and leaves nothing; others are not, and hints have a share of their own."""
    for number in range(4):
        thinkers.ask(f"a{number}", "a-club", QUESTION, SLOW)
    for _ in range(2):
        with pytest.raises(QueueFull) as refusal:
            thinkers.ask("more", "a-club", QUESTION, SLOW)
        assert 2 <= refusal.value.seconds <= 4  # of 7.5 s of thinking 1.5 are too many, and chance is added
    with pytest.raises(QuestionNotFound):
        thinkers.answer("more", "a-club")
    thinkers.ask("other", "b-club", QUESTION, SLOW)
    for number in range(4):
        thinkers.ask(f"h{number}", f"game-{number}", QUESTION, SLOW, urgent=True, app="a-club")
    with pytest.raises(QueueFull):
        thinkers.ask("more", "game", QUESTION, SLOW, urgent=True, app="a-club")
    thinkers.ask("hint", "game", QUESTION, SLOW, urgent=True, app="b-club")
    assert len(jobs) == 10
    assert thinkers.next() == "h0"
    for number in range(2):  # two apps wait, so that each has half
        thinkers.forget(f"a{number}")
        with pytest.raises(QueueFull):
            thinkers.ask("again", "a-club", QUESTION, SLOW)
    thinkers.forget("a2")
    thinkers.ask("again", "a-club", QUESTION, SLOW)


def test_many_at_once_get_no_more_than_the_share(new_link: NewLink) -> None:
    """Looking for room and taking it is one step, whether the question is put at once or found room before."""
    thinkers = RedisQuestionQueue(new_link(), new_link(), 5.0, lambda *_: None)

    def ask(number: int) -> bool:
        try:
            if number % 2:
                thinkers.enter(f"q{number}", "a-club", SLOW)
            thinkers.ask(f"q{number}", "a-club", QUESTION, SLOW)
        except QueueFull:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(40))) == 4
    assert len(queued(thinkers)) == 4


def test_unwanted_questions_leave_the_queue(thinkers: RedisQuestionQueue, link: RedisClient) -> None:
    """Forgotten, answered, or expired; and nothing is left beside an empty queue."""
    for key in ("forgotten", "answered", "expired", "wanted"):
        thinkers.ask(key, "a-club", QUESTION, QUICK)
    thinkers.forget("forgotten")
    thinkers.tell("answered", ANSWER)
    link.call("DEL", "migrato:thinking:expired")
    assert queued(thinkers) == ["wanted"]
    assert link.call("EXISTS", protocol.QUESTIONS) == 0
    beside = link.call("HGETALL", f"{protocol.QUESTIONS}:apps")
    beside = dict(zip(beside[::2], beside[1::2], strict=True))
    assert (beside.pop(b"apps"), beside.pop(b"slots")) == (b"0", b"0")
    assert set(beside) == {b"now", b"a-club last"}
    thinkers.ask("k", "a-club", QUESTION, QUICK)
    assert all(
        0 < link.call("TTL", key) <= protocol.QUESTION_TTL
        for key in (protocol.QUESTIONS, f"{protocol.QUESTIONS}:apps")
    )


def test_a_question_that_left_the_line_takes_its_job_along(
    thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]], link: RedisClient
) -> None:
    """One that is being thought about does not: its job was done, and that of another one is needed yet.

    A question whose job was lost gets another with the next that is taken; else none is made.
    """
    queue = f"rq:queue:{QUESTION_QUEUE}"
    put(thinkers, "a", "b", "ac")
    link.call("RPUSH", queue, "think-a", "think-b", "think-ac")
    thinkers.forget("b")
    assert link.call("LRANGE", queue, 0, -1) == [b"think-a", b"think-ac"]
    jobs.clear()
    assert thinkers.next() == "a"
    assert jobs == []
    thinkers.forget("a")
    assert link.call("LLEN", queue) == 2
    put(thinkers, "ad")
    link.call("DEL", queue)
    jobs.clear()
    assert thinkers.next() == "ac"
    assert jobs == [("ad", False)]


def test_a_question_whose_worker_died_is_put_again(
    thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]]
) -> None:
    """By anybody who asks the same: it is in the queue again, once, and those who wait for it still get the answer."""
    thinkers.ask("k", "club", QUESTION, QUICK)
    assert thinkers.next() == "k"
    jobs.clear()
    for _ in range(2):
        thinkers.ask("k", "club", QUESTION, QUICK)
    assert jobs == [("k", False)] * 2
    assert queued(thinkers) == ["k"]
    thinkers.tell("k", ANSWER)
    assert thinkers.answer("k", "club") == ANSWER


def test_a_question_is_put_again_only_where_there_is_room(thinkers: RedisQuestionQueue) -> None:
    """Else it stands as it stood: it may be thought about."""
    put(thinkers, "a")
    assert thinkers.next() == "a"
    thinkers.ask("long", "a-club", QUESTION, replace(QUICK, slots=OF_APP))
    put(thinkers, "a")
    assert queued(thinkers) == ["long"]


def test_a_line_remembers_no_more_apps_than_it_has_to(
    thinkers: RedisQuestionQueue, link: RedisClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while others go on asking, nor for ever; those who are served last come after the others yet."""
    monkeypatch.setattr(protocol, "REMEMBERED", 40)
    for number in range(60):
        thinkers.ask("k", f"club-{number}", QUESTION, QUICK)
        assert thinkers.next() == "k"
        thinkers.forget("k")
    beside = f"{protocol.QUESTIONS}:apps"
    assert link.call("HLEN", beside) <= protocol.REMEMBERED + 4
    assert link.call("TTL", beside) > 0


def test_a_server_that_is_away() -> None:
    """A queue's server that is away counts as no answer, because the games' store may be well."""
    nowhere = "redis://127.0.0.1:9/0"
    link, enqueue = link_to(nowhere, 0.2), enqueuing(nowhere, 0.2)
    thinkers = RedisQuestionQueue(link, link, 1.0, enqueue)
    for ask in (
        lambda: thinkers.ask("k", "club", QUESTION, QUICK),
        lambda: thinkers.answer("k", "club"),
        lambda: enqueue("k", False),
    ):
        with pytest.raises(NoAnswer):
            ask()  # type: ignore[no-untyped-call]


def test_jobs_of_rq(redis_url: str) -> None:
    """One for each key, urgent ones first, with a time limit, and nothing but the key in them.

    One that was taken is made again, for its worker may have died, and RQ keeps all that it knows of that one; while
    it waits, it waits once.
    """
    enqueue, waiting = enqueuing(redis_url, 2.0), f"rq:queue:{QUESTION_QUEUE}"
    for key, urgent in (("a", False), ("b", False), ("b", False), ("hint-c", True)):
        enqueue(key, urgent)
    server = Redis.from_url(redis_url)
    assert server.lrange(waiting, 0, -1) == [b"think-hint-c", b"think-a", b"think-b"]
    job: dict[bytes, bytes] = server.hgetall("rq:job:think-a")  # type: ignore[assignment]
    assert int(job[b"timeout"]) > 5
    assert b"choose" not in b"".join(job.values())
    assert server.lpop(waiting, 3) == [b"think-hint-c", b"think-a", b"think-b"]
    for _ in range(3):
        enqueue("a", False)
    (job_id,) = [raw.decode() for raw in server.lrange(waiting, 0, -1)]  # type: ignore[union-attr]
    assert job_id.startswith("think-a-")
    assert 0 < int(server.ttl(f"rq:job:{job_id}")) <= protocol.QUESTION_TTL


def test_a_question_is_put_back_once_if_its_worker_dies(
    thinkers: RedisQuestionQueue, jobs: list[tuple[str, bool]], link: RedisClient
) -> None:
    """Before all others, by the process that finds it; a question that two workers died of is not tried again.

    Where thinkers were away for so long that no job is left, the first in the queue gets one.
    """
    put(thinkers, "a", "b")
    link.call("RPUSH", f"rq:queue:{QUESTION_QUEUE}", "think-b")
    for worker in ("one", "two"):
        assert thinkers.next(worker=worker) == "a"
        assert thinkers.put_back(lambda _: False) == []
        jobs.clear()
        spent = thinkers.put_back(worker.__eq__)
        assert (spent, jobs) == (([], [("a", True)]) if worker == "one" else (["a"], []))
        assert thinkers.put_back(worker.__eq__) == spent
    thinkers.tell("a", ANSWER)
    link.call("DEL", f"rq:queue:{QUESTION_QUEUE}")
    jobs.clear()
    assert thinkers.put_back(lambda _: True) == []
    assert jobs == [("b", False)]
    assert queued(thinkers) == ["b"]


class TestLongQuestions:
    """Questions about which a bot may think for up to a minute."""

    COST = Cost("migrato/ismcts/long16", 60.0, is_long=True)

    def test_they_have_a_queue_of_their_own(self, thinkers: RedisQuestionQueue) -> None:
        """One of each app fits; a refusal says nothing of other questions, which a thinker takes beside a long one."""
        for key in ("long", "next"):
            assert thinkers.enter(key, key, self.COST)
            thinkers.ask(key, key, QUESTION, self.COST)
        with pytest.raises(QueueFull):
            thinkers.enter("more", "long", self.COST)
        thinkers.refuse_early("long", None)
        thinkers.ask("short", "long", QUESTION, QUICK)
        assert thinkers.next(worker="one") == "long"
        assert [thinkers.next(long_too=False), thinkers.next(long_too=False)] == ["short", None]
        assert thinkers.next() == "next"

    def test_they_are_kept_for_an_hour(self, thinkers: RedisQuestionQueue, link: RedisClient) -> None:
        """Long questions are kept for an hour, each with its answer."""
        thinkers.ask("k", "club", QUESTION, self.COST)
        assert thinkers.next() == "k"
        for answer in (None, ANSWER):
            if answer:
                thinkers.tell("k", answer)
            assert thinkers.answer("k", "club") == answer
            assert HOUR - 60 < link.call("TTL", "migrato:thinking:k") <= HOUR

    def test_one_is_lost_only_if_its_worker_gives_no_sign(self, new_link: NewLink, link: RedisClient) -> None:
        """For half a minute. It is put back once; a worker that stops leaves it, and that is no try."""
        now = int(link.call("TIME")[0])
        clock = Clock(now - LOST_AFTER - 1)
        thinkers = RedisQuestionQueue(new_link(), new_link(), 5.0, lambda *_: None, clock)
        thinkers.ask("k", "club", QUESTION, self.COST)
        for worker, is_lost in (("stops", False), ("stops too", False), ("dies", True), ("dies too", True)):
            clock.now = now - LOST_AFTER - 1
            assert thinkers.next(worker=worker) == "k"
            if not is_lost:
                clock.now = now
                thinkers.renew("k", worker)
                assert thinkers.put_back(lambda _: False) == []
                assert thinkers.next(worker="somebody else") is None
                thinkers.leave_off("k", "somebody else")
                thinkers.leave_off("k", worker)
                continue
            clock.now = now
            thinkers.renew("k", "somebody else")
            assert thinkers.put_back(lambda _: False) == (["k"] if worker == "dies too" else [])
        thinkers.leave_off("k", "dies")
        thinkers.renew("k", "dies too")
        assert thinkers.put_back(lambda _: False) == []
        assert thinkers.next() is None
