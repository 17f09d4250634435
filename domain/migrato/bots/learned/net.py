# compiled into rules
"""The bot that plays by the net alone."""

from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.net.checked_in import WEIGHTS, trained
from domain.migrato.net.judge import Judge


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The first of the best; chance is not needed."""
    return Choice(max(observation.moves, key=Judge(observation, trained()).logit))


NET: Final = Bot(
    "net",
    f"1-{WEIGHTS}",
    "Judges by a small neural net what each move leaves; looks no further.",
    _policy,
    milliseconds=10,
    remembers=True,
    chance=False,
)
