"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-272, -716, -77),
    "greedy": Strength(996, 980, 1013),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1373, 1353, 1393),
    "ismcts": Strength(1435, 1402, 1467),
    "ismcts-expert": Strength(1493, 1457, 1527),
    "net": Strength(1584, 1552, 1618),
    "level-1": Strength(852, 832, 872),
    "level-2": Strength(956, 938, 974),
    "level-3": Strength(1070, 1053, 1086),
    "level-4": Strength(1194, 1178, 1210),
    "level-5": Strength(1362, 1346, 1379),
    "level-6": Strength(1471, 1456, 1486),
    "level-7": Strength(1612, 1594, 1630),
    "careful": Strength(1333, 1295, 1372),
    "thief": Strength(1346, 1306, 1388),
    "racer": Strength(1340, 1304, 1376),
}
