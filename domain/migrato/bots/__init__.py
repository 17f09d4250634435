# compiled into rules
"""Opponents: each chooses a move from an observation, never from the state."""

from dataclasses import replace
from typing import Final

from domain import random_bot
from domain.bot import Bot
from domain.migrato.bots.greedy import GREEDY
from domain.migrato.bots.heuristic import HEURISTIC
from domain.migrato.bots.ismcts_levels import EASY, EXPERT, NORMAL
from domain.migrato.bots.learned.levels import LEVELS, STYLES
from domain.migrato.bots.learned.net import NET

RANDOM: Final = replace(random_bot.RANDOM, description="Any legal move. Its games last very long.")
_LEARNED: Final = (NET, *LEVELS, *STYLES)
BOTS: Final[dict[str, Bot]] = {
    bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT, *_LEARNED)
}
BY_THE_NET: Final = frozenset([bot.name for bot in _LEARNED])
