# compiled into rules
"""Probabilities and logits in whole numbers, so that averages over samples come out the same on every machine."""

from math import exp
from typing import Final

from domain.net.network import LOGIT

CERTAINTY: Final = 1 << 30  # a probability of 1.0
_REACH: Final = 16  # logits beyond it are as good as certain
_STEPS: Final = 16  # of the table, in a logit of 1.0
_STEP: Final = LOGIT // _STEPS
# Rounded: the last digits of `exp` are not the same everywhere.
_TABLE: Final = [
    round(CERTAINTY / (1 + exp(-at / _STEPS))) for at in range(-_REACH * _STEPS, _REACH * _STEPS + 2)
]


def probability_of(logit: int) -> int:
    """The logistic function of a logit in 1 / LOGIT, by linear interpolation in a table; in 1 / CERTAINTY."""
    within = max(-_REACH * LOGIT, min(_REACH * LOGIT, logit)) + _REACH * LOGIT
    at, rest = within // _STEP, within % _STEP
    return _TABLE[at] + (_TABLE[at + 1] - _TABLE[at]) * rest // _STEP


def logit_of(probability: int) -> int:
    """The lowest logit whose probability is at least that one; within 16.0 of 0."""
    low, high = -_REACH * LOGIT, _REACH * LOGIT
    while high > low:
        middle = (low + high) // 2
        if probability_of(middle) < probability:
            low = middle + 1
        else:
            high = middle
    return high
