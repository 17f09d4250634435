# compiled into rules
"""The levels and styles that people choose from."""

from typing import Final

from domain.bot import Bot, Budget
from domain.migrato.bots.learned.level_search import DEALS, searching
from domain.migrato.bots.learned.softened import softened
from domain.migrato.net.checked_in import WEIGHTS
from domain.migrato.net.taste import Taste
from domain.net.network import LOGIT

# Raise a number when its bots play otherwise by the same net: VERSION's for a temperature or a taste, SEARCH_VERSION's
# for the search (level_search, imagined turns, card reading).
VERSION: Final = "2"
SEARCH_VERSION: Final = "3"
STYLED: Final = 0.138  # the temperature of the styles


def _level(number: int, temperature: float, description: str, weights: str) -> Bot:
    """The temperature is in logits."""
    policy = softened(temperature, weights=weights)
    return Bot(
        f"level-{number}", f"{VERSION}-{weights}", description, policy, milliseconds=10, remembers=True
    )


def _style(name: str, description: str, taste: Taste, weights: str) -> Bot:
    policy = softened(STYLED, taste, weights)
    return Bot(name, f"{VERSION}-{weights}", description, policy, milliseconds=10, remembers=True)


def levels_by(weights: str) -> tuple[Bot, ...]:
    """The levels by the net of that name."""
    return (
        _level(1, 0.327, "A beginner: often takes a move that only looks good.", weights),
        _level(2, 0.272, "Knows the game, and is often mistaken.", weights),
        _level(3, 0.224, "A casual player.", weights),
        _level(4, 0.178, "A practised player.", weights),
        _level(5, STYLED, "A good player, who errs now and then.", weights),
        _level(6, 0.076, "A very good player, who errs seldom.", weights),
        Bot(
            "level-7",
            f"{SEARCH_VERSION}-{weights}",
            "The strongest: tries what the net finds good in games that may be the true one.",
            searching(weights),
            milliseconds=1_000,
            budget=Budget(iterations=DEALS),
            remembers=True,
        ),
    )


def styles_by(weights: str) -> tuple[Bot, ...]:
    """The styles by the net of that name."""
    return (
        _style(
            "careful",
            "Plays few columns at a time and keeps its danger cards.",
            Taste(danger=LOGIT // 10, spread=-LOGIT // 10),
            weights,
        ),
        _style("thief", "Steals whenever it half pays.", Taste(theft=LOGIT // 2), weights),
        _style(
            "racer", "Wants birds to land, and soon.", Taste(landing=LOGIT // 2, card=LOGIT // 20), weights
        ),
    )


LEVELS: Final = levels_by(WEIGHTS)
STYLES: Final = styles_by(WEIGHTS)
