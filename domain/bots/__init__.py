"""Opponents: each chooses a move from an observation, never from the state."""

from typing import Final

from domain.bots.bot import Bot
from domain.bots.greedy import GREEDY
from domain.bots.heuristic import HEURISTIC
from domain.bots.ismcts import EASY, EXPERT, NORMAL
from domain.bots.random_bot import RANDOM

BOTS: Final[dict[str, Bot]] = {bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT)}
