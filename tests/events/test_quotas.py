"""Quotas: what an app may begin in a day and in a month, exact though counting comes later; other games go on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import CommandMismatch, QuotaSpent
from events.features.apps.redis.apps import RedisAppStore
from events.features.bots.question_documents import Question
from events.features.bots.questions import BotQuestions
from events.features.bots.queue import BATCH_LASTS
from events.features.usage.counting import Counting
from events.features.usage.port import Noted, Slice
from events.features.usage.quotas import GAMES, QUESTIONS, begins_anew
from events.features.usage.redis import RedisUsage, RedisUsageSource
from events.log.partitions import PARTITIONS
from events.log.usage import Used
from events.store import keys
from events.store.connections.client import RedisClient
from tests.events.conftest import NewLink
from tests.events.month import Month
from tests.events.wiring import application_on

NEW = NewGame("counter", {"goal": 3}, (Seat("human"), Seat("bot", bot="one", version="1")))
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)  # no midnight comes after it
Limited = Callable[..., Application]


class AtNoon(RedisAppStore):
    """Apps whose quotas are read at noon."""

    def now(self) -> int:
        return int(NOON.timestamp() * 1000)


@pytest.fixture
def limited(new_link: NewLink) -> Limited:
    """An application whose app `club` has these quotas."""

    def make(**quotas: dict[str, int | None]) -> Application:
        link = new_link()
        here = application_on(link, apps=AtNoon(link), usage=RedisUsage(link), now=lambda: NOON)
        if here.apps.page()[0] == []:
            here.apps.create("club")
        here.apps.change("club", {"quotas": quotas})
        return here

    return make


def count(new_link: NewLink) -> None:
    counting = Counting(RedisUsage(new_link()), RedisUsageSource(new_link(), new_link()))
    while counting.step(range(PARTITIONS)):
        pass


def spent(act: Callable[[], object]) -> dict[str, Any]:
    with pytest.raises(QuotaSpent) as refusal:
        act()
    return dict(refusal.value.data["limit"])


def test_one_game_too_many(limited: Limited, new_link: NewLink) -> None:
    """Before and after games are counted; other apps have quotas of their own, and a game that there is goes on."""
    here = limited(games={"day": 3})
    games = [here.creation.create("club", NEW).snapshot for _ in range(2)]
    count(new_link)
    games.append(here.creation.create("club", NEW).snapshot)
    for _ in range(2):
        limit = spent(lambda: here.creation.create("club", NEW))
        count(new_link)
    midnight = NOON.date() + timedelta(days=1)
    assert limit == {"name": "games-per-day", "quota": 3, "begins_anew_at": f"{midnight}T00:00:00+00:00"}
    here.creation.create("league", NEW)
    here.moves.play(games[0].game_id, 0, {"amount": 1})
    assert here.bot_turns.bot_move(games[0].game_id, here.views.snapshot(games[0].game_id).version)
    (quota,) = here.usage.report("club")["quotas"]
    assert (quota["name"], quota["quota"], quota["used"]) == ("games-per-day", 3, 3)


def test_many_at_once_are_exactly_as_many_as_the_quota(limited: Limited, new_link: NewLink) -> None:
    """By two processes' applications, while games are counted."""
    places = [limited(games={"month": 20}) for _ in range(2)]

    def created(number: int) -> bool:
        if number % 10 == 0:
            count(new_link)
        try:
            places[number % 2].creation.create("club", NEW)
        except QuotaSpent:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(created, range(60))) == 20


def test_a_quota_begins_anew(limited: Limited, link: RedisClient) -> None:
    """Use of yesterday counts in the month, and what was used in the last month does not count."""
    here, store, now = limited(games={"day": 1, "month": 5}), RedisUsage(link), NOON
    days = [now - timedelta(days=1), now.replace(day=1) - timedelta(days=1)]
    for number, day in enumerate(days, 1):
        used = Used("club", day.date().isoformat(), {"created": 4})
        store.add("club", used.day, [Slice("5", [Noted(f"{number}-0", used, "")])])
    here.creation.create("club", NEW)
    if days[0].month == now.month:
        assert spent(lambda: here.creation.create("club", NEW))["name"] == "games-per-day"
    at = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert [
        begins_anew(period, int(at.timestamp() * 1000)).isoformat()[:10] for period in ("day", "month")
    ] == [
        "2027-01-01",
        "2027-01-01",
    ]


def test_an_admission_without_a_game_is_given_back(limited: Limited, link: RedisClient) -> None:
    """After a while; at once where the clock was set back, so that a reservation would last for ever."""
    here = limited(games={"day": 1})
    reserved = keys.usage_reserved("club", GAMES)
    here.admission.take(GAMES, "club", "a game that is never created")
    here.admission.take(GAMES, "club", "a game that is never created")
    spent(lambda: here.creation.create("club", NEW))
    for set_at in (1, 10**14):
        link.call("ZADD", reserved, set_at, "a game that is never created")
        here.admission.take(GAMES, "club", f"another {set_at}")
        assert 0 < link.call("PTTL", reserved) <= 60_000
        link.call("DEL", reserved)


