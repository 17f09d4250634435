# compiled into migo
"""A bot that takes the card with the greatest expected lead, majorities included, after the next player's
best answer.
"""

from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migo.bots.evaluation import lead, promises
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import Take
from domain.migo.rules.state import State, fold

THREAT: Final = 0.8  # the weight of the next seat's best answer


def _policy(observation: Observation, _rng: Rng, _budget: Budget, stop: Stop) -> Choice:
    """The first of the best moves among those judged before the caller stops the bot; it needs no chance."""
    best, most = observation.moves[0], -1e9
    for move in observation.moves:
        if most > -1e9 and stop():
            break
        if isinstance(move, Take):
            worth = _worth(observation.table, observation.seat, move)
            if worth > most:
                best, most = move, worth
    return Choice(best)


def _worth(state: State, seat: int, move: Take) -> float:
    after = fold(state, taken(state, seat, move))
    now = _lead(after, seat)
    if not after.lying or after.to_act is None:
        return now
    sign = 1.0 if after.to_act == seat else -1.0
    answer = best_gain(after, after.to_act)
    return now + sign * THREAT * answer


def best_gain(state: State, seat: int) -> float:
    """The most by which the seat to act can improve its lead with a move that drinks nothing."""
    before, best = _lead(state, seat), -1e9
    for move in legal_moves(state):
        if isinstance(move, Take) and not move.drink:
            best = max(best, _lead(fold(state, taken(state, seat, move)), seat))
    return best - before


def _lead(state: State, seat: int) -> float:
    return lead(promises(state), seat, state.resigned)


HEURISTIC: Final = Bot(
    "heuristic",
    "1",
    "Weighs majorities, and what it leaves to the next player.",
    _policy,
    milliseconds=10,
    chance=False,
)
