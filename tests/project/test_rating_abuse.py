"""The simulation of what is gained by choosing what counts for ratings: that it finds what is there, and no more."""

import re
from dataclasses import replace
from random import Random
from statistics import mean

import pytest

from benchmarks.rating_abuse import (
    KINDS,
    POLICIES,
    above,
    kinds_table,
    lifts,
    table,
    tried,
    unrated_because,
)
from benchmarks.rating_ways import (
    BOUGHT,
    FRIENDS,
    HONEST,
    LONGER,
    PEOPLE,
    PLAYED,
    POINTS,
    SPREAD,
    WAYS,
    WEAKEST,
    Played,
    World,
    units,
)
from events.features.ratings.port import UNRATED, Crowd
from events.log import player_ids
from events.log.ratings import scale
from tests.support.running import ROOT
from tests.support.sure import sure

PAGE = (ROOT / "docs/explanation/what-lifts-a-rating.md").read_text()
FRIEND, BOT, MET = (
    "one friend, who loses",
    "only one bot, whose habits are known",
    "five friends who have played 15 games, met by quick match in every fifth game",
)


def world(anchored: bool = False) -> World:
    return World(Random(1), lambda _: True, 5, anchored)


def test_the_same_seed_finds_the_same_and_the_engine_takes_it_away() -> None:
    found = lifts(1, 300, [FRIEND, BOT, MET])
    assert found == lifts(1, 300, [FRIEND, BOT, MET])
    gained = {key: mean(at for _, at in persons) for key, persons in found.items() if persons}
    assert all(abs(gained[HONEST, policy]) < 100 for policy in POLICIES)  # luck, of ten people
    assert gained[FRIEND, "before"] > 200
    assert not found[FRIEND, "now"]
    for way in (BOT, MET):
        assert gained[way, "before"] > gained[way, "now"] + 50
    assert table([found], 0)[2].startswith(f"| {HONEST} |")


@pytest.mark.parametrize("way", BOUGHT)
def test_no_friends_and_no_names_lift_above_what_bots_bear_out(way: str) -> None:
    """The number stays below the true strength in the mean of five people, where friends are known by 300 games, and
    people play bots. Friends alone lift by 20 points at most, whatever they do.
    """
    ready = world(anchored=True)
    ready.crowd = Crowd(PEOPLE, PEOPLE, limits=True)
    settled = replace(UNRATED, deviation=3.0, games=600, weight=300.0)
    ready.strength |= {f"friend {number}": units(Random(way).gauss(0, SPREAD)) for number in range(FRIENDS)}
    ready.ratings = {
        name: replace(settled, mean=UNRATED.mean + strength)
        for name, strength in ready.strength.items()
        if not name.startswith(player_ids.BOT)
    }
    lifted = list[float]()
    for number in range(5):
        there = ready.copy(Random(f"{way} {number}"))
        there.strength["me"] = units(there.rng.gauss(0, SPREAD))
        rating, games = sure(tried(there, BOUGHT[way], "me", LONGER.get(way, PLAYED)))
        lifted.append(above(rating, there.strength["me"]))
        assert games
        by_bots = replace(rating, mean=rating.by_bots[0], deviation=rating.by_bots[1], limited=False)
        assert rating.ordinal <= by_bots.ordinal + 20 / POINTS
    assert mean(lifted) < 0


@pytest.mark.parametrize("way", WAYS)
def test_every_way_plays_games_that_the_engine_was_asked_about(way: str) -> None:
    there = world()
    there.strength["me"] = 0.0
    playing, places = WAYS[way](there, "me"), None
    for _ in range(60):
        try:
            game = next(playing) if places is None else playing.send(places)
        except StopIteration:
            break
        assert game.kind in KINDS
        places = there.play(game)
        assert len(places) == len(game.names)
        assert min(places) == 1


def test_the_engine_is_asked() -> None:
    told = {kind: unrated_because(kind) for kind in KINDS}
    assert {kind for kind, why in told.items() if why is None} == {
        "ordinary", "resigned at the deal", "left", "stalled"
    }  # fmt: skip
    assert {told[kind] for kind in ("hints", "hints in forks", "takebacks")} == {"rated-game"}


def test_the_page_says_what_counts() -> None:
    """If this fails, the rules of what counts have changed: print the page's tables anew, by the command there."""
    assert "\n".join(kinds_table()) in PAGE


@pytest.mark.parametrize(("people", "share"), [(PEOPLE, 1 / 3), (6, 1.0)])
def test_a_settled_friend_lifts_once_and_in_a_small_club_as_everybody_does(people: int, share: float) -> None:
    """The engine's own model: how far three wins over one friend lift, in parts of those over three friends."""

    def lifted(friends: int) -> float:
        there = world(anchored=True)
        there.crowd = Crowd(people)
        settled = replace(UNRATED, deviation=3.0, games=600, weight=300.0)
        there.ratings = dict.fromkeys(("me", "friend 0", "friend 1", "friend 2"), settled)
        for number in range(3):
            there.play(Played(("me", f"friend {number % friends}"), places=(1, 2)))
        return there.rating("me").mean - UNRATED.mean

    assert lifted(1) / lifted(3) == pytest.approx(share, abs=0.15)


def test_equals_win_half_and_400_points_are_ten_to_one() -> None:
    there = world()
    there.strength |= {"me": 0.0, "equal": 0.0, "weak": -400 / POINTS}
    for rival, score in (("equal", 1 / 2), ("weak", 10 / 11)):
        ended = [there.by_strength(Played(("me", rival))) for _ in range(4_000)]
        assert sum((1 + places[1] - places[0]) / 2 for places in ended) / len(ended) == pytest.approx(
            score, abs=0.025
        )


def test_a_bot_stands_where_its_strength_was_measured() -> None:
    """On the scale of the model: what the engine takes for an Elo point is one here."""
    assert pytest.approx(POINTS, abs=0.001) == scale.POINTS
    there = world(anchored=True)
    there.play(Played((there.people[PEOPLE - 1], f"{WEAKEST}:new"), places=(2, 1)))
    known = there.rating(f"{WEAKEST}:new")
    assert known.mean == pytest.approx(UNRATED.mean + there.strength[WEAKEST], abs=0.01)
    assert there.rating(there.people[PEOPLE - 1]).mean < UNRATED.mean


@pytest.mark.parametrize("title", ["above the true strength", "above what as many honest games show"])
def test_the_page_says_that_nobody_gains_fifty_points(title: str) -> None:
    """In the mean of all worlds, and above the strength at the upper end of the interval, too; each way has a row."""
    rows = dict(
        re.findall(
            r"^\| (.+) \| .+ \| .* \| (.+) \| .* \|$",
            PAGE.split(f"**{title}:**")[1].split("**")[0],
            re.MULTILINE,
        )
    )
    assert rows.keys() >= {*WAYS, *BOUGHT}
    for way, gained in rows.items():
        if way in {*WAYS, *BOUGHT} and gained != "not rated":
            middle, error = map(int, gained.split(" ± "))
            assert middle + (error if "strength" in title else 0) < 50, way
