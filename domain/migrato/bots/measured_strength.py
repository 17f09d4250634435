"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-273, -716, -78),
    "greedy": Strength(996, 979, 1012),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1372, 1353, 1392),
    "ismcts": Strength(1437, 1412, 1461),
    "ismcts-expert": Strength(1492, 1457, 1526),
    "net": Strength(1583, 1551, 1616),
    "level-1": Strength(852, 832, 871),
    "level-2": Strength(956, 938, 973),
    "level-3": Strength(1069, 1053, 1086),
    "level-4": Strength(1193, 1178, 1209),
    "level-5": Strength(1361, 1346, 1378),
    "level-6": Strength(1469, 1455, 1485),
    "level-7": Strength(1611, 1594, 1630),
    "careful": Strength(1332, 1294, 1371),
    "thief": Strength(1345, 1306, 1387),
    "racer": Strength(1339, 1304, 1374),
}
