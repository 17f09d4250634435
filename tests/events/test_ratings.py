"""Ratings: the same numbers from the same events, however often, by however many, and in whatever order they count."""

import os
import random
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations, count, permutations
from math import sqrt
from typing import Any

import pytest

from domain.lifecycle import Json, Leaver, Seat
from events.application import Application
from events.engine.access import OF_A_SEAT, Caller
from events.engine.new_game import NewGame
from events.errors import BadCursor, CorruptStream, PlayerNotFound
from events.features.interventions import Verdict
from events.features.ratings import model as rating_model
from events.features.ratings.model import after_game, after_result, crowd_after
from events.features.ratings.port import UNRATED, Counted, Crowd, LeaderboardPosition, Rating
from events.features.ratings.ratings import Ratings, folded
from events.features.ratings.redis.ratings import RedisRatings
from events.features.ratings.results import counted, member_of
from events.log.ratings.scale import KNOWN, POINTS
from events.log.serialisers import summary_document
from events.log.snapshot import Snapshot
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.events.conftest import NewLink
from tests.events.forking import forked, status_of
from tests.events.wiring import application_on
from tests.support.sure import sure
from tests.support.waiting import until

APP, LEADERBOARD = "club", "counter:none"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def nobody(_: Iterable[str]) -> set[str]:
    return set()


def result(
    number: int, *subjects: str, places: tuple[int, ...] = (1, 2), second: int | None = None
) -> Counted:
    """A game with that number, confirmed in that second, of which the first subject is the winner."""
    at = (NOON + timedelta(seconds=number if second is None else second)).isoformat()
    return Counted(APP, LEADERBOARD, member_of(f"{number:022d}", at), subjects, places)


def season(size: int, seed: int = 1) -> list[Counted]:
    """So many results of two to four of five people and a bot, some of a former release."""
    rng, players = random.Random(seed), [*(f"player{number}" for number in range(5)), "bot:sam:1"]
    made = []
    for number in range(size):
        seats = rng.sample(players, rng.randrange(2, 5))
        places = tuple(rng.choice(((1, 2, 3, 4), (1, 1, 3, 3), (2, 1, 3, 4), (1, 2, 2, 2)))[: len(seats)])
        anchors = tuple([100 if who.startswith("bot:") else None for who in seats])
        made.append(replace(result(number, *seats, places=places), anchors=rng.choice((anchors, None))))
    return made


