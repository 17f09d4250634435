"""Score of two bots against each other, and its certainty.

In a game each takes a point from every other that comes out below it, and half a point where they share a place. The
games of a shuffle are not independent, so the shuffle is the unit: of n games, a side takes 0, 1/2, ... or n points,
and a pair's results are 2n + 1 counts. Intervals come from the Bayesian bootstrap over the shuffles (D. B. Rubin,
1981): with two seats the results' shares are drawn from the Dirichlet distribution of their counts; with more, the
shuffles' weights are drawn, the same for all pairs, whose results are not independent there. A quarter of a virtual
shuffle for each pair, spread evenly over its results, is added, so that intervals are sound and ratings finite where a
side has won everything. Of several such priors this one left the least bias in simulated tournaments of two seats
(shares from 50 % to 99.8 %, 20 to 500 games), with intervals that held the truth in 91 to 99 % of the cases from 100
games on.
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from service.cli.selfplay.arena.fixtures import Record

DRAWS: Final = 2000
_PRIOR: Final = 0.25  # virtual shuffles for each pair


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Encounter:
    """The games of two bots whose shuffles were played on every seat, as `a` sees them.

    `wins`, `draws` and `losses` compare their places; `shuffles`: how many gave `a` 0, 1/2, 1, ... points; `unpaired`:
    further games, which do not count yet.
    """

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    shuffles: tuple[int, ...]
    unpaired: int

    @property
    def games(self) -> int:
        """The number of games that count."""
        return len(self.shuffles) // 2 * sum(self.shuffles)

    @property
    def share(self) -> float:
        """The share of the points that `a` took, 0 to 1; a half of no games."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def weight(self) -> float:
        """The number of shuffles with what is added."""
        return sum(self.shuffles) + _PRIOR

    @property
    def smoothed(self) -> float:
        """The share with what is added."""
        return (self.share * sum(self.shuffles) + 0.5 * _PRIOR) / self.weight

    @property
    def prior(self) -> float:
        """The virtual shuffles that are added to each of the counts."""
        return _PRIOR / len(self.shuffles)


Shuffle = Sequence[Record]  # the games of one line-up with the same shuffles, as many as there are seats


def shuffles(records: Iterable[Record]) -> tuple[list[Shuffle], list[Record]]:
    """The shuffles that are whole, line-ups in the order of their first games, and the games of the others."""
    line_ups: dict[tuple[str, ...], dict[tuple[int, int], list[Record]]] = {}
    for record in records:
        of_line_up = line_ups.setdefault(tuple(sorted(record.bots)), {})
        of_line_up.setdefault((record.seed, record.number // len(record.sides)), []).append(record)
    groups = [games for of_line_up in line_ups.values() for games in of_line_up.values()]
    whole: list[Shuffle] = [games for games in groups if len(games) == len(games[0].sides)]
    return whole, [record for games in groups if len(games) < len(games[0].sides) for record in games]


def encounters(records: Iterable[Record]) -> list[Encounter]:
    """Each pair's results, pairs in the order of their first games."""
    games = list(records)
    whole, waiting = shuffles(games)
    pairs = dict.fromkeys(pair for record in games for pair in combinations(sorted(record.bots), 2))
    return [
        _encounter(a, b, [games for games in whole if _met(games[0], a, b)], waiting, len(games[0].sides))
        for a, b in pairs
    ]


def _encounter(a: str, b: str, whole: Sequence[Shuffle], waiting: Sequence[Record], seats: int) -> Encounter:
    points = [_half_points(record, a, b) for games in whole for record in games]
    sums = [sum(_half_points(record, a, b) for record in games) for games in whole]
    counts = tuple([sums.count(halves) for halves in range(2 * seats + 1)])
    unpaired = sum(_met(record, a, b) for record in waiting)
    return Encounter(a, b, points.count(2), points.count(1), points.count(0), counts, unpaired)


def _met(record: Record, a: str, b: str) -> bool:
    return a in record.bots and b in record.bots


def _half_points(record: Record, a: str, b: str) -> int:
    """Half points of `a` against `b`: 2, 1 where they share a place, or 0."""
    places = {side.bot: side.place for side in record.sides}
    return 1 + (places[a] < places[b]) - (places[a] > places[b])


def draw_shares(
    results: Sequence[Encounter], whole: Sequence[Shuffle], rng: random.Random
) -> list[list[float]]:
    """Shares of the points that `a` might have, `DRAWS` of them for each result."""
    if all(len(games) == 2 for games in whole):
        return [_drawn_alone(result, rng) for result in results]
    return _drawn_together(results, whole, rng)


def _drawn_alone(result: Encounter, rng: random.Random) -> list[float]:
    shapes = [count + result.prior for count in result.shuffles]
    return [_share([rng.gammavariate(shape, 1.0) for shape in shapes]) for _ in range(DRAWS)]


def _share(weights: Sequence[float]) -> float:
    total = sum(weights)
    points = sum(place * weight for place, weight in enumerate(weights))
    return points / ((len(weights) - 1) * total) if total > 0 else 0.5


def _drawn_together(
    results: Sequence[Encounter], whole: Sequence[Shuffle], rng: random.Random
) -> list[list[float]]:
    """The same where a game counts for several pairs: a shuffle has one weight for all of them."""
    met = [
        [
            (place, sum(_half_points(record, result.a, result.b) for record in games))
            for place, result in enumerate(results)
            if _met(games[0], result.a, result.b)
        ]
        for games in whole
    ]
    drawn: list[list[float]] = [[] for _ in results]
    for _ in range(DRAWS):
        weights = [[rng.gammavariate(result.prior, 1.0) for _ in result.shuffles] for result in results]
        for pairs in met:
            weight = rng.expovariate(1.0)
            for place, halves in pairs:
                weights[place][halves] += weight
        for shares, of_pair in zip(drawn, weights, strict=True):
            shares.append(_share(of_pair))
    return drawn


def estimate(value: float, drawn: Iterable[float]) -> Estimate:
    """The middle 95 % of what was drawn, and at least the value itself."""
    ordered = sorted(drawn)
    cut = 0.025 * (len(ordered) - 1)
    low, high = ordered[math.floor(cut)], ordered[math.ceil(len(ordered) - 1 - cut)]
    return Estimate(value, min(low, value), max(high, value))
