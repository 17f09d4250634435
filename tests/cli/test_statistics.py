"""The figures of `migrato simulate`."""

import pytest

from domain.lifecycle import places_in_duel
from service.cli.selfplay.match import Match, Outcome
from service.cli.selfplay.statistics import mean_place, quantile, rate, summarize


def test_wilson_interval() -> None:
    """The interval is Wilson's, as published tables have it, and stays within 0 and 1; no games tell nothing."""
    for count, of, low, high in (
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ):
        interval = rate(count, of)
        assert [interval.low, interval.high] == pytest.approx([low, high], abs=5e-5)
    assert (rate(0, 0).low, rate(0, 0).high) == (0.0, 1.0)


def test_quantile_is_nearest_rank() -> None:
    """A quantile is a length that a game really had."""
    lengths = [1, 2, 3, 4, 5, 6, 7, 8]
    shares = {0.25: 2, 0.5: 4, 0.75: 6, 0.95: 8, 1.0: 8, 0.0: 1}
    assert {share: quantile(lengths, share) for share in shares} == shares


def test_summary() -> None:
    """Wins are counted by bot and by who started; draws and long games have their own rates."""
    match = Match(("a", "b"), {}, seed=1)
    outcomes = [
        Outcome(0, 0, places_in_duel(0), "all_arrived", 40, 50, (9, 3)),
        Outcome(1, 1, places_in_duel(0), "all_arrived", 60, 70, (8, 4)),
        Outcome(2, 0, places_in_duel(None), "turn_limit", 200, 210, (5, 5)),
        Outcome(3, 1, places_in_duel(1), "all_arrived", 80, 90, (2, 8)),
    ]
    summary = summarize(match, outcomes)
    won = [(bot.bot, bot.wins.count, *(wins.count for wins in bot.in_order)) for bot in summary.bots]
    assert won == [("a", 2, 1, 1), ("b", 1, 1, 0)]
    assert summary.bots[0].mean_score == 6.0
    assert (summary.draws.count, summary.draws.share) == (1, 0.25)
    lengths = summary.lengths
    assert (lengths.minimum, lengths.quartiles, lengths.maximum) == (40, (40, 60, 80), 200)
    assert summary.reasons == {"all_arrived": 3, "turn_limit": 1}


def test_summary_of_three_seats() -> None:
    """Wins are first places that nobody shares; places are counted by bot and by order of play."""
    match = Match(("a", "b", "c"), {}, seed=1)
    outcomes = [
        Outcome(0, 0, (1, 2, 3), "all_played", 9, 9, (2, 1, 0)),
        Outcome(1, 1, (1, 1, 3), "all_played", 9, 9, (3, 3, 0)),
        Outcome(2, 2, (2, 2, 1), "all_played", 9, 9, (1, 1, 4)),
    ]
    summary = summarize(match, outcomes)
    placed = [(bot.wins.count, bot.shared.count, bot.places) for bot in summary.bots]
    assert placed == [(1, 1, (2, 1, 0)), (0, 1, (1, 2, 0)), (1, 0, (1, 0, 2))]
    won = [[wins.count for wins in bot.in_order] for bot in summary.bots]
    assert won == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    seats = [(one.wins.count, one.shared.count, one.places, one.mean_score) for one in summary.seats]
    assert seats == [(2, 1, (3, 0, 0), 3.0), (0, 0, (0, 2, 1), 2 / 3), (0, 1, (1, 1, 1), 4 / 3)]
    assert summary.draws.count == 1
    assert mean_place(summary.seats[1].places) == pytest.approx(7 / 3)