class Table:
    """All that is kept of the ratings."""

    def __init__(self, link: RedisClient) -> None:
        self.link = link
        self.ratings = Ratings(RedisRatings(link), nobody)

    def count(self, results: Iterable[Counted]) -> "Table":
        """Let results count, one after the other."""
        for one in results:
            self.ratings.enter(one)
            self.ratings.fold(one.app, one.leaderboard)
        return self

    def dump(self) -> Json:
        """All that follows from the results, byte by byte."""
        read = self.link.call
        return {
            "lines": sorted(zip(*[iter(read("HGETALL", keys.results(APP)))] * 2, strict=True)),
            "rows": sorted(zip(*[iter(read("HGETALL", keys.ratings(APP, LEADERBOARD)))] * 2, strict=True)),
            "board": read("ZREVRANGE", keys.ranks(APP, LEADERBOARD), 0, -1, "WITHSCORES"),
        }


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is new for long, and to meet twice is often: so a short season comes to all rules."""
    monkeypatch.setattr(rating_model, "NEW", 3)
    monkeypatch.setattr(rating_model, "RECENT", 4)


@pytest.fixture
def table(link: RedisClient) -> Table:
    return Table(link)


def test_a_win(table: Table) -> None:
    """Moves both, the winner up; both are better known than before. In a draw nobody wins, and both are moved alike."""
    table.count([result(1, "a", "b")])
    ratings = {who: table.ratings.of(APP, who)[LEADERBOARD] for who in "ab"}
    variance, spread = 8.333333**2 + (25 / 300) ** 2, (25 / 6) ** 2  # by the paper's algorithm 4
    c = sqrt(2 * (variance + spread))
    gain, shrink = variance / c / 2, sqrt(variance) / c * variance / c**2 / 4
    deviation = round(sqrt(variance * (1 - shrink)), 6)
    assert ratings["a"] == Rating(round(25 + gain, 6), deviation, 1, 1, {}, 1.0)
    assert ratings["b"] == Rating(round(25 - gain, 6), deviation, 1, 0, {}, 1.0)
    table.ratings.wipe()
    table.count([result(1, "a", "b", places=(1, 1)), result(2, "c", "d", "e", places=(1, 1, 3))])
    one, other, c_, d_, last = (table.ratings.of(APP, who)[LEADERBOARD] for who in "abcde")
    assert (one, c_) == (other, d_)
    assert one.wins == c_.wins == 0
    assert c_.mean > 25 > last.mean


def test_results_that_move_nobody_or_less(table: Table) -> None:
    """A bot stands where its strength was measured, and counts the less, the more often it was met. Of people whoever
    has played few others moves those by little, who are not new; a result of a former release moves everybody alike.
    """
    wins = [replace(result(number, "a", "bot:sam:2"), anchors=(None, 295)) for number in range(12)]
    steps = list[float]()
    for one in wins:
        whole = after_game([known(table, "a"), Rating(35.01, KNOWN, 0, 0)], (1, 2))[0].mean
        before = known(table, "a").mean
        table.count([one])
        steps.append((known(table, "a").mean - before) / (whole - before))
    expected = [min(1, 5 / number) for number in range(1, 13)]
    assert steps == pytest.approx(expected, abs=1e-4)
    assert known(table, "bot:sam:2") == Rating(35.01, KNOWN, 12, 0)
    assert known(table, "a").met == {"sam": 12}
    people = (None, None)
    veteran = known(table, "a")
    table.count([replace(result(20, "a", "b"), anchors=people)])  # b is new
    assert known(table, "a") == replace(veteran, games=13, wins=13, weight=1.0)
    assert known(table, "b") == replace(UNRATED, games=1, weight=1.0)  # nor has a played any people
    table.count([replace(result(21, "c", "d"), anchors=people)])  # both are new
    half = (after_game([UNRATED, UNRATED], (1, 2))[0].mean - 25) / 2
    assert [known(table, who).mean - 25 for who in "cd"] == pytest.approx([half, -half], abs=1e-5)
    table.count([result(22, "a", "bot:sam:2", places=(2, 1))])
    assert known(table, "bot:sam:2").mean > 35.01
    assert known(table, "a").mean < veteran.mean
    kept = table.dump()
    table.ratings.wipe()
    everything = [
        *wins,
        *(replace(result(20 + at, *who), anchors=people) for at, who in enumerate(("ab", "cd"))),
    ]
    assert table.count([*everything[::-1], result(22, "a", "bot:sam:2", places=(2, 1))]).dump() == kept


PARTS = (  # met so often lately where so many play: by how much the next game counts
    (0, 1000, 1.0),
    (1, 1000, 1 / 4),
    (2, 1000, 1 / 9),
    (9, 1000, 1 / 100),
    (3, 4, 1 / 4),  # chance has them meet once in four games: twice that is not often
    (1, 4, 1.0),
    (7, 0, 1.0),
)


@pytest.mark.parametrize(("met", "people", "part"), PARTS)
def test_two_who_meet_often_move_each_other_less(met: int, people: int, part: float) -> None:
    """More often than chance has it. In a small club, where all do, they move each other wholly. A friend's weight
    grows by that part only; games against bots give none, and who has half of the weight moves others by half.
    """
    settled = Rating(25.0, 3.0, 400, 200, {}, rating_model.SETTLED)
    half = replace(settled, weight=settled.weight / 2)
    game = replace(result(1, "a", "b"), anchors=(None, None))
    whole = rating_model.after_game([settled, half], game.places)
    a, b = after_result(game, [settled, half], Crowd(people), {(game.member, "a", "b"): met})
    assert a.mean - 25 == pytest.approx((whole[0].mean - 25) * part / 2, abs=1e-5)
    assert 3 - a.deviation == pytest.approx((3 - whole[0].deviation) * part / 2, abs=1e-5)
    assert (b.mean, b.deviation) == (whole[1].mean, whole[1].deviation)
    assert a.weight == pytest.approx(settled.weight + part)
    assert b.weight == half.weight + 1
    against = replace(result(2, "a", "bot:sam:1"), anchors=(None, 100))
    assert after_result(against, [settled, UNRATED], Crowd(people), {})[0].weight == settled.weight


def test_friends_lift_no_further_than_games_against_bots_bear_out() -> None:
    """A shown rating is at most 20 points higher than by these games alone, 5 for somebody who has played none, and no
    surer; but only where most of those who are known play bots. The games of others move nobody's `by_bots`, nor does a
    friend who sits at a bot's table; but what these say ages by them, and is never less than nothing.
    """
    friend = Rating(25.0, 3.0, 400, 200, {}, rating_model.SETTLED)

    def rated(me: Rating, *subjects: str, crowd: Crowd, anchor: int = 0) -> Rating:
        anchors = tuple([anchor if who.startswith("bot:") else None for who in subjects])
        game = replace(
            result(1, "me", *subjects, places=(1, 2, 2)[: len(anchors) + 1]), anchors=(None, *anchors)
        )
        before = [me, *(UNRATED if who.startswith("bot:") else friend for who in subjects)]
        return after_result(game, before, crowd, {})[0]

    limits, none = Crowd(10, 6, limits=True), Crowd(10, 6)
    bots = club = new = UNRATED
    for _ in range(5):
        bots = rated(bots, "bot:sam:1", crowd=limits)
    assert (bots.by_bots, bots.shown_mean) == ((bots.mean, bots.deviation), bots.mean)
    lifted = bots
    for _ in range(200):
        lifted = rated(lifted, "friend", crowd=limits)
        new = rated(new, "friend", crowd=limits)
        club = rated(club, "friend", crowd=none)
    assert lifted.by_bots[0] == bots.by_bots[0]
    assert lifted.by_bots[1] == pytest.approx(sqrt(bots.by_bots[1] ** 2 + 200 * (25 / 300) ** 2), abs=1e-4)
    assert new.by_bots == UNRATED.by_bots
    assert lifted.mean > bots.mean + bots.deviation
    assert lifted.deviation < lifted.shown_deviation == lifted.by_bots[1]
    for one, points in ((lifted, 10), (new, 5), (replace(lifted, met={"sam": 9, "tom": 99}), 20)):
        assert one.ordinal == pytest.approx(one.by_bots[0] + points / POINTS - 3 * one.by_bots[1], abs=1e-5)
    assert (club.shown_mean, club.shown_deviation) == (club.mean, club.deviation)
    assert rated(bots, "bot:sam:1", "friend", crowd=limits).by_bots[0] == bots.by_bots[0]
    assert rated(lifted, "bot:sam:1", crowd=limits).ordinal > lifted.ordinal


def test_the_known_are_counted_once_each() -> None:
    """By all games, and by those against bots; bots are none of them."""
    old = replace(UNRATED, games=2, met={"sam": 1, "tom": 1})
    new = replace(old, games=3, met={"sam": 2, "tom": 1})
    subjects = ("a", "b", "bot:sam:1")
    crowd = crowd_after(Crowd(5, 1), subjects, (old, new, old), (new, replace(new, games=4), new))
    assert crowd == Crowd(6, 2)
    assert crowd_after(crowd, ("a",), (old,), (replace(old, games=3),)) == Crowd(7, 2)


@pytest.mark.parametrize(
    ("crowd", "limits"),
    [
        (Crowd(2, 2), False),  # too few are known
        (Crowd(3, 2), True),
        (Crowd(4, 2), False),
        (Crowd(4, 2, limits=True), True),
        (Crowd(10, 2, limits=True), True),  # as many names again, which play each other, end nothing
        (Crowd(11, 2, limits=True), False),
    ],
)
def test_games_against_bots_limit_from_a_half_of_the_known_down_to_a_fifth(
    crowd: Crowd, limits: bool
) -> None:
    assert crowd_after(crowd, ("a",), (UNRATED,), (UNRATED,)) == crowd._replace(limits=limits)


def test_meetings_are_counted_in_the_results_before(table: Table) -> None:
    """Among so many of the one's last ones against people, for anybody can play a bot in between; and so are the people
    who are not new.
    """
    results = season(40)
    table.count(results[::-1])
    store, last = RedisRatings(table.link), 5
    names = [f"player{number}" for number in range(5)]
    pairs = [(one.member, *two) for one in results for two in permutations(names, 2)]
    expected = [
        sum([other in one.subjects for one in [one for one in before if me in one.subjects][-last:]])
        for at in range(len(results))
        for before in [[one for one in results[:at] if sum([who in names for who in one.subjects]) > 1]]
        for me, other in permutations(names, 2)
    ]
    assert store.meetings(APP, LEADERBOARD, pairs, last) == expected
    people = [game.crowd.people for game in store.batch(APP, LEADERBOARD, "", 100)]
    assert people == [
        sum([sum([name in one.subjects for one in results[: at + 1]]) >= 3 for name in names])
        for at in range(len(results))
    ]
    assert people[-1] == 5


def known(table: Table, who: str) -> Rating:
    return table.ratings.of(APP, who).get(LEADERBOARD, UNRATED)


def test_any_order(table: Table) -> None:
    """Results that come late, twice or backwards give the very same ratings; ids order those of one millisecond."""
    at_once = [
        result(number, "a", "b", places=(1 + number % 2, 2 - number % 2), second=0) for number in range(6)
    ]
    for results in (season(40), at_once):
        table.ratings.wipe()
        in_order = table.count(results).dump()
        shuffled = results * 2
        random.Random(1).shuffle(shuffled)
        for other in (shuffled, results[::-1]):
            table.ratings.wipe()
            assert table.count(other).dump() == in_order


class Interrupted(Exception):
    """The process died here."""


def dying_at(last: int, send: Callable[..., object]) -> Callable[..., object]:
    """Sends requests, up to the last one."""
    requests = count(1)

    def calls(asked: object) -> object:
        if next(requests) == last:
            raise Interrupted
        return send(asked)

    return calls


def test_death_anywhere(new_link: NewLink, monkeypatch: pytest.MonkeyPatch) -> None:
    """A death at any request to the store leaves a state from which a repeat leads to the same numbers."""
    link, results = new_link(), season(12)
    table = Table(link)
    in_order = table.count(results).dump()
    for last in range(1, 8):
        table.ratings.wipe()
        for one in results:
            mortal = new_link()
            monkeypatch.setattr(mortal, "calls", dying_at(last, mortal.calls))
            try:
                Table(mortal).count([one])
            except Interrupted:
                table.count([one])  # the feed delivers it again
        assert table.dump() == in_order, last


def test_many_processes_of_which_some_are_killed(redis_url: str, link: RedisClient) -> None:
    """All count all results, in orders of their own; two are killed on the way; the numbers are those of one alone."""
    alone, results = Table(link), season(60)
    expected = alone.count(results).dump()
    alone.ratings.wipe()
    assert alone.dump() == {"lines": [], "rows": [], "board": []}

    def count_all(seed: int, to_the_end: bool) -> None:
        table, shuffled = Table(link_to(redis_url, 10.0)), [*results]
        random.Random(seed).shuffle(shuffled)
        table.count(shuffled)
        while not to_the_end:  # so that who is to be killed does not end before
            table.count(shuffled)

    running = [forked(partial(count_all, seed, seed > 1)) for seed in range(4)]
    until(lambda: len(alone.dump()["lines"]) > 5)
    for process in running[:2]:
        os.kill(process, signal.SIGKILL)
    statuses = [status_of(process) for process in running]
    assert statuses == [-signal.SIGKILL] * 2 + [0, 0]
    assert alone.dump() == expected


def test_a_wipe_amid_others(table: Table) -> None:
    """A part of a result that was lost comes back with the result, and what follows from it is worked out anew."""
    results = season(20)
    in_order = table.count(results).dump()
    app_keys = table.link.call("KEYS", "{app:club}:results*")
    for key in sorted(app_keys):
        table.link.call("DEL", key)
        for one in results:
            table.ratings.enter(one)
        table.ratings.fold(APP, LEADERBOARD)
        assert table.dump() == in_order, key


def test_a_death_between_two_batches(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that a late result makes out of date: the feed tells of it again, and so all is worked out.

    How many are folded at once makes no difference.
    """
    results = season(20)
    in_order = table.count(results).dump()
    monkeypatch.setattr("events.features.ratings.ratings.BATCH", 5)
    table.ratings.wipe()
    for one in results:
        table.ratings.enter(one)
    assert table.ratings.fold(APP, LEADERBOARD) == len(results)
    assert table.dump() == in_order
    assert table.ratings.fold(APP, LEADERBOARD) == 0
    table.ratings.wipe()
    table.count(results[1:])
    table.ratings.enter(results[0])
    store = RedisRatings(table.link)
    (position,) = store.leaderboards(APP).values()
    batch = store.batch(APP, LEADERBOARD, position.mark, 5)
    assert store.commit(APP, LEADERBOARD, position, folded(batch, {}, Crowd(), {}), [])
    assert table.dump() != in_order
    assert table.ratings.fold(APP, LEADERBOARD) == 15
    assert table.dump() == in_order


