# compiled into migo
"""Opponents of Migo: each chooses a move from an observation, never from the state."""

from typing import Final

from domain.bot import Bot, by_version
from domain.migo.bots.greedy import GREEDY
from domain.migo.bots.heuristic import HEURISTIC
from domain.migo.bots.learned import NET, NET_SEARCH, by_net
from domain.migo.bots.maxn import EASY, EXPERT, NORMAL
from domain.migo.net.checked_in import FORMER
from domain.random_bot import RANDOM

BOTS: Final[dict[str, Bot]] = {
    bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT, NET, NET_SEARCH)
}
KEPT: Final[dict[str, Bot]] = by_version([bot for net in FORMER for bot in by_net(net)])
LEVELS: Final = tuple([bot for bot in BOTS.values() if bot is not NET])
