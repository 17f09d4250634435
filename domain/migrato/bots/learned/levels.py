# compiled into rules
"""The levels and styles that people choose from."""

from typing import Final

from domain.bot import Bot, Budget
from domain.migrato.bots.learned.level_search import DEALS, search
from domain.migrato.bots.learned.softened import softened
from domain.migrato.net.checked_in import WEIGHTS
from domain.migrato.net.taste import Taste
from domain.net.network import LOGIT

# Raise a number when its bots play otherwise by the same net: VERSION's for a temperature or a taste, SEARCH_VERSION's
# for the search (level_search, imagined turns, card reading).
VERSION: Final = f"2-{WEIGHTS}"
SEARCH_VERSION: Final = f"3-{WEIGHTS}"
STYLED: Final = 0.138  # the temperature of the styles


def _level(number: int, temperature: float, description: str) -> Bot:
    """The temperature is in logits."""
    return Bot(
        f"level-{number}", VERSION, description, softened(temperature), milliseconds=10, remembers=True
    )


def _style(name: str, description: str, taste: Taste) -> Bot:
    return Bot(name, VERSION, description, softened(STYLED, taste), milliseconds=10, remembers=True)


LEVELS: Final = (
    _level(1, 0.327, "A beginner: often takes a move that only looks good."),
    _level(2, 0.272, "Knows the game, and is often mistaken."),
    _level(3, 0.224, "A casual player."),
    _level(4, 0.178, "A practised player."),
    _level(5, STYLED, "A good player, who errs now and then."),
    _level(6, 0.076, "A very good player, who errs seldom."),
    Bot(
        "level-7",
        SEARCH_VERSION,
        "The strongest: tries what the net finds good in games that may be the true one.",
        search,
        milliseconds=1_000,
        budget=Budget(iterations=DEALS),
        remembers=True,
    ),
)
STYLES: Final = (
    _style(
        "careful",
        "Plays few columns at a time and keeps its danger cards.",
        Taste(danger=LOGIT // 10, spread=-LOGIT // 10),
    ),
    _style("thief", "Steals whenever it half pays.", Taste(theft=LOGIT // 2)),
    _style("racer", "Wants birds to land, and soon.", Taste(landing=LOGIT // 2, card=LOGIT // 20)),
)
