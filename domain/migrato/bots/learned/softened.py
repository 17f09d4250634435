# compiled into rules
"""Players who see less clearly than the net: the better a move seems, the likelier it is.

The logits of all ways to end the turn (a move with its discard) are divided by a temperature; the chances are those of
their exponentials (a softmax). So a good move is rarely far from the best, and a bad one is as rare as it is bad. A
move that wins is always taken, and one that loses at once never while another does not.
"""

from domain.bot import Budget, Choice, Policy, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.bots.learned.likeliness import likeliness
from domain.migrato.net.checked_in import WEIGHTS, trained
from domain.migrato.net.judge import WON, Judge
from domain.migrato.net.taste import Taste
from domain.migrato.rules.moves import Move
from domain.net.network import LOGIT, Network


def softened(temperature: float, taste: Taste | None = None, weights: str = WEIGHTS) -> Policy:
    """A policy; the temperature is in logits, above 0; `weights` name the net."""
    whole = round(temperature * LOGIT)

    def policy(observation: Observation, rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
        return Choice(_chosen(observation, rng, whole, taste, trained(weights)))

    return policy


def _chosen(
    observation: Observation, rng: Rng, temperature: int, taste: Taste | None, network: Network
) -> Move:
    judge = Judge(observation, network, taste=taste)
    logits = [judge.logits(move) for move in observation.moves]
    best = max([max(of_move) for of_move in logits])
    if best >= WON:
        return next(move for move, of_move in zip(observation.moves, logits, strict=True) if best in of_move)
    if best > -WON:
        logits = [[logit for logit in of_move if logit > -WON] for of_move in logits]
    weights = [sum([likeliness(best - logit, temperature) for logit in of_move]) for of_move in logits]
    at = int(rng.random() * sum(weights))
    for move, weight in zip(observation.moves, weights, strict=True):
        at -= weight
        if at < 0:
            return move
    return observation.moves[0]