def test_a_result_that_is_entered_while_its_follower_is_folded(table: Table) -> None:
    """It lies after the mark, so the mark stays, and it has no ratings yet: that is no loss."""
    results = season(3)
    in_order = table.count(results).dump()
    table.ratings.wipe()
    table.count(results[:1])
    table.ratings.enter(results[2])

    class Late(RedisRatings):
        """A store in which somebody enters the second result as soon as the third one was read."""

        def before(
            self, app: str, leaderboard: str, member: str, subjects: Sequence[str]
        ) -> tuple[dict[str, Rating], Crowd] | None:
            self.enter(results[1])
            return super().before(app, leaderboard, member, subjects)

    assert Ratings(Late(table.link), nobody).fold(APP, LEADERBOARD) == 2
    assert table.dump() == in_order


def test_a_line_that_is_lost_or_of_another_game_is_told(table: Table) -> None:
    """A result of which only its place is left stops its leaderboard, and so do two that were exchanged."""
    results = season(3)
    table.count(results)
    line = table.link.call("HGET", keys.results(APP), results[-1].game_id)
    assert len(line.split(b"\n")[2].split()) == 2  # releases from before a third number read no other one
    table.ratings.enter(result(5, "a", "b"))
    table.link.call("HDEL", keys.results(APP), f"{5:022d}")
    with pytest.raises(CorruptStream, match="migrato projections rebuild"):
        table.ratings.fold(APP, LEADERBOARD)
    table.ratings.wipe()
    for one in results:
        table.ratings.enter(one)
    first, second = (table.link.call("HGET", keys.results(APP), one.game_id) for one in results[:2])
    table.link.call("HSET", keys.results(APP), results[0].game_id, second, results[1].game_id, first)
    with pytest.raises(CorruptStream):
        table.ratings.fold(APP, LEADERBOARD)


