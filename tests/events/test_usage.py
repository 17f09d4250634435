"""Usage: each thing that an app does counts once, on its day, whichever process counts or dies."""

import os
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

import pytest

from domain.lifecycle import Seat
from events.errors import StoreUnavailable
from events.features.apps.redis.apps import RedisAppStore
from events.features.usage import redis as adapter
from events.features.usage.counting import Counting
from events.features.usage.port import Noted, Slice
from events.features.usage.redis import RedisUsage, RedisUsageNotes, RedisUsageSource
from events.features.usage.usage import Usage
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.event_types import LoggedMessage, Message
from events.features.webhooks.records import Endpoint
from events.features.webhooks.redis.endpoints import RedisEndpoints
from events.log import usage
from events.log.partitions import PARTITIONS
from events.log.usage import Used, bot_named, text_of
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.queues.keys import NOTES
from events.store.usage_counts import KEPT_DAYS
from tests.events.conftest import NewLink
from tests.events.month import APPS, BEGINNING, Month

EVERYWHERE: Final = range(PARTITIONS)
ONE_MOVE: Final = {"people": 1}
Counts = dict[str, dict[str, Counter[str]]]


def counting(new_link: NewLink) -> Counting:
    return Counting(RedisUsage(new_link()), RedisUsageSource(new_link(), new_link()))


def count_all(counting: Counting) -> None:
    while counting.step(EVERYWHERE):
        pass


def stored(new_link: NewLink, days: int) -> Counts:
    """The counts in the store."""
    dates = [(BEGINNING + timedelta(days=number)).date().isoformat() for number in range(days + 2)]
    found: Counts = {}
    for app in APPS:
        counts = zip(dates, RedisUsage(new_link()).days(app, dates), strict=True)
        found[app] = {date: Counter(its) for date, its in counts if its}
    return found


def child(new_link: NewLink) -> int:
    """A process that does nothing but count, as fast as it can."""
    pid = os.fork()
    if pid == 0:
        try:
            mine = counting(new_link)
            while True:
                mine.step(EVERYWHERE)
        finally:
            os._exit(1)
    return pid


def killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def month_under_kills(
    new_link: NewLink, patch: pytest.MonkeyPatch, *, days: int, games: int, kills: int
) -> None:
    """Two processes count at once while the month is played; every so often one of them is killed, and replaced."""
    month, random = Month(new_link, patch), Random(7)
    children, left = [child(new_link), child(new_link)], kills
    try:
        for number, _ in enumerate(month.play(days, games)):
            if left and number % 7 == 0 and random.random() < 0.5:
                left -= 1
                killed(children.pop(0))
                children.append(child(new_link))
    finally:
        for pid in children:
            killed(pid)
    assert left == 0
    count_all(counting(new_link))
    assert stored(new_link, days) == month.counted()


