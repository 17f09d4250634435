"""Chances of people's moves: those of the softened net (`domain.migrato.bots.learned.softened`), as floats, with slips.

People of all strengths are modelled so: a low temperature is a strong player.
"""

import math
from typing import Final

from domain.migrato.belief.observation import Observation
from domain.migrato.net.checked_in import WEIGHTS, trained
from domain.migrato.net.judge import WON, Judge
from domain.net.network import LOGIT

TEMPERATURES: Final = (0.02, 0.03, 0.045, 0.06, 0.076, 0.1, 0.138, 0.178, 0.224, 0.272, 0.327, 0.5, 0.8)


def chances(observation: Observation) -> list[list[float]]:
    """The chances of each legal move, at each temperature."""
    judge = Judge(observation, trained(WEIGHTS))
    logits = [list(judge.logits(move)) for move in observation.moves]
    best = max(map(max, logits))
    if best >= WON:
        wins = [float(best in of_move) for of_move in logits]
        return [[win / sum(wins) for win in wins]] * len(TEMPERATURES)
    if best > -WON:
        logits = [[logit for logit in of_move if logit > -WON] for of_move in logits]
    rows = []
    for temperature in TEMPERATURES:
        row = [
            sum([math.exp((logit - best) / LOGIT / temperature) for logit in of_move]) for of_move in logits
        ]
        rows.append([chance / sum(row) for chance in row])
    return rows
