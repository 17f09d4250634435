# compiled into rules
"""The nets that are checked in: the one that bots play by, and the last ones before it."""

from functools import cache
from importlib import import_module
from typing import Final

from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.net.network import Network
from domain.net.written import fingerprint, read_network

WEIGHTS: Final = fingerprint(NET)
# Two nets of former releases, the newest first: the games that began with one go on with it. When a new net comes, the
# one before it becomes `former_NAME`, and the oldest goes.
FORMER: Final = ("90254018",)


def trained(weights: str = WEIGHTS) -> Network:
    """The net of that name, the present one or one of FORMER; read when it is first asked for."""
    return _read(weights)


@cache
def _read(weights: str) -> Network:
    if weights == WEIGHTS:
        return read_network(NET, INPUTS)
    return read_network(import_module(f"domain.migrato.net.former_{weights}").NET, INPUTS)