def test_questions_and_hints_have_one_quota(limited: Limited, new_link: NewLink) -> None:
    """A question that is refused leaves nothing behind, neither in the queue nor as usage."""
    month = Month(new_link)
    month.now = NOON
    here = limited(questions={"day": 2})
    questions: BotQuestions = month.questions
    questions._admission = questions.for_workers._admission = here.admission
    asked = Question("counter", "thinker", {"memory": ["added"]}, seed="00000000000000a7")
    jobs = [questions.ask("club", asked) for _ in range(2)]
    refused = spent(lambda: questions.ask("club", asked))
    assert refused["name"] == "questions-per-day"
    for job in jobs:
        questions.for_workers.carry_out(job)
    count(new_link)
    spent(lambda: questions.ask("club", asked))
    assert new_link().call("ZCARD", keys.usage_reserved("club", QUESTIONS)) == 0
    assert here.usage.report("club")["quotas"][0]["used"] == 2


def test_a_batch_is_admitted_whole_or_not_at_all(limited: Limited, new_link: NewLink) -> None:
    """Each of its questions counts; the same batch again is admitted once."""
    month = Month(new_link)
    here, month.now = limited(questions={"month": 4}), NOON
    questions: BotQuestions = month.questions
    questions._admission = questions.for_workers._admission = here.admission
    asked = [Question("counter", "thinker", {"memory": ["added"]}, seed="00000000000000a7")] * 3
    for _ in range(2):
        job = questions.ask_all("club", asked, "a key")
    spent(lambda: questions.ask_all("club", asked))
    assert here.usage.report("club")["quotas"][0]["used"] == 3
    for _ in asked:
        key = questions.for_workers.next()
        assert key is not None
        questions.for_workers.carry_out(key)
    count(new_link)
    assert questions.ask_all("club", asked, "a key") == job
    assert here.usage.report("club")["quotas"][0]["used"] == 3
    questions.ask_all("club", asked[:1])


def test_another_batch_at_once_under_the_same_key(
    limited: Limited, new_link: NewLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused, and does not give back what the first one has reserved."""
    month = Month(new_link)
    here, month.now = limited(questions={"month": 4}), NOON
    questions: BotQuestions = month.questions
    questions._admission = questions.for_workers._admission = here.admission
    asked = [Question("counter", "thinker", {"memory": ["added"]}, seed="00000000000000a7")] * 3
    questions.ask_all("club", asked, "a key")
    monkeypatch.setattr(questions, "_stands", lambda *_: False)  # as it was a moment ago
    with pytest.raises(CommandMismatch):
        questions.ask_all("club", asked[:2], "a key")
    assert here.usage.report("club")["quotas"][0]["used"] == 3


def test_reservations_of_a_batch_last_for_as_long_as_it_may_wait(limited: Limited, new_link: NewLink) -> None:
    """A hundred questions may take longer than one: no others take their part of the quota; refused ones need none."""
    month = Month(new_link)
    here, month.now = limited(questions={"day": 2}), NOON
    questions: BotQuestions = month.questions
    questions._admission = questions.for_workers._admission = here.admission
    good, bad = (Question("counter", "thinker", {"memory": ["added"]}), Question("counter", "thinker", {}))
    job = questions.ask_all("club", [good, bad])
    (seconds, _), ends = new_link().calls(
        [("TIME",), ("ZSCORE", keys.usage_reserved("club", QUESTIONS), f"{job}_0")]
    )
    assert float(ends) / 1000 - int(seconds) >= BATCH_LASTS
    spent(lambda: questions.ask("club", good))
    for _ in range(2):
        questions.for_workers.carry_out(str(questions.for_workers.next()))
    assert (answer := questions.answer("club", job)) is not None
    assert isinstance(answer["answers"][1], DomainError)
    count(new_link)
    questions.ask("club", good)


def test_quotas_change(limited: Limited) -> None:
    """Those that are named; one without a number goes, and so do all."""
    here = limited(games={"day": 1, "month": 10}, questions={"day": 5})
    assert here.apps.change("club", {"quotas": {"games": {"day": None}}}).app.quotas == {
        "games": {"month": 10},
        "questions": {"day": 5},
    }
    assert here.apps.change("club", {"quotas": {"games": None}}).app.quotas == {"questions": {"day": 5}}
    assert here.apps.rotate("club").found.app.quotas == {"questions": {"day": 5}}
    assert here.apps.change("club", {"quotas": None}).app.quotas == {}