def test_the_change_by_a_game_goes_from_the_rating_before_it(table: Table) -> None:
    """A bot stays where it is measured. While a late result is not folded, or one before is lost, nobody can tell."""
    bots = replace(result(3, "a", "bot:sam:1"), anchors=(None, 295))
    for number in (1, 2, 3):
        table.link.call("HSET", keys.secrets(f"{number:022d}"), "app", APP)
    table.count([result(1, "a", "b"), bots])
    first, second = (sure(table.ratings.change(APP, f"{number:022d}")) for number in (1, 3))
    assert [one.before for one in first] == [UNRATED, UNRATED]
    assert second[0].before == first[0].after
    assert second[0].after == known(table, "a")
    assert second[1].before == second[1].after
    table.ratings.enter(result(2, "a", "c"))
    assert table.ratings.change(APP, bots.game_id) is None
    table.ratings.fold(APP, LEADERBOARD)
    (late, _), (now, _) = (sure(table.ratings.change(APP, f"{number:022d}")) for number in (2, 3))
    assert (late.before, late.after) == (first[0].after, now.before)
    erased = Ratings(RedisRatings(table.link), lambda ids: {*ids})
    assert erased.change(APP, bots.game_id) == [now, sure(table.ratings.change(APP, bots.game_id))[1]]
    table.link.call("HDEL", keys.results(APP), f"{2:022d}")
    assert table.ratings.change(APP, bots.game_id) is None
    assert table.ratings.change(APP, f"{9:022d}") is None


