"""The bots that play by the net."""

from functools import cache
from typing import Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.migrato.belief.observation import Observation
from domain.migrato.net.judge import Judge
from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.net.network import Network
from domain.net.written import fingerprint, read_network


@cache
def trained() -> Network:
    """The net that is checked in; read when it is first asked for."""
    return read_network(NET, INPUTS)


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The first of the best; chance is not needed."""
    judge = Judge(observation, trained())
    best, most = observation.moves[0], judge.logit(observation.moves[0])
    for move in observation.moves[1:]:
        logit = judge.logit(move)
        if logit > most:
            best, most = move, logit
    return Choice(best)


WEIGHTS: Final = fingerprint(NET)
PLAYER: Final = Bot(
    "net",
    f"1-{WEIGHTS}",
    "Judges by a small neural net what each move leaves; looks no further.",
    _policy,
    milliseconds=10,
    remembers=True,
    chance=False,
)
