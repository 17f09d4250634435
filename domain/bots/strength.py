"""How strong the bots are, as measured against each other; docs/bots.md tells how."""

from typing import Final, NamedTuple


class Strength(NamedTuple):
    """Elo points, with the bounds of their 95% interval; only differences between bots mean anything."""

    elo: int
    low: int
    high: int


STRENGTH: Final[dict[str, Strength]] = {}  # by bot; one that is missing has not been measured