def test_usage_is_what_an_independent_count_of_the_streams_finds(
    new_link: NewLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four days of three apps, under eight kills of who counts; and by month what it is by day."""
    month_under_kills(new_link, monkeypatch, days=4, games=2, kills=8)
    for app, days in stored(new_link, 4).items():
        (by_month,) = RedisUsage(new_link()).days(app, ["2026-11"])
        assert sum(days.values(), Counter()) == Counter(by_month)
        assert by_month["ms:one@1"] > 0
        assert by_month["ms:thinker@7"] > 0


@pytest.mark.nightly("a kill between two steps of the counting that counts something twice or never")
def test_a_month_under_fifty_kills(new_link: NewLink, monkeypatch: pytest.MonkeyPatch) -> None:
    month_under_kills(new_link, monkeypatch, days=30, games=4, kills=50)


def noted(number: int, day: str = "2026-11-29", counts: Mapping[str, int] = ONE_MOVE) -> Noted:
    return Noted(f"{number}-0", Used("club", day, counts), "")


class Scripted:
    """A source of notes that a test writes."""

    def __init__(self, *notes: Noted) -> None:
        self.notes = notes
        self.ends: Mapping[str, str] = {}

    def fresh(self, partitions: Sequence[int]) -> Mapping[str, Sequence[Noted]]:
        return {"5": self.notes}

    def done(self, ends: Mapping[str, str]) -> None:
        self.ends = ends


def test_one_who_was_overtaken_counts_the_rest(link: RedisClient) -> None:
    """Another process has counted a part by now, with other ends; days follow the events, in whatever order."""
    store = RedisUsage(link)
    notes = [noted(number, day) for number, day in enumerate(["2026-11-29", "2026-11-30"] * 3, 1)]
    Counting(store, Scripted(*notes[:3])).step([5])
    late = Scripted(*notes[1:])
    told = list[Used]()
    Counting(store, late, told.append).step([5])
    Counting(store, Scripted(*notes), told.append).step([5])
    assert sorted(told) == sorted(note.used for note in notes[3:])
    assert store.days("club", ["2026-11-29", "2026-11-30", "2026-11"]) == [
        {"people": 3},
        {"people": 3},
        {"people": 6},
    ]
    assert late.ends == {"5": "6-0"}


def test_a_part_that_another_one_has_counted_is_told(link: RedisClient) -> None:
    store = RedisUsage(link)
    assert store.add("club", "2026-11-29", [Slice("5", [noted(1), noted(3)])]) == [None]
    both = [Slice("5", [noted(2), noted(4)]), Slice("6", [noted(2)])]
    assert store.add("club", "2026-11-29", both) == ["3-0", None]


def test_counts_expire(link: RedisClient) -> None:
    """400 days after their day; those of a month after its last day. What is older than that is not kept at all."""
    now = datetime.now(UTC)
    store = RedisUsage(link)
    for number, age in enumerate((0, KEPT_DAYS - 1, KEPT_DAYS + 1), 1):
        day = (now - timedelta(days=age)).date().isoformat()
        store.add("club", day, [Slice("5", [noted(number, day)])])
        assert bool(store.days("club", [day])[0]) is (age < KEPT_DAYS)
    store.add("zoo", last := "2096-02-29", [Slice("5", [noted(1, last)])])
    store.add("zoo", "2096-02-01", [Slice("5", [noted(2, "2096-02-01")])])
    ends = [link.call("EXPIRETIME", keys.usage("zoo", of)) for of in (last, "2096-02")]
    assert ends == [int(datetime(2097, 4, 5, tzinfo=UTC).timestamp())] * 2


def test_a_day_takes_a_few_hundred_bytes(link: RedisClient) -> None:
    """Of an app with two bots; and ten thousand names of bots do not take more than a few hundred counts."""
    store = RedisUsage(link)
    counts = {"created": 10**6, "finished": 10**6, "aborted": 10**5, "people": 10**8, "streams": 10**6}
    for bot in ("level-5@2-5229c095", "greedy@3"):
        counts |= {f"{what}:{bot}": 10**6 for what in ("moves", "ms", "questions")}
    store.add("club", "2026-11-29", [Slice("5", [noted(1, counts=counts)])])
    assert link.call("MEMORY", "USAGE", keys.usage("club", "2026-11-29")) < 500
    many = {f"moves:bot@{number}": 1 for number in range(10_000)}
    store.add("zoo", "2026-11-29", [Slice("5", [noted(1, counts=many)])])
    (kept,) = store.days("zoo", ["2026-11-29"])
    assert (len(kept), sum(kept.values())) == (adapter.MOST_COUNTS + 1, 10_000)
    assert kept["moves:other"] == 10_000 - adapter.MOST_COUNTS


def test_a_deleted_app_has_no_usage(new_link: NewLink, monkeypatch: pytest.MonkeyPatch) -> None:
    """One who counts late counts nothing for it of what was before."""
    month = Month(new_link, monkeypatch)
    for _ in month.play(1, 1):
        pass
    apps = RedisAppStore(new_link())
    counting(new_link).step(EVERYWHERE)
    apps.delete("club")
    late = counting(new_link)
    for number in EVERYWHERE:
        month.store._link.call("XGROUP", "SETID", keys.feed(number), adapter.GROUP, "0")
    count_all(late)
    found = stored(new_link, 1)
    assert found["club"] == {}
    assert found["zoo"] == month.counted()["zoo"]


def test_a_count_that_fails_is_made_good(new_link: NewLink, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the step after which the store went away, and whether or not it did what it was asked."""
    month, random = Month(new_link, monkeypatch, seed=3), Random(3)
    link = new_link()
    its: Any = link.calls

    def now_and_then(requests: Sequence[Any]) -> Any:
        if random.random() < 0.2:
            raise StoreUnavailable("before")
        replies = its(requests)
        if random.random() < 0.2:
            raise StoreUnavailable("after")
        return replies

    for number, _ in enumerate(month.play(2, 2)):
        if number % 3 == 0:
            counts = Counting(RedisUsage(link), RedisUsageSource(link, link))
            with monkeypatch.context() as patched:
                patched.setattr(link, "calls", now_and_then)
                try:
                    counts.step(EVERYWHERE)
                except StoreUnavailable:
                    continue
    count_all(counting(new_link))
    assert stored(new_link, 2) == month.counted()


@pytest.fixture
def read(link: RedisClient) -> Usage:
    now = datetime(2026, 11, 29, 12, tzinfo=UTC)
    store = RedisUsage(link)
    first = {"people": 2, "created": 1, "moves:a@1": 3, "ms:a@1": 40}
    second = {"people": 1, "questions:b": 1, "moves:a@1": 1}
    store.add("club", "2026-11-28", [Slice("5", [noted(1, counts=first)])])
    store.add("club", "2026-11-29", [Slice("5", [noted(2, counts=second)])])
    return Usage(store, lambda: now)


def test_a_report(read: Usage) -> None:
    """Of the last thirty days unless others are asked for; of days on which there was something, and of all."""
    report = read.report("club")
    assert (report["from"], report["to"]) == ("2026-10-31", "2026-11-29")
    assert [day["date"] for day in report["days"]] == ["2026-11-28", "2026-11-29"]
    bot = {"fallbacks": 0, "hints": 0}
    total = report["total"]
    assert total.pop("bots") == [
        {"bot": "a@1", "moves": 4, "questions": 0, "thinking_ms": 40, **bot},
        {"bot": "b", "moves": 0, "questions": 1, "thinking_ms": 0, **bot},
    ]
    assert {name: number for name, number in total.items() if number} == {
        "games_created": 1,
        "moves_by_people": 3,
        "moves_by_bots": 4,
    }
    first = datetime(2026, 11, 29, tzinfo=UTC).date()
    alone = read.report("club", first, first)["total"]
    assert (alone["moves_by_people"], alone["moves_by_bots"]) == (1, 1)
    assert read.report("nobody")["days"] == []


def test_texts_are_read_again_and_others_are_not() -> None:
    counts = {"people": 1, f"moves:{bot_named('level-5', '2-5229c095')}": 3}
    assert usage.read(text_of("club", "2026-11-29", counts)) == Used("club", "2026-11-29", counts)
    for text in (
        "",
        "club 2026-11-29",
        "club 2026-13-29 people=1",
        "club 9999-12-31 people=1",
        "Club 2026-11-29 a=1",
    ):
        assert usage.read(text) is None
    assert bot_named("a bot, of=course", None) == "other"
    assert Seat("bot").bot is None


def test_each_attempt_of_a_webhook_counts_when_its_outcome_is_noted(link: RedisClient) -> None:
    """Once, though the store is told twice; one that is given up without another attempt counts none."""
    now = datetime(2026, 11, 29, 23, 59, tzinfo=UTC).timestamp()
    store = RedisEndpoints(link, lambda: now)
    endpoint = Endpoint("hook", "club", "https://example.org", (), "", "2026-11-29T00:00:00.000Z")
    store.add(endpoint, [], "0", 1)
    sent = [
        Delivery(LoggedMessage(f"{number}-0", Message("game.created", "2026-11-29", "game", 1, {})), now)
        for number in range(1, 4)
    ]
    assert store.take(endpoint, "0", "3-0", sent)
    failed = sent[0].failed(500, "no", now, 5.0)
    for _ in range(2):
        store.postponed(endpoint, failed)
        store.delivered(endpoint, sent[1])
    for _ in range(2):
        store.give_up(endpoint, failed.failed(500, "no", now, 5.0), 10)
        store.give_up(endpoint, sent[2], 10, was_tried=False)
    assert RedisUsage(link).days("club", ["2026-11-29", "2026-11"]) == [{"deliveries": 1, "attempts": 3}] * 2


def test_notes_of_a_server_that_lost_them_count_though_its_clock_was_set_back(new_link: NewLink) -> None:
    """By then it has another name as a source."""
    link, notes, counter = new_link(), RedisUsageNotes(new_link()), counting(new_link)
    for _ in range(2):
        notes.note("club", "2026-11-29", {"streams": 2})
        count_all(counter)
        counter.step([])
        link.call("DEL", NOTES, adapter.NAME)
        link.call("XADD", NOTES, "1-0", "used", "club 2026-11-29 streams=1", "of", "")
        link.call("XADD", NOTES, "2-0", "used", "what no release has written", "of", "")
        counter.step([])
        link.call("DEL", NOTES, adapter.NAME)
    assert RedisUsage(link).days("club", ["2026-11-29"]) == [{"streams": 6}]
