# compiled into rules
"""The bot that plays by the net alone."""

from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.net.checked_in import WEIGHTS, trained
from domain.migrato.net.judge import Judge


def by_net(weights: str) -> Bot:
    """The bot by the net of that name: the first of the best; chance is not needed."""

    def policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
        return Choice(max(observation.moves, key=Judge(observation, trained(weights)).logit))

    return Bot(
        "net",
        f"1-{weights}",
        "Judges by a small neural net what each move leaves; looks no further.",
        policy,
        milliseconds=10,
        remembers=True,
        chance=False,
    )


NET: Final = by_net(WEIGHTS)
