"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-253, -706, -39),
    "greedy": Strength(1003, 986, 1019),
    "heuristic": Strength(1255, 1255, 1255),
    "ismcts-easy": Strength(1368, 1349, 1387),
    "ismcts": Strength(1432, 1407, 1457),
    "ismcts-expert": Strength(1453, 1388, 1515),
    "net": Strength(1593, 1561, 1624),
    "level-1": Strength(865, 845, 884),
    "level-2": Strength(986, 969, 1004),
    "level-3": Strength(1107, 1091, 1123),
    "level-4": Strength(1243, 1228, 1258),
    "level-5": Strength(1372, 1356, 1389),
    "level-6": Strength(1494, 1480, 1509),
    "level-7": Strength(1632, 1614, 1651),
    "careful": Strength(1365, 1328, 1406),
    "thief": Strength(1365, 1327, 1406),
    "racer": Strength(1379, 1341, 1420),
}
