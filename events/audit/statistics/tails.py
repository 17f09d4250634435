"""Probabilities of what chance does, in its tails: exact where there are few trials."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

MOST: Final = 400  # trials of which the distribution is computed exactly
_STEPS: Final = 1_000  # terms of a series, which needs far fewer
_ROUNDING: Final = 1e-9


def above_normal(z: float) -> float:
    """The probability that a standard normal variable is `z` or more."""
    return math.erfc(z / math.sqrt(2)) / 2


class Trials(NamedTuple):
    """So many independent trials, each of which adds `weight` with that probability."""

    chance: float
    weight: int
    of: int


def hits_or_more(hits: float, trials: Sequence[Trials], effect: float = 1.0) -> float:
    """The probability that all trials together add up to `hits` or more.

    Computed from the binomial distributions by convolution. With more than MOST trials, or with a design `effect`
    above 1, it is at least that of the normal approximation, whose variance is `effect` times that of independent
    trials.
    """
    if hits <= 0:
        return 1.0
    of = sum(some.of for some in trials)
    mean = sum(some.of * some.chance * some.weight for some in trials)
    variance = effect * sum(some.of * some.chance * (1 - some.chance) * some.weight**2 for some in trials)
    if variance <= 0:
        return 1.0 if hits <= mean else 0.0
    normal = above_normal((hits - mean) / math.sqrt(variance))
    if of > MOST:
        return normal
    exact = _convolved(math.ceil(hits - _ROUNDING), trials)
    return exact if effect <= 1.0 else max(exact, normal)


def _convolved(hits: int, trials: Sequence[Trials]) -> float:
    sums = [1.0]
    for chance, weight, of in trials:
        added = [0.0] * (len(sums) + weight * of)
        for count, probability in enumerate(binomial(of, chance)):
            for at, before in enumerate(sums, weight * count):
                added[at] += before * probability
        sums = added
    return min(1.0, math.fsum(sums[hits:]))


def binomial(of: int, chance: float) -> list[float]:
    """The probabilities of 0, 1, ... `of` hits in so many independent trials."""
    if not 0 < chance < 1:
        return [1.0 if count == of * chance else 0.0 for count in range(of + 1)]
    log_hit, log_miss, all_ways = math.log(chance), math.log1p(-chance), math.lgamma(of + 1)
    return [
        math.exp(all_ways - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * log_hit + (of - k) * log_miss)
        for k in range(of + 1)
    ]


def binomial_or_more(hits: float, of: int, chance: float) -> float:
    """The probability of `hits` or more in so many independent trials."""
    if hits <= 0:
        return 1.0
    return min(1.0, math.fsum(binomial(of, chance)[math.ceil(hits - _ROUNDING) :]))


def below_chi_square(value: float, freedom: int) -> float:
    """The probability that a chi-square variable with so many degrees of freedom is below the value.

    The lower incomplete gamma function by its series (NIST Digital Library of Mathematical Functions, 8.11.4).
    """
    if value <= 0:
        return 0.0
    half, x = freedom / 2, value / 2
    if x > half + 40 * math.sqrt(half) + 40:
        return 1.0
    term = total = 1 / half
    for step in range(1, _STEPS + freedom):
        term *= x / (half + step)
        total += term
        if term < total * 1e-16:
            break
    return min(1.0, math.exp(half * math.log(x) - x - math.lgamma(half) + math.log(total)))
