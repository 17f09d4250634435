"""How strong the bots are, as measured; docs/explanation/how-strong-the-bots-are.md explains the figures."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {  # by bot; one that is missing has not been measured
    "random": Strength(-108, -743, 135),
    "greedy": Strength(1000, 1000, 1000),
    "heuristic": Strength(1255, 1231, 1280),
    "ismcts-easy": Strength(1351, 1326, 1377),
    "ismcts": Strength(1412, 1385, 1437),
    "ismcts-expert": Strength(1419, 1390, 1448),
    "level-1": Strength(857, 837, 878),
    "level-2": Strength(961, 943, 979),
    "level-3": Strength(1074, 1058, 1091),
    "level-4": Strength(1201, 1184, 1217),
    "level-5": Strength(1367, 1351, 1385),
    "level-6": Strength(1481, 1464, 1497),
    "level-7": Strength(1615, 1597, 1634),
}
