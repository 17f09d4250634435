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
}
