"""The simulation of what is gained by choosing what counts for ratings: that it finds what is there, and no more."""

from random import Random

import pytest

from benchmarks.rating_abuse import KINDS, POLICIES, kinds_table, lifts, table, unrated_because
from benchmarks.rating_ways import HONEST, LEVELS, PEOPLE, POINTS, WAYS, Played, World
from events.projections.rating_model import UNRATED
from tests.project.running import ROOT

PAGE = (ROOT / "docs/explanation/what-lifts-a-rating.md").read_text()
FRIEND, LEVEL, STALLS = (
    "one friend, who loses",
    "only the weakest bot",
    "never moving again before a loss, without a clock",
)


def test_the_same_seed_finds_the_same_and_friends_are_seen() -> None:
    found = lifts(1, 300, [FRIEND, STALLS])
    assert found == lifts(1, 300, [FRIEND, STALLS])
    shown = {key: [at for at, _ in persons] for key, persons in found.items()}
    for policy in POLICIES:
        assert abs(sum(at for _, at in found[HONEST, policy])) < 1e-6
    assert min(shown[FRIEND, "now"]) > 100
    assert not found[FRIEND, "proposed"]
    assert sum(shown[STALLS, "now"]) > sum(shown[STALLS, "proposed"])
    assert table([found], 0)[2].startswith(f"| {HONEST} |")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_plays_games_that_the_engine_was_asked_about(way: str) -> None:
    world = World(Random(1), lambda _: True)
    world.strength["me"] = 0.0
    playing, places = WAYS[way](world, "me"), None
    for _ in range(60):
        try:
            game = next(playing) if places is None else playing.send(places)
        except StopIteration:
            break
        assert game.kind in KINDS
        places = world.play(game)
        assert len(places) == len(game.names)
        assert min(places) == 1


def test_the_engine_is_asked() -> None:
    told = {kind: unrated_because(kind) for kind in KINDS}
    assert told["ordinary"] is told["left"] is told["resigned at the deal"] is None
    assert (told["prepared"], told["both seats"], told["guest"], told["stalled"]) == (
        "setup",
        "same-player",
        "guest",
        "aborted",
    )


def test_the_page_says_what_counts() -> None:
    """If this fails, the rules of what counts have changed: print the page's tables anew, by the command there."""
    assert "\n".join(kinds_table()) in PAGE


def test_equals_win_half_and_400_points_are_ten_to_one() -> None:
    world = World(Random(1), lambda _: True)
    world.strength |= {"me": 0.0, "equal": 0.0, "weak": -400 / POINTS}
    for rival, score in (("equal", 1 / 2), ("weak", 10 / 11)):
        ended = [world.by_strength(Played(("me", rival))) for _ in range(4_000)]
        assert sum((1 + places[1] - places[0]) / 2 for places in ended) / len(ended) == pytest.approx(
            score, abs=0.025
        )


def test_bots_are_not_moved_by_what_is_proposed() -> None:
    world = World(Random(1), lambda _: True, proposed=True)
    known = world.rating(LEVELS[0])
    assert world.rating(world.people[PEOPLE - 1]) == UNRATED
    world.play(Played((world.people[0], LEVELS[0]), places=(2, 1)))
    assert world.rating(LEVELS[0]) == known
    assert world.rating(world.people[0]).mean < UNRATED.mean


def test_the_page_has_a_row_for_each_way() -> None:
    for way in WAYS:
        assert PAGE.count(f"\n| {way} | ") >= 2, way
