# compiled into migo
"""Measured strength of the bots with two seats; docs/reference/bots.md has the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(367, 249, 461),
    "greedy": Strength(1000, 1000, 1000),
    "heuristic": Strength(1463, 1414, 1522),
    "maxn-easy": Strength(1685, 1631, 1746),
    "maxn": Strength(1945, 1885, 2014),
    "net": Strength(2053, 2031, 2077),
    "maxn-expert": Strength(2251, 2180, 2334),
    "net-search": Strength(2278, 2233, 2325),
}
