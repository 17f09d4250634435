"""How one game changes the ratings of those who played it: the Plackett-Luce model of Weng and Lin, by OpenSkill.

R. C. Weng, C.-J. Lin: A Bayesian Approximation Method for Online Ranking, JMLR 12 (2011), algorithm 4. A rating is a
normal distribution, and begins with mean 25 and deviation 25/3. Only what folds results imports this module.
"""

from collections.abc import Sequence
from typing import Final

from openskill.models import PlackettLuce

from events.ports import Rating

DIGITS: Final = (
    6  # decimals that are kept: so the last bit of a machine's exponential function makes no difference
)
_MODEL: Final = PlackettLuce()
UNRATED: Final = Rating(_MODEL.mu, round(_MODEL.sigma, DIGITS), 0, 0)


def after_game(before: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
    """The ratings of the players of a game after it; `places`: 1 is the best, ties share one. At least two players.

    A first place that nobody shares is a win.
    """
    teams = [[_MODEL.rating(mu=rating.mean, sigma=rating.deviation)] for rating in before]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in places])
    won = places.index(1) if places.count(1) == 1 else None
    return [
        Rating(
            round(after.mu, DIGITS), round(after.sigma, DIGITS), known.games + 1, known.wins + (seat == won)
        )
        for seat, ((after,), known) in enumerate(zip(rated, before, strict=True))
    ]
