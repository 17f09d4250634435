# compiled into migo
"""The nets that are checked in: the one that bots play by, and the last ones before it."""

from functools import cache
from importlib import import_module
from typing import Final

from domain.migo.net.judge import chances_after
from domain.migo.net.layout import INPUTS
from domain.migo.net.trained import NET
from domain.migo.rules.state import State
from domain.net.network import Network
from domain.net.written import fingerprint, read_network

WEIGHTS: Final = fingerprint(NET)
# Two nets of former releases, the newest first: the games that began with one go on with it. When a new net comes, the
# one before it becomes `former_NAME`, and the oldest goes.
FORMER: Final = ("e94abea0",)


def trained(weights: str = WEIGHTS) -> Network:
    """The net of that name, the present one or one of FORMER; read when it is first asked for."""
    return _read(weights)


@cache
def _read(weights: str) -> Network:
    if weights == WEIGHTS:
        return read_network(NET, INPUTS)
    return read_network(import_module(f"domain.migo.net.former_{weights}").NET, INPUTS)


def chances(state: State, weights: str = WEIGHTS) -> tuple[float, ...]:
    """The chance of winning the game, by seat, as the net of that name has it."""
    return chances_after(state, trained(weights))
