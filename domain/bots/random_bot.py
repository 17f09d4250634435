"""Any legal move, each as likely as the others."""

from typing import Final

from domain.bots.bot import Bot, Rng
from domain.migrato.moves import Move
from domain.migrato.observation import Observation


def _choose(seen: Observation, rng: Rng) -> Move:
    return seen.moves[rng.randrange(len(seen.moves))]


RANDOM: Final = Bot("random", "1", "Any legal move. Its games last very long.", _choose)
