"""The queue of questions with many askers, simulated by a clock of its own and by the scripts of the store."""

import heapq
from collections import Counter
from collections.abc import Callable, Generator
from itertools import count
from random import Random

import pytest

from domain.bot import Budget
from domain.lifecycle import Json
from domain.migrato.bots import BOTS
from events.errors import CommandMismatch, QueueFull
from events.features.bots.queue import ENTERED, GRACE, RESERVATIONS, Cost, Refusals, cost_of
from events.features.bots.redis.questions import QUESTIONS, TIMES, RedisQuestionQueue
from events.store.connections.client import RedisClient
from tests.events.conftest import NewLink
from tests.support.clock import Clock
from tests.support.living import live

POLITE, IMPATIENT, FORGETFUL = "polite", "impatient", "new keys"
ANSWER: Json = {"thought": {}}
Steps = Generator[float, None, None]  # of somebody, and after how many seconds comes the next


class Crowd:
    """A thinker and askers. A polite asker waits as long as it was told, and comes back with its key."""

    def __init__(self, link: NewLink, seconds: float) -> None:
        self.clock, self.chance, self._numbers = Clock(), Random(7), count()
        self.queue = RedisQuestionQueue(link(), link(), 5.0, lambda *_: None, self.clock, self.chance.random)
        self.answers, self.refusals, self.calls = Counter[str](), Counter[str](), 0
        self._whose: dict[str, tuple[str, Steps]] = {}
        self._seconds, self._due = seconds, list[tuple[float, int, Steps]]()
        self._idle = [self._thinker()]
        live(link(), 1)

    def join(self, kind: str, number: int, app: str = "club") -> None:
        """So many askers more."""
        for _ in range(number):
            self._come(self.chance.random(), self._asker(kind, f"{app}/{kind}/{next(self._numbers)}", app))

    def run(self, seconds: float) -> None:
        """Let the time pass."""
        until = self.clock() + seconds
        while self._due and self._due[0][0] <= until:
            at, _, who = heapq.heappop(self._due)
            self.clock.now = max(self.clock.now, at)
            if (pause := next(who, None)) is not None:
                self._come(pause, who)

    def _come(self, pause: float, who: Steps) -> None:
        heapq.heappush(self._due, (self.clock() + pause, next(self._numbers), who))

    def _asker(self, kind: str, name: str, app: str) -> Steps:
        key = ""
        while True:
            key = key if key and kind != FORGETFUL else f"key{next(self._numbers)}"
            keyed = kind in (POLITE, FORGETFUL)
            try:
                self.queue.refuse_early(app, key if keyed else None)
                self.calls += 1
                cost = Cost("game/bot", self._seconds)
                assert self.queue.enter(key, app, cost, key if keyed else "")
                self.queue.ask(key, app, {"choose": {}}, cost, digest=key if keyed else "")
            except QueueFull as full:
                self.refusals[name] += 1
                yield full.seconds if kind == POLITE else 0.1
                continue
            self._whose[key] = name, self._asker(kind, name, app)
            if self._idle:
                self._come(0.0, self._idle.pop())
            return

    def _thinker(self) -> Steps:
        while (key := self.queue.next()) is not None:
            yield self._seconds
            self.queue.tell(key, ANSWER, self._seconds)
            name, asker = self._whose.pop(key)
            self.answers[name] += 1
            self._come(0.0, asker)
        self._idle.append(self._thinker())

    def of(self, kind: str) -> list[int]:
        """Answers of all askers of that kind, or app, the least first."""
        names = {*self.answers, *self.refusals}
        return sorted(self.answers[name] for name in names if kind in name.split("/"))


def test_polite_askers_get_the_same(new_link: NewLink) -> None:
    """Of 50 who wait as they are told, the least served gets 70 % of the most served; and the thinker is never idle."""
    crowd = Crowd(new_link, 0.5)
    crowd.join(POLITE, 50)
    crowd.run(200)
    found = crowd.of(POLITE)
    assert len(found) == 50
    assert found[0] >= 0.7 * found[-1], found
    assert sum(found) >= 0.95 * 400
    assert crowd.refusals.total() < 3 * crowd.answers.total()  # they are told well when there is room


def test_impatient_askers_take_nothing_from_polite_ones(new_link: NewLink) -> None:
    """The least served of the polite gets no less than the most served of the others, most of whom are refused from
    the cache.
    """
    crowd = Crowd(new_link, 0.5)
    crowd.join(POLITE, 25)
    crowd.join(IMPATIENT, 25)
    crowd.run(200)
    polite, others = crowd.of(POLITE), crowd.of(IMPATIENT)
    assert polite[0] >= 0.7 * polite[-1], polite
    assert polite[0] >= others[-1], (polite, others)
    assert sum(polite) + sum(others) >= 0.97 * 400
    assert crowd.calls < crowd.refusals.total() / 5


def test_reservations_of_those_who_never_come_back_cost_nothing(new_link: NewLink) -> None:
    """An app whose askers send a new key each time has its thinker none the less."""
    crowd = Crowd(new_link, 0.5)
    crowd.join(FORGETFUL, 25)
    crowd.run(30)
    assert sum(crowd.of(FORGETFUL)) >= 0.95 * 60


def test_apps_have_the_same_however_many_ask(new_link: NewLink) -> None:
    """Five polite askers beside 45 who flood."""
    crowd = Crowd(new_link, 0.2)
    crowd.join(IMPATIENT, 45, "flood")
    crowd.join(POLITE, 5, "modest")
    crowd.run(50)
    assert 0.45 <= sum(crowd.of("modest")) / crowd.answers.total() <= 0.55


