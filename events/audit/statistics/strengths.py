"""Strengths that results tell: who wins how often against whom, if everybody plays as well against all."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from events.audit.statistics.tails import binomial_or_more

_PRIOR: Final = 0.5  # games won and lost against a player of strength 0, so that nobody is infinitely strong
_ROUNDS: Final = 40
_SETTLED: Final = 1e-4
# Nodes and weights of the Gauss-Hermite quadrature for a standard normal variable (Abramowitz and Stegun, table 25.10).
_NODES: Final = (
    (0.0, 0.4063492063492063),
    (1.023255663789133, 0.2440975028949394), (-1.023255663789133, 0.2440975028949394),
    (2.076847978677830, 0.04991640676521787), (-2.076847978677830, 0.04991640676521787),
    (3.205429002856470, 0.002789141321231769), (-3.205429002856470, 0.002789141321231769),
    (4.512745863399783, 2.234584400774658e-05), (-4.512745863399783, 2.234584400774658e-05),
)  # fmt: skip


class Played(NamedTuple):
    """Games between two: `one` has so many `points` (a win 1, a draw a half) of `of`."""

    one: str
    other: str
    points: float
    of: int


class Expected(NamedTuple):
    """An expected share of points, with the mean and the standard deviation of its log-odds."""

    share: float
    log_odds: float
    deviation: float


class Strengths:
    """Strengths of all players by all results: the model of Bradley and Terry (Biometrika 39, 1952).

    Found by the iteration of D. R. Hunter (Annals of Statistics 32, 2004); each player has half a game won and half a
    game lost against one of strength 0 besides.
    """

    def __init__(self, results: Iterable[Played]) -> None:
        self._against: dict[str, dict[str, Played]] = defaultdict(dict)
        for played in results:
            self._against[played.one][played.other] = played
            self._against[played.other][played.one] = Played(
                played.other, played.one, played.of - played.points, played.of
            )
        self._strength = self._fitted()

    def expected(self, one: str, other: str) -> Expected:
        """The share of points that `one` gets of `other` by what both do against everybody else.

        The strengths of the two are found again without their own games; those of the others stand.
        """
        mine, mine_spread = self._without(one, other)
        theirs, their_spread = self._without(other, one)
        return Expected(_share(mine - theirs), mine - theirs, math.sqrt(mine_spread + their_spread))

    def _fitted(self) -> dict[str, float]:
        strength = dict.fromkeys(self._against, 1.0)
        for _ in range(_ROUNDS):
            moved = 0.0
            for player, games in self._against.items():
                won = _PRIOR + sum(played.points for played in games.values())
                met = 2 * _PRIOR / (strength[player] + 1.0)
                met += sum(played.of / (strength[player] + strength[who]) for who, played in games.items())
                moved = max(moved, abs(math.log(won / met / strength[player])))
                strength[player] = won / met
            if moved < _SETTLED:
                break
        return {player: math.log(value) for player, value in strength.items()}

    def _without(self, player: str, but: str) -> tuple[float, float]:
        """The strength of the player without the games against one, and its variance (by the Fisher information)."""
        games = [(self._strength[who], played) for who, played in self._against[player].items() if who != but]
        found = self._strength[player]
        for _ in range(_ROUNDS):
            share = _share(found)
            slope, information = _PRIOR - 2 * _PRIOR * share, 2 * _PRIOR * share * (1 - share)
            for theirs, played in games:
                share = _share(found - theirs)
                slope += played.points - played.of * share
                information += played.of * share * (1 - share)
            step = max(-1.0, min(1.0, slope / information))
            found += step
            if abs(step) < _SETTLED:
                break
        return found, 1 / information


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def points_or_more(points: float, of: int, expected: Expected) -> float:
    """The probability of so many points, or more, as far as the expectation is known.

    The mean of the binomial tail over what the log-odds may be. A half point counts as a win in the tail: so draws make
    it larger.
    """
    return min(
        1.0,
        math.fsum(
            weight
            * binomial_or_more(math.floor(points), of, _share(expected.log_odds + node * expected.deviation))
            for node, weight in _NODES
        ),
    )


def pairs(results: Sequence[Played]) -> list[Played]:
    """All games of each pair as one result, the pair's names in order."""
    together: Mapping[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one, other, points, of in results:
        if one > other:
            one, other, points = other, one, of - points
        together[one, other][0] += points
        together[one, other][1] += of
    return [Played(*names, points, int(of)) for names, (points, of) in sorted(together.items())]
