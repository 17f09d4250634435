# compiled into migo
"""The net that is checked in."""

from functools import cache
from typing import Final

from domain.migo.net.judge import chances_after
from domain.migo.net.layout import INPUTS
from domain.migo.net.trained import NET
from domain.migo.rules.state import State
from domain.net.network import Network
from domain.net.written import fingerprint, read_network

WEIGHTS: Final = fingerprint(NET)


@cache
def trained() -> Network:
    """Read when it is first asked for."""
    return read_network(NET, INPUTS)


def chances(state: State) -> tuple[float, ...]:
    """The chance of winning the game, by seat."""
    return chances_after(state, trained())
