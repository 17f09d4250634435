# compiled into migo
"""Prospects of each seat in a position: its probability of winning the game."""

from math import exp, sqrt
from typing import Final

from domain.adding import added
from domain.migo.bots.evaluation import Outlook
from domain.migo.net.later_rounds import after_round
from domain.migo.rules.scoring import places, round_winner, scores
from domain.migo.rules.state import State, setup_of

SETTLED: Final = 0.6  # points: the lead that is worth nothing at the last card
OPEN: Final = 0.9  # added to it, times the square root of the remaining cards


def prospects(state: State) -> tuple[float, ...]:
    """The chance of every seat to win the game, after a take, or at the end of a round by the flags alone. If the turn
    limit has ended the game, its places decide (ADR 0046).
    """
    seats = range(len(state.players))
    if not state.lying:
        return after_round(state, round_winner(state, scores(state)))
    if state.takes == setup_of(state).options.turn_limit:
        ranks = places(state, None)
        return tuple([float(ranks[seat] == 1) / ranks.count(1) for seat in seats])
    promised, width = Outlook(state).expected_after_next(), SETTLED + OPEN * sqrt(state.left)
    most = max([promised[seat] for seat in seats if seat not in state.resigned])
    weights = [0.0 if seat in state.resigned else exp((promised[seat] - most) / width) for seat in seats]
    chances, total = [0.0] * len(weights), added(weights)
    for winner, weight in enumerate(weights):
        if weight:
            for seat, chance in enumerate(after_round(state, winner)):
                chances[seat] += chance * weight / total
    return tuple(chances)
