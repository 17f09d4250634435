"""Rates at which honest players make a bot's choice, as they were measured: the greatest rate of any kind of player.

`python -m benchmarks bots-behind-people baseline --games 8` prints the rates of each kind anew;
docs/how-to/find-bots-behind-people.md says who these are.
"""

from typing import Final

# By game and bot: rates by stratum (`events.audit.players.agreement.STRATA`).
MEASURED: Final[dict[str, dict[str, tuple[float, float, float, float]]]] = {
    "migrato": {
        "greedy": (0.37, 0.37, 0.59, 0.88),
        "heuristic": (0.39, 0.39, 0.59, 0.88),
        "net": (0.74, 0.74, 0.81, 0.88),
        "level-7": (0.40, 0.63, 0.77, 0.90),
    },
}
