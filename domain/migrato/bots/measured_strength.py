"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-271, -728, -54),
    "greedy": Strength(999, 982, 1016),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1352, 1333, 1370),
    "ismcts": Strength(1423, 1398, 1449),
    "ismcts-expert": Strength(1467, 1433, 1500),
    "net": Strength(1604, 1572, 1636),
    "level-1": Strength(832, 812, 850),
    "level-2": Strength(978, 960, 996),
    "level-3": Strength(1098, 1082, 1115),
    "level-4": Strength(1235, 1220, 1250),
    "level-5": Strength(1351, 1335, 1367),
    "level-6": Strength(1512, 1497, 1526),
    "level-7": Strength(1632, 1618, 1646),
    "careful": Strength(1337, 1300, 1377),
    "thief": Strength(1337, 1301, 1375),
    "racer": Strength(1373, 1335, 1413),
}
