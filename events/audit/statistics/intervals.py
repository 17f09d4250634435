"""Intervals of rates that are counted in clusters: choices within one game are not independent of each other."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z_95: Final = 1.959963984540054  # the 97.5 % quantile of the normal distribution
FEW: Final = 5  # clusters, below which nothing can be said about how much alike a cluster's choices are


class Cluster(NamedTuple):
    """A cluster, such as a game: `hits` of `of` trials."""

    hits: float
    of: int


class Interval(NamedTuple):
    """A share of `of` trials with its 95 % interval; `effect`: by how much clusters widen its variance, 1 or more."""

    share: float
    low: float
    high: float
    of: int
    effect: float


def clustered(clusters: Sequence[Cluster]) -> Interval:
    """The rate over all clusters, with Wilson's interval at the effective number of trials.

    The effective number is the number of trials divided by the design effect (L. Kish, Survey Sampling, 1965, 8.2); the
    interval is E. B. Wilson's (JASA 22, 1927) with that number, as E. L. Korn and B. I. Graubard have it (Survey
    Methodology 24, 1998). Sound at 0 and 1, too. Without trials it is 0 to 1.
    """
    of = sum(cluster.of for cluster in clusters)
    if not of:
        return Interval(0.0, 0.0, 1.0, 0, 1.0)
    share = sum(cluster.hits for cluster in clusters) / of
    effect = design_effect(clusters)
    low, high = wilson(share, of / effect)
    return Interval(share, low, high, of, effect)


def design_effect(clusters: Sequence[Cluster]) -> float:
    """The variance of the rate over clusters, by that over as many independent trials; 1 at least, and for FEW.

    The first is the variance of a ratio, linearised (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, 6.19).
    """
    told = [cluster for cluster in clusters if cluster.of]
    of, hits = sum(cluster.of for cluster in told), sum(cluster.hits for cluster in told)
    share = hits / of if of else 0.0
    if len(told) < FEW or not 0 < share < 1:
        return 1.0
    spread = sum((cluster.hits - share * cluster.of) ** 2 for cluster in told)
    return max(1.0, spread * len(told) / (len(told) - 1) / (of * share * (1 - share)))


def wilson(share: float, of: float) -> tuple[float, float]:
    """The bounds of the 95 % score interval (E. B. Wilson, 1927) of a share of so many trials, above 0."""
    z2 = Z_95 * Z_95
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return max(0.0, centre - half), min(1.0, centre + half)
