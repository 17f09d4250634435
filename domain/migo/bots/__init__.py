# compiled into migo
"""Opponents of Migo: each chooses a move from an observation, never from the state."""

from typing import Final

from domain.bot import Bot
from domain.migo.bots.greedy import GREEDY
from domain.migo.bots.heuristic import HEURISTIC
from domain.migo.bots.learned import NET, NET_SEARCH
from domain.migo.bots.maxn import EASY, EXPERT, NORMAL
from domain.random_bot import RANDOM

BOTS: Final[dict[str, Bot]] = {
    bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT, NET, NET_SEARCH)
}
LEVELS: Final = tuple([bot for bot in BOTS.values() if bot is not NET])
