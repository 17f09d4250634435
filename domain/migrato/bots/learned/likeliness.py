# compiled into rules
"""Probability that a player who errs now and then makes a move that seems worse: the softmax of logits."""

from math import exp
from typing import Final

from domain.net.logistic import CERTAINTY

_STEPS: Final = 64  # of the table, for a fall of the chance to 1 / e
_REACH: Final = 12  # such falls; what lies beyond is never done
_TABLE: Final = [round(CERTAINTY * exp(-at / _STEPS)) for at in range(_STEPS * _REACH)]


def likeliness(behind: int, temperature: int) -> int:
    """The weight of what is `behind` the best: CERTAINTY for the best itself, down to 0.

    `behind` (0 or more) and `temperature` (above 0) are logits, LOGIT for 1.0.
    """
    step = behind * _STEPS // temperature
    return _TABLE[step] if step < len(_TABLE) else 0
