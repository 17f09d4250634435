# compiled into migo
"""A bot that takes the card with the highest immediate score, with the present majorities. It ignores the cards that it
uncovers, and never drinks.
"""

from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.moves import Take
from domain.migo.rules.scoring import scores
from domain.migo.rules.state import fold


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The first of the best moves; the bot needs no chance."""
    best, most = observation.moves[0], -1_000_000
    for move in observation.moves:
        if isinstance(move, Take) and not move.drink:
            after = scores(fold(observation.table, taken(observation.table, observation.seat, move)))
            worth = after[observation.seat]
            if worth > most:
                best, most = move, worth
    return Choice(best)


GREEDY: Final = Bot("greedy", "1", "Takes what scores most at once.", _policy, milliseconds=1, chance=False)
