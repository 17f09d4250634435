"""A bot for any game: any legal move, each as likely as the others."""

from typing import Final

from domain.bot import Bot, Budget, Choice, Observation, Rng, Stop


def _policy(seen: Observation, rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    return Choice(seen.moves[rng.randrange(len(seen.moves))])


RANDOM: Final = Bot("random", "1", "Any legal move.", _policy, milliseconds=1)
