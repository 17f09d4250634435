# compiled into rules
"""Measured strength of the bots, which docs/explanation/how-strong-the-bots-are.md explains, and how often others
choose as they do.
"""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-272, -727, -55),
    "greedy": Strength(999, 982, 1015),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1351, 1332, 1370),
    "ismcts": Strength(1422, 1399, 1446),
    "ismcts-expert": Strength(1467, 1434, 1500),
    "net": Strength(1597, 1574, 1619),
    "level-1": Strength(830, 811, 848),
    "level-2": Strength(977, 959, 994),
    "level-3": Strength(1100, 1084, 1116),
    "level-4": Strength(1234, 1220, 1248),
    "level-5": Strength(1353, 1338, 1368),
    "level-6": Strength(1510, 1497, 1525),
    "level-7": Strength(1633, 1620, 1645),
    "careful": Strength(1339, 1304, 1375),
    "thief": Strength(1339, 1303, 1377),
    "racer": Strength(1375, 1337, 1415),
}
# By bot: the greatest rate of any kind of honest player, in each stratum of `events.audit.players.agreement`.
# `python -m benchmarks bots-behind-people baseline --games 8` prints the rates of each kind anew;
# docs/how-to/find-bots-behind-people.md says who these are.
AGREEMENT: Final[dict[str, tuple[float, float, float, float]]] = {
    "greedy": (0.37, 0.37, 0.59, 0.88),
    "heuristic": (0.39, 0.39, 0.59, 0.88),
    "net": (0.74, 0.74, 0.81, 0.88),
    "level-7": (0.40, 0.63, 0.77, 0.90),
}
