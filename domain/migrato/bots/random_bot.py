"""Any legal move, each as likely as the others."""

from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation


def _policy(observation: Observation, rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    return Choice(observation.moves[rng.randrange(len(observation.moves))])


RANDOM: Final = Bot("random", "1", "Any legal move. Its games last very long.", _policy, milliseconds=1)
