"""Players who see less clearly than the net: the better a move seems, the likelier it is.

The logits of all ways to end the turn (a move with its discard) are divided by a temperature; the chances are those of
their exponentials (a softmax). So a good move is rarely far from the best, and a bad one is as rare as it is bad. A
move that wins is always taken.
"""

from math import exp
from typing import Final

from domain.bot import Budget, Choice, Policy, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.net.judge import CERTAIN, Judge
from domain.migrato.net.players import trained
from domain.migrato.net.taste import Taste
from domain.migrato.rules.moves import Move
from domain.net.network import LOGIT

_STEPS: Final = 64  # of the table, for a fall of the chance to 1 / e
_REACH: Final = 12  # such falls; what lies beyond is never chosen
_ONE: Final = 1 << 30
_TABLE: Final = [round(_ONE * exp(-at / _STEPS)) for at in range(_STEPS * _REACH)]


def softened(temperature: float, taste: Taste | None = None) -> Policy:
    """A policy; the temperature is in logits, above 0."""
    whole = round(temperature * LOGIT)

    def policy(observation: Observation, rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
        return Choice(_chosen(observation, rng, whole, taste))

    return policy


def _chosen(observation: Observation, rng: Rng, temperature: int, taste: Taste | None) -> Move:
    judge = Judge(observation, trained(), taste=taste)
    logits = [judge.logits(move) for move in observation.moves]
    best = max([max(of_move) for of_move in logits])
    if best >= CERTAIN:
        return next(move for move, of_move in zip(observation.moves, logits, strict=True) if best in of_move)
    weights = [sum([_weight(best - logit, temperature) for logit in of_move]) for of_move in logits]
    at = int(rng.random() * sum(weights))
    for move, weight in zip(observation.moves, weights, strict=True):
        at -= weight
        if at < 0:
            return move
    return observation.moves[0]


def _weight(behind: int, temperature: int) -> int:
    """How likely what is so much worse than the best is to be chosen."""
    step = behind * _STEPS // temperature
    return _TABLE[step] if step < len(_TABLE) else 0
