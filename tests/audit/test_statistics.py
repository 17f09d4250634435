"""Statistics of the report on players, against scipy and worked examples."""

import math
import random
from itertools import product
from typing import Any

import pytest

from events.audit.statistics.discoveries import FALSE_ALARMS, adjusted
from events.audit.statistics.intervals import Cluster, clustered, design_effect, wilson
from events.audit.statistics.strengths import Expected, Played, Strengths, pairs, points_or_more
from events.audit.statistics.tails import (
    MOST,
    Trials,
    above_normal,
    below_chi_square,
    binomial_or_more,
    hits_or_more,
)


@pytest.fixture(scope="module")
def stats() -> Any:
    """scipy.stats, which takes a second to be imported."""
    from scipy import stats

    return stats


def test_tails_are_those_of_scipy(stats: Any) -> None:
    for z in (-3.0, 0.0, 1.959963984540054, 6.0):
        assert above_normal(z) == pytest.approx(stats.norm.sf(z), rel=1e-12)
    for value, freedom in product((0.01, 1.0, 3.04, 19.0, 80.0, 2_000.0), (1, 2, 19, 400)):
        assert below_chi_square(value, freedom) == pytest.approx(
            stats.chi2.cdf(value, freedom), rel=1e-9, abs=1e-290
        )
    for hits, of, chance in product((0, 1, 7, 29, 30, 31), (30,), (0.0, 0.1, 0.66, 1.0)):
        assert binomial_or_more(hits, of, chance) == pytest.approx(
            stats.binom.sf(hits - 1, of, chance), rel=1e-9, abs=1e-15
        )


def test_weighed_hits_have_the_probability_of_all_ways_to_them(stats: Any) -> None:
    """Against every way in which ten trials can end; trials alike are a binomial distribution."""
    trials = [Trials(0.2, 3, 4), Trials(0.5, 2, 3), Trials(0.9, 1, 3)]
    each = [(one.chance, one.weight) for one in trials for _ in range(one.of)]
    for least in (0, 1, 9, 15, 21, 22):
        ways = (
            math.prod(p if hit else 1 - p for hit, (p, _) in zip(ends, each, strict=True))
            for ends in product((True, False), repeat=len(each))
            if sum(w for hit, (_, w) in zip(ends, each, strict=True) if hit) >= least
        )
        assert hits_or_more(least, trials) == pytest.approx(math.fsum(ways), abs=1e-12)
    assert hits_or_more(27, [Trials(0.6, 1, 30)]) == pytest.approx(stats.binom.sf(26, 30, 0.6))
    assert hits_or_more(0, [Trials(0.6, 0, 30)]) == 1.0
    assert hits_or_more(81, [Trials(0.6, 3, 30)], effect=4.0) == pytest.approx(
        stats.norm.sf(9 / math.sqrt(4 * 30 * 0.24)), rel=1e-9
    )
    many = MOST + 100
    assert hits_or_more(300, [Trials(0.5, 1, many)]) == pytest.approx(
        stats.norm.sf((300 - many / 2) / math.sqrt(many / 4)), rel=1e-9
    )


def test_an_interval_is_wilsons_and_wider_where_clusters_are_alike(stats: Any) -> None:
    """Wilson's by scipy; ten clusters all hits or all misses count as ten trials, and so do those of one trial."""
    low, high = wilson(0.3, 40)
    known = stats.binomtest(12, 40).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((known.low, known.high))
    alike = [Cluster(8 * (n < 3), 8) for n in range(10)]
    singles = [Cluster(int(n < 3), 1) for n in range(10)]
    assert clustered(alike)[1:3] == pytest.approx(clustered(singles)[1:3])
    assert design_effect(alike) == pytest.approx(8 * 10 / 9, rel=1e-9)
    assert design_effect([Cluster(4, 8)] * 10) == 1.0
    assert clustered([]) == (0.0, 0.0, 1.0, 0, 1.0)
    assert clustered([Cluster(9, 9)] * 10).low == pytest.approx(wilson(1.0, 90)[0])


def test_an_interval_of_clusters_holds_the_true_rate_in_95_of_100() -> None:
    """Games of which each has a rate of its own: without clusters it would hold it far less often."""
    rng, held, naive = random.Random(35), 0, 0
    for _ in range(400):
        games = []
        for _ in range(30):
            rate = rng.betavariate(3, 2)
            games.append(Cluster(sum(rng.random() < rate for _ in range(20)), 20))
        found = clustered(games)
        held += found.low <= 0.6 <= found.high
        low, high = wilson(found.share, found.of)
        naive += low <= 0.6 <= high
    assert held >= 370
    assert naive < 330


def test_many_comparisons_are_corrected() -> None:
    """Holm's own procedure, by hand; and among true nulls at most one report in twenty tells of any."""
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    rng = random.Random(7)
    told = sum(min(adjusted([rng.random() for _ in range(200)])) <= FALSE_ALARMS for _ in range(1_000))
    assert told / 1_000 < FALSE_ALARMS + 3 * math.sqrt(0.05 * 0.95 / 1_000)


def test_strengths_foretell_results_from_other_games() -> None:
    """`dumper` loses all games against `friend`, but is as good as everybody against others."""
    names = ["ann", "bo", "cy", "dumper", "friend"]
    results = [Played(one, other, 10.0, 20) for at, one in enumerate(names) for other in names[at + 1 :]]
    results = [
        played._replace(points=0.0) if {played.one, played.other} == {"dumper", "friend"} else played
        for played in results
    ]
    strengths = Strengths(pairs(results))
    expected = strengths.expected("friend", "dumper")
    assert expected.share == pytest.approx(0.5, abs=0.1)
    assert points_or_more(20.0, 20, expected) < 1e-3
    assert points_or_more(10.0, 20, expected) > 0.4
    assert strengths.expected("ann", "bo").share == pytest.approx(0.5, abs=0.01)


def test_an_expectation_of_few_games_is_hardly_one(stats: Any) -> None:
    """The tail is averaged over what the strengths may be: by numbers that scipy integrates."""
    expected = Expected(0.5, 0.0, 1.2)
    integral = stats.norm(0, 1.2).expect(lambda x: stats.binom.sf(8, 10, 1 / (1 + math.exp(-x))))
    assert points_or_more(9.0, 10, expected) == pytest.approx(integral, rel=0.05)
    assert points_or_more(9.0, 10, Expected(0.5, 0.0, 0.0)) == pytest.approx(stats.binom.sf(8, 10, 0.5))
    lonely = Strengths([Played("ann", "bo", 6.0, 6)]).expected("ann", "bo")
    assert (lonely.share, lonely.deviation) == pytest.approx((0.5, math.sqrt(8)), abs=1e-6)


def test_pairs_are_summed_up_whoever_is_named_first() -> None:
    assert pairs([Played("bo", "ann", 1.0, 1), Played("ann", "bo", 0.5, 1)]) == [Played("ann", "bo", 0.5, 2)]