@pytest.mark.parametrize("read", ["look", "before", "leaderboards"])
def test_the_change_by_a_game_is_of_one_moment(
    table: Table, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never goes to a rating without a late result from one with it, nor back: in whatever moment that result comes,
    and whether it is folded to the end or only begun.
    """
    for number in (1, 2, 3):
        table.link.call("HSET", keys.secrets(f"{number:022d}"), "app", APP)
    early, late, last = [replace(result(number, "a", "b"), anchors=(None, None)) for number in (1, 2, 3)]
    store = RedisRatings(table.link)

    def begin() -> object:
        (position,) = store.leaderboards(APP).values()
        batch = store.batch(APP, LEADERBOARD, position.mark, 1)
        before = sure(store.before(APP, LEADERBOARD, late.member, late.subjects))
        met = {(late.member, one, other): 1 for one, other in permutations("ab")}
        return store.commit(APP, LEADERBOARD, position, folded(batch, *before, met), [])

    def to_the_end() -> object:
        return table.ratings.fold(APP, LEADERBOARD)

    def reading(still: list[Callable[[], object]], *asked: Any) -> Any:
        """The late result comes after the first reading."""
        found = getattr(store, read)(*asked)
        while still:
            table.ratings.enter(late)
            still.pop()()
        return found

    for fold in (begin, to_the_end):
        table.ratings.wipe()
        table.count([early, last])
        was = sure(table.ratings.change(APP, last.game_id))
        busy = RedisRatings(table.link)
        monkeypatch.setattr(busy, read, partial(reading, [fold]))
        found = Ratings(busy, nobody).change(APP, last.game_id)
        table.ratings.fold(APP, LEADERBOARD)
        now = sure(table.ratings.change(APP, last.game_id))
        assert now != was
        assert found in (was, None if fold is begin else now)


def test_pages_of_a_leaderboard(table: Table) -> None:
    """The best first, each once, also where many have the same rating; a foreign cursor is refused."""
    results = [result(number, f"bot:a{number}:1", f"bot:b{number}:1") for number in range(5)]
    table.count(results)
    found, cursor = [], None
    while True:
        page, cursor = table.ratings.page(APP, LEADERBOARD, 3, cursor)
        found += page
        if cursor is None:
            break
    assert [one.rank for one in found] == list(range(1, 11))
    assert {one.subject for one in found} == {who for one in results for who in one.subjects}
    assert [one.rating.wins for one in found] == [1] * 5 + [0] * 5
    for wrong in ("x", "MTIz", "bmFuOmE", "aW5mOmE", "é"):
        with pytest.raises(BadCursor):
            table.ratings.page(APP, LEADERBOARD, 3, wrong)


@pytest.fixture
def application(new_link: NewLink) -> Application:
    """An application with the counter game whose clock goes on by a second with every look at it."""
    link, ticks = new_link(), count()
    return application_on(link, ratings=RedisRatings(link), now=lambda: NOON + timedelta(seconds=next(ticks)))


def rate(application: Application, game_id: str) -> bool:
    """Do for the game what the dispatcher does; whether the game counts."""
    games, leaderboards = application.leaderboards.outstanding([game_id])
    entered = {application.leaderboards.enter(one) for one in games}
    for leaderboard in {*leaderboards.values(), *entered} - {None}:
        application.leaderboards.fold(*sure(leaderboard))
    return bool(entered - {None})


def play(application: Application, *seats: Seat, app: str = APP) -> str:
    """A whole game, which the first seat wins with its first number; its id."""
    game_id = application.creation.create(app, NewGame("counter", {"goal": 3}, seats)).snapshot.game_id
    return finish(application, game_id)


def finish(application: Application, game_id: str) -> str:
    while (now := application.views.snapshot(game_id)).status.result is None:
        seat = sure(now.status.to_act)
        if now.status.seats[seat].kind == "bot":
            application.bot_turns.bot_move(game_id, now.version)
        else:
            application.moves.play(game_id, seat, {"amount": 3})
    application.bot_turns.score_game(game_id)
    return game_id


ADA, BO, ONE = Seat("human", "ada"), Seat("human", "bo"), Seat("bot", bot="one")


def board(application: Application, app: str = APP) -> list[Json]:
    entries, cursor = application.leaderboards.page(app, "counter", "none", 100, None)
    assert cursor is None
    return entries


def test_a_game_counts_once(application: Application) -> None:
    """Even if the feed tells of it often; each app has its own players. A player's games come newest first."""
    games = [play(application, ADA, BO)]
    assert rate(application, games[0])
    before = board(application)
    assert [(entry["player"], entry["games"], entry["wins"]) for entry in before] == [
        ("ada", 1, 1),
        ("bo", 1, 0),
    ]
    assert not rate(application, games[0])
    assert application.leaderboards.outstanding(games) == ([], {games[0]: (APP, LEADERBOARD)})
    assert application.leaderboards.enter(games[0]) == (APP, LEADERBOARD)
    application.leaderboards.fold(APP, LEADERBOARD)
    assert board(application) == before
    assert board(application, "other") == []
    games += [play(application, ADA, BO) for _ in range(2)]
    for game_id in games:
        application.listing.update(game_id)
    ada = sure(application.views.snapshot(games[0]).status.seats[0].player)
    first, cursor = application.leaderboards.games_of(APP, ada, 2, None)
    rest, end = application.leaderboards.games_of(APP, ada, 2, cursor)
    assert (first + rest, end) == (games[::-1], None)


def test_a_bot_is_rated_by_its_version(application: Application) -> None:
    """A bot is rated by the version that the game has recorded with its moves."""
    game_id = application.creation.create(APP, NewGame("counter", {"goal": 9}, (ONE, ADA))).snapshot.game_id
    assert rate(application, finish(application, game_id))
    bot = next(entry for entry in board(application) if entry["kind"] == "bot")
    assert (bot["bot"], bot["version"]) == ("one", "1")


def test_a_game_counts_from_the_deal_on(application: Application) -> None:
    """Also against a bot that has not moved: its version is in the first event, and no later one is taken for it.

    In a game of a former release nothing tells the version of a bot that has not moved.
    """
    game_id = application.creation.create(APP, NewGame("counter", {"goal": 9}, (ADA, ONE))).snapshot.game_id
    application.interventions.adjudicate(game_id, Verdict(winner=1), Caller("app", APP))
    application.bot_turns.score_game(game_id)
    now = application.views.snapshot(game_id)
    (created,) = application.views._store.read(game_id, limit=1)
    assert created.data["seats"][1]["version"] == now.game.bots["one"].version == "1"
    assert rate(application, game_id)
    assert [(one["kind"], one.get("version"), one["wins"]) for one in board(application)] == [
        ("bot", "1", 1),
        ("player", None, 0),
    ]
    later, unknown = [
        now._replace(status=now.status._replace(seats=(ada, replace(one, version=version))))
        for ada, one in [now.status.seats]
        for version in ("0.9", None)
    ]
    known = sure(counted(later))
    assert known.subjects[1] == "bot:one:0.9"
    assert counted(unknown) is None


def told(application: Application, game: Snapshot) -> set[tuple[bool, str | None]]:
    """The members about ratings in its view and in its line of the listings."""
    documents = [application.views.game_document(game, None), summary_document(game)]
    return {(one["rated"], one.get("unrated_because")) for one in documents}


@pytest.mark.parametrize(
    ("seats", "why", "counts"),
    [
        ((ADA, BO), None, True),
        ((ADA, Seat("open")), None, None),
        ((ADA, ONE), None, True),  # the bot did not move: the deal was seen all the same
        ((ADA, Seat("human")), "unnamed", False),
        ((Seat("human"), Seat("human")), "unnamed", False),
        ((ADA, ADA), "same-player", False),
        ((ONE, ONE), "same-player", None),
    ],
)
def test_games_that_do_not_count(
    application: Application, seats: tuple[Seat, ...], why: str | None, counts: bool | None
) -> None:
    """As far as it is known; and so does its line in the listing. Where none can be told apart none is rated."""
    game = application.creation.create(APP, NewGame("counter", {"goal": 3}, seats)).snapshot
    assert told(application, game) == {(why is None, why)}
    assert [line["rated"] for line in application.listing.page(APP).games] == [why is None]
    if counts is not None:
        assert rate(application, finish(application, game.game_id)) == counts
        assert bool(board(application)) == counts


def test_a_scored_game_says_whether_it_counted(application: Application) -> None:
    """Also where that was not known before: a bot of a former release may move yet, and has not in the end."""
    running = application.creation.create(APP, NewGame("counter", {"goal": 3}, (ADA, ONE))).snapshot
    scored = application.views.snapshot(finish(application, running.game_id))

    def formerly(game: Snapshot) -> Snapshot:
        ada, one = game.status.seats
        return game._replace(status=game.status._replace(seats=(ada, replace(one, version=None))))

    assert told(application, formerly(running)) == told(application, scored) == {(True, None)}
    assert told(application, formerly(scored)) == {(False, "unknown-version")}
    moved = formerly(scored)._replace(versions={1: ("one", "0.9")})
    assert told(application, moved) == {(True, None)}
    of_a_seat = scored._replace(secrets=replace(scored.secrets, app=OF_A_SEAT))
    assert told(application, of_a_seat) == {(False, "no-app")}
    alone = scored._replace(status=scored.status._replace(seats=scored.status.seats[:1]))
    assert told(application, alone) == {(False, "one-seat")}
    assert [counted(one) for one in (formerly(scored), of_a_seat, alone)] == [None] * 3


def test_a_guest_does_not_count(link: RedisClient) -> None:
    """Anybody may be as many guests as they like; the id shows it, also when the guest was erased."""
    guarded = application_on(link, ratings=RedisRatings(link), app_keys={APP: "0" * 64})
    new = NewGame("counter", {"goal": 3}, (ADA, Seat("open")), "public")
    game_id = guarded.creation.create(APP, new).snapshot.game_id
    assert guarded.views.game_document(guarded.views.snapshot(game_id), None)["rated"]
    guarded.seats.take(game_id, 1, "bo", None, Caller("anonymous"))
    assert told(guarded, guarded.views.snapshot(game_id)) == {(False, "guest")}
    finish(guarded, game_id)
    guest = sure(guarded.views.snapshot(game_id).status.seats[1].player)
    assert guest.startswith("pl_guest")
    assert not rate(guarded, game_id)
    guarded.players.erase(APP, guest)
    assert guarded.leaderboards.enter(game_id) is None


def test_an_aborted_game_and_one_with_a_stand_in(application: Application) -> None:
    """Neither counts; an adjudicated one does."""
    app, new = Caller("app", APP), NewGame("counter", {"goal": 9}, (ADA, BO))
    aborted, replaced, adjudicated = games = [
        application.creation.create(APP, new).snapshot.game_id for _ in range(3)
    ]
    application.interventions.abort(aborted, app)
    application.interventions.replace_player(replaced, 1, "one", app)
    finish(application, replaced)
    application.interventions.adjudicate(adjudicated, Verdict(winner=1), app)
    application.bot_turns.score_game(adjudicated)
    assert [rate(application, game_id) for game_id in games] == [False, False, True]
    after = [told(application, application.views.snapshot(game_id)) for game_id in games]
    assert after == [{(False, "aborted")}, {(False, "replaced")}, {(True, None)}]


def test_a_player_who_hands_a_seat_over_has_lost(application: Application) -> None:
    """Even if the one who plays on there wins; it counts neither for nor against that one."""
    game_id = application.creation.create(APP, NewGame("counter", {"goal": 3}, (ADA, BO))).snapshot.game_id
    now = application.views.snapshot(game_id)
    before = [seat.player for seat in now.status.seats]
    loser = Caller("seat", None, 0, game_id, now.secrets.tokens[0])
    after, _ = application.seats.hand_over(game_id, 0, "zoe", loser)
    assert after.is_rated
    assert rate(application, finish(application, game_id))
    result = sure(application.views.snapshot(game_id).status.result)
    assert (after.status.seats[0].leaver, result.places) == (Leaver(before[0], 0), (1, 2))
    live = board(application)
    assert [(one["player"], one["games"], one["wins"]) for one in live] == [("bo", 1, 1), ("ada", 1, 0)]
    application.leaderboards.wipe()
    assert rate(application, game_id)
    assert board(application) == live


def fold_as_before(application: Application) -> None:
    """A process that had begun to fold before an erasure goes on after it."""
    store = application.leaderboards._ratings._store
    position = LeaderboardPosition(store.leaderboards(APP)[LEADERBOARD].revision, "")
    store._link.call("HSET", keys.leaderboards(APP), LEADERBOARD, f"{position.revision}:")  # type: ignore[attr-defined]
    assert store.commit(
        APP, LEADERBOARD, position, folded(store.batch(APP, LEADERBOARD, "", 100), {}, Crowd(), {}), []
    )


def test_erasure(application: Application) -> None:
    """Name and rating go; what others have won stays, and a rebuild comes to the same numbers."""
    for first, second in combinations((ADA, BO, Seat("human", "cy")), 2):
        rate(application, play(application, first, second))
    games = [line["id"] for line in application.listing.page(APP).games]
    ids = {entry["player"]: entry["player_id"] for entry in board(application)}
    before = [(e["player"], e["rating"]) for e in board(application) if e["player"] != "ada"]
    application.erasure.erase(APP, ids["ada"])
    assert [(e["player"], e["rating"]) for e in board(application)] == before
    assert application.leaderboards.of(APP, ids["ada"]) == []
    with pytest.raises(PlayerNotFound):
        application.players.get(APP, ids["ada"])
    fold_as_before(application)
    assert [(e["player"], e["rating"]) for e in board(application)] == before
    rate(application, play(application, BO, Seat("human", "cy")))
    expected = board(application)
    application.leaderboards.wipe()
    games = [line["id"] for line in application.listing.page(APP).games]
    for game_id in games:
        rate(application, game_id)
    assert board(application) == expected
    assert application.leaderboards.of(APP, ids["ada"]) == []
