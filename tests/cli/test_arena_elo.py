"""Ratings and intervals of the arena, on results whose truth is known."""

import random

import pytest

from service.cli.selfplay.arena.report import caption
from service.cli.selfplay.arena.scores import Encounter, draw_shares, encounters, estimate, shuffles
from service.cli.selfplay.arena.standings import standings
from tests.cli.arena_results import STRENGTHS, changed, placed, record, tournament, tournament_of


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals good enough to count how often they hold the truth."""
    for module in ("scores", "standings"):
        monkeypatch.setattr(f"service.cli.selfplay.arena.{module}.DRAWS", 40)


def test_known_strengths_are_found_again() -> None:
    """In many games, in the right order, to a few points, with the truth in every interval."""
    shown = standings(tournament(STRENGTHS, 1500, random.Random(1)))
    assert [bot.bot for bot in shown.bots] == ["strong", "middle", "easy", "random"]
    for bot in shown.bots:
        assert bot.elo is not None
        assert bot.elo.value == pytest.approx(STRENGTHS[bot.bot], abs=15)
        assert bot.elo.low <= STRENGTHS[bot.bot] <= bot.elo.high
    *steps, last = (bot.step for bot in shown.bots)
    assert last is None
    for step, truth in zip(steps, (120, 150, 250), strict=True):
        assert step is not None
        assert step.low < truth < step.high


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """95 % of the time in the long run; of 75 here, chance alone allows 66 to 74."""
    rng, held = random.Random(2), 0
    for _ in range(25):
        shown = standings(tournament(STRENGTHS, 100, rng))
        held += sum(
            bot.elo.low <= STRENGTHS[bot.bot] <= bot.elo.high
            for bot in shown.bots
            if bot.elo is not None and bot.bot != "random"
        )
    assert 66 <= held <= 74


@pytest.mark.parametrize("luck", [0.0, 500.0])
def test_the_luck_of_the_deal_is_taken_out_and_its_intervals_are_right(
    luck: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if a deal favours a seat, equal bots share the points, within 95 % intervals of the time."""
    monkeypatch.setattr("service.cli.selfplay.arena.scores.DRAWS", 150)
    rng, held, width = random.Random(3), 0, 0.0
    for _ in range(200):
        games = tournament({"a": 0, "b": 0}, 80, rng, luck=luck)
        (played,) = encounters(games)
        (drawn,) = draw_shares([played], shuffles(games)[0], rng)
        score = estimate(played.share, drawn)
        held += score.low <= 0.5 <= score.high
        width += (score.high - score.low) / 200
    assert 182 <= held <= 198
    assert width < 0.21 if luck == 0 else width < 0.18  # of single games, 0.21 would be right and too wide


def test_scores_are_counted_by_shuffles() -> None:
    """A shuffle gives a side 0 to 2 points; draws count half, single games wait."""
    winners = [("a", "a"), ("a", ""), ("a", "b"), ("", ""), ("b", "b")]
    games = [
        record(2 * shuffle + at, ("a", "b") if at == 0 else ("b", "a"), winner)
        for shuffle, pair in enumerate(winners)
        for at, winner in enumerate(pair)
    ]
    assert encounters([*games, record(10, ("a", "b"), "b")]) == [
        Encounter("a", "b", wins=4, draws=3, losses=3, shuffles=(1, 0, 2, 1, 1), unpaired=1)
    ]


def test_the_winner_of_everything_is_rated_and_bounded_below() -> None:
    """The rating is finite, the interval reaches from a sound lower end to far away, and the text says so."""
    games = [record(game, ("a", "b") if game % 2 == 0 else ("b", "a"), "a") for game in range(200)]
    shown = standings(games)
    elo = shown.bots[0].elo
    assert elo is not None
    assert (shown.bots[0].bot, shown.anchor, shown.boundless) == ("a", "b", ("a", "b"))
    assert 450 < elo.low < elo.value < elo.high < 6000
    assert (shown.duels[0].score.value, shown.duels[0].score.high) == (1.0, 1.0)
    assert 0.95 < shown.duels[0].score.low < 0.9999