class TestReservations:
    """A reservation of an asker who found no room."""

    COST = Cost("game/bot", 3.0)

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def queue(self, new_link: NewLink, clock: Clock) -> RedisQuestionQueue:
        """A queue that two questions fill."""
        queue = RedisQuestionQueue(new_link(), new_link(), 5.0, lambda *_: None, clock, lambda: 0.0)
        for key in ("one", "two"):
            assert queue.enter(key, "club", self.COST, key)
            queue.ask(key, "club", {}, self.COST, digest=key)
        return queue

    def refused(self, queue: RedisQuestionQueue, key: str, digest: str) -> QueueFull:
        with pytest.raises(QueueFull) as refusal:
            queue.enter(key, "club", self.COST, digest)
        return refusal.value

    def test_it_is_there_for_its_key_alone(self, queue: RedisQuestionQueue) -> None:
        """Later ones, with a key or without, find no room before it."""
        first, later, keyless = (self.refused(queue, *asked) for asked in (("k", "k"), ("l", "l"), ("m", "")))
        assert [one.reserved for one in (first, later, keyless)] == [True, True, False]
        assert [one.seconds for one in (first, later, keyless)] == [3, 6, 9]
        assert "turn is reserved" in first.detail
        assert queue.next() == "one"
        for asked in (("l", "l"), ("m", "")):
            self.refused(queue, *asked)
        assert queue.enter("k", "club", self.COST, "k")

    def test_it_expires(self, queue: RedisQuestionQueue, clock: Clock, link: RedisClient) -> None:
        """A few seconds after the time that its asker was told; also where the clock was set back."""
        self.refused(queue, "k", "k")
        clock.now += 3 + GRACE - 1
        assert self.refused(queue, "l", "l").seconds == 6
        clock.now += 2
        assert self.refused(queue, "m", "").seconds == 6
        clock.now -= 7200
        assert self.refused(queue, "m", "").seconds == 3
        assert link.call("TTL", f"{QUESTIONS}:reservations:club") > 0

    def test_there_are_so_many(self, queue: RedisQuestionQueue) -> None:
        """Others are refused, and leave nothing."""
        found = [self.refused(queue, f"k{number}", "k").reserved for number in range(RESERVATIONS + 2)]
        assert found == [True] * RESERVATIONS + [False] * 2

    def test_a_question_that_is_not_put_gives_its_room_back(
        self, queue: RedisQuestionQueue, clock: Clock
    ) -> None:
        """At once, or after a few seconds if its process has died."""
        assert queue.next() == "one"
        for dies in (False, True):
            assert queue.enter("k", "club", self.COST)
            self.refused(queue, "l", "")
            if dies:
                clock.now += ENTERED + 1
            else:
                queue.leave("k", "club")
        assert queue.enter("l", "club", self.COST)

    def test_a_key_stands_for_one_question(self, queue: RedisQuestionQueue) -> None:
        """While it waits, is thought about, or its answer is kept; another one under it is refused."""
        steps: list[Callable[[], object]] = [lambda: None, queue.next, lambda: queue.tell("one", {})]
        for step in steps:
            step()
            assert not queue.enter("one", "club", self.COST, "one")
            queue.ask("one", "club", {}, self.COST, digest="one")
            with pytest.raises(CommandMismatch):
                queue.enter("one", "club", self.COST, "other")
            with pytest.raises(CommandMismatch):  # both found room before either was put
                queue.ask("one", "club", {}, self.COST, digest="other")
        assert [queue.next(), queue.next()] == ["two", None]


def test_the_time_of_an_answer_is_measured(new_link: NewLink, link: RedisClient) -> None:
    """The time is kept by kind, as a moving mean; until then it is what the bot states."""
    queue = RedisQuestionQueue(new_link(), new_link(), 5.0, lambda *_: None, Clock(), lambda: 0.0)
    for number, took in enumerate((1.0, 1.8)):
        queue.ask(f"k{number}", "club", {}, Cost("kind", 9.0))
        queue.tell(f"k{number}", ANSWER, took)
    assert link.call("HGET", TIMES, "kind") == b"1100000"
    for number in range(5):
        queue.ask(f"q{number}", "club", {}, Cost("kind", 9.0))
    with pytest.raises(QueueFull):
        queue.ask("more", "club", {}, Cost("kind", 9.0))


def test_the_cost_of_a_question() -> None:
    """Its kind has few names, whatever is asked; a long one has several slots."""
    bot = BOTS["ismcts"]
    found = {cost_of("migrato", bot, Budget(iterations=number), 0).kind for number in range(1, 1000)}
    assert len(found) == 10
    assert cost_of("migrato", bot, None, 300_000) == Cost("migrato/ismcts", 0.3, 3)
    assert cost_of("migrato", bot, Budget(milliseconds=900), 10) == Cost("migrato/ismcts/ms10", 0.9)
    assert cost_of("migrato", bot, Budget(iterations=600), 10) == Cost("migrato/ismcts/i10", 0.6)
    assert cost_of("migrato", BOTS["greedy"], Budget(iterations=10**6), 10).seconds == 5.0
    for asked, took, is_long in ((5000, 5.0, False), (5001, 5.001, True), (90_000, 60.0, True)):
        cost = cost_of("migrato", bot, Budget(milliseconds=asked), 10)
        assert (cost.seconds, cost.is_long) == (took, is_long)


def test_a_refusal_is_cached_for_a_second() -> None:
    """Not for longer, nor for longer than was told; and what remains of the time is told."""
    clock = Clock()
    refusals = Refusals(clock)
    refusals.check("club")
    refusals.note("club", 5, reserved=True)
    clock.now += 0.9
    with pytest.raises(QueueFull) as again:
        refusals.check("club")
    assert (again.value.seconds, again.value.reserved) == (5, True)
    clock.now += 0.2
    refusals.check("club")
