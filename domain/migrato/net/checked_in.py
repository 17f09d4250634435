# compiled into rules
"""The net that is checked in."""

from functools import cache
from typing import Final

from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.net.network import Network
from domain.net.written import fingerprint, read_network

WEIGHTS: Final = fingerprint(NET)


@cache
def trained() -> Network:
    """Read when it is first asked for."""
    return read_network(NET, INPUTS)
