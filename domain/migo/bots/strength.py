"""How strong the bots of Migo are, as measured by the arena."""

from typing import Final

from domain.bot import Strength

STRENGTH: Final[dict[str, Strength]] = {}  # by bot; one that is missing has not been measured
