"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-257, -707, -46),
    "greedy": Strength(1000, 983, 1016),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1366, 1347, 1385),
    "ismcts": Strength(1431, 1404, 1455),
    "ismcts-expert": Strength(1466, 1432, 1499),
    "net": Strength(1591, 1559, 1622),
    "level-1": Strength(860, 841, 878),
    "level-2": Strength(982, 965, 999),
    "level-3": Strength(1103, 1087, 1119),
    "level-4": Strength(1240, 1225, 1254),
    "level-5": Strength(1369, 1355, 1384),
    "level-6": Strength(1493, 1479, 1506),
    "level-7": Strength(1632, 1621, 1642),
    "careful": Strength(1362, 1326, 1399),
    "thief": Strength(1362, 1325, 1402),
    "racer": Strength(1376, 1338, 1414),
}
