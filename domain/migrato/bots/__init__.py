# compiled into rules
"""Opponents: each chooses a move from an observation, never from the state."""

from dataclasses import replace
from typing import Final

from domain import random_bot
from domain.bot import Bot, by_version
from domain.migrato.bots.greedy import GREEDY
from domain.migrato.bots.heuristic import HEURISTIC
from domain.migrato.bots.ismcts_levels import EASY, EXPERT, NORMAL
from domain.migrato.bots.learned.levels import LEVELS, STYLES, levels_by, styles_by
from domain.migrato.bots.learned.net import NET, by_net
from domain.migrato.net.checked_in import FORMER

RANDOM: Final = replace(random_bot.RANDOM, description="Any legal move. Its games last very long.")
_LEARNED: Final = (NET, *LEVELS, *STYLES)
BOTS: Final[dict[str, Bot]] = {
    bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT, *_LEARNED)
}
KEPT: Final[dict[str, Bot]] = by_version(
    [bot for net in FORMER for bot in (by_net(net), *levels_by(net), *styles_by(net))]
)
BY_THE_NET: Final = frozenset([bot.name for bot in _LEARNED])