def test_bots_that_never_met_are_not_compared() -> None:
    """Not even through others, as when a tournament ends in its first round; through others they are."""
    pairs = (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))
    games = [record(int(one > other), (one, other), one) for one, other in pairs]
    assert [bot.elo for bot in standings(games).bots] == [None] * 4
    assert "no ratings before" in caption(standings(games))
    bridge = [record(0, ("b", "c"), "b"), record(1, ("c", "b"), "b")]
    assert None not in [bot.elo for bot in standings([*games, *bridge]).bots]


def test_thinking_times_are_those_of_decisions() -> None:
    """Every decision weighs the same in the mean; the longest is the longest of all."""
    games = [record(0, ("a", "b"), "a", ms=1.0), record(1, ("b", "a"), "a", ms=5.0)]
    games[0] = changed(games[0], moves=30)
    thinking = {bot.bot: bot.thinking for bot in standings(games).bots}
    assert (thinking["a"].mean, thinking["a"].p95, thinking["a"].maximum) == (2.0, 6.0, 15.0)
    assert thinking["b"].mean == 3.0


@pytest.mark.parametrize("seats", [3, 4])
def test_known_strengths_are_found_again_with_more_seats(seats: int) -> None:
    """From places by the Plackett-Luce model, to a few points, with the truth in every interval."""
    elo = {**STRENGTHS, "other": 300.0}
    shown = standings(tournament_of(seats, elo, 900, random.Random(1)))
    assert (shown.seats, shown.unpaired) == (seats, 0)
    for bot in shown.bots:
        assert bot.elo is not None
        assert bot.elo.value == pytest.approx(elo[bot.bot], abs=30)
        assert bot.elo.low <= elo[bot.bot] <= bot.elo.high


def test_intervals_with_three_seats_are_right() -> None:
    """Equal bots: ratings and shares hold the truth in 95 % of the cases, whatever is shared and whatever luck does."""
    rng, held, shares = random.Random(6), 0, 0
    for _ in range(40):
        games = tournament_of(3, dict.fromkeys("abc", 0.0), 90, rng, ties=0.3, luck=400.0)
        shown = standings(games, ("a", 0.0))
        held += sum(bot.elo.low <= 0 <= bot.elo.high for bot in shown.bots if bot.elo and bot.bot != "a")
        shares += sum(duel.score.low <= 0.5 <= duel.score.high for duel in shown.duels)
    assert 70 <= held <= 79
    assert 107 <= shares <= 119


def test_a_shared_place_is_half_a_point() -> None:
    """Between those who share it; a shuffle of three games is 0 to 3 points between two."""
    orders = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    games = [placed(game, order, (1, 1, 3)) for game, order in enumerate(orders)]
    games.append(placed(3, orders[0], (1, 2, 3)))  # the rest of this shuffle is not played yet
    assert encounters(games) == [
        Encounter("a", "b", 1, 1, 1, (0, 0, 0, 1, 0, 0, 0), 1),
        Encounter("a", "c", 1, 1, 1, (0, 0, 0, 1, 0, 0, 0), 1),
        Encounter("b", "c", 1, 1, 1, (0, 0, 0, 1, 0, 0, 0), 1),
    ]
    shown = standings(games)
    assert (shown.games, shown.unpaired) == (4, 1)
    placings = [(placing.places, placing.shared) for placing in shown.placings]
    assert placings == [((3, 0, 0), 3), ((3, 0, 0), 3), ((0, 0, 3), 0)]
    by_bot = {(bot.placings.places, bot.placings.shared, bot.games) for bot in shown.bots}
    assert by_bot == {((2, 0, 1), 2, 3)}
    assert "1 of them wait" in caption(shown)
