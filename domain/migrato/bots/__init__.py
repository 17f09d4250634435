"""Opponents: each chooses a move from an observation, never from the state."""

from typing import Final

from domain.bot import Bot
from domain.migrato.bots.greedy import GREEDY
from domain.migrato.bots.heuristic import HEURISTIC
from domain.migrato.bots.ismcts import EASY, EXPERT, NORMAL
from domain.migrato.bots.random_bot import RANDOM

BOTS: Final[dict[str, Bot]] = {bot.name: bot for bot in (RANDOM, GREEDY, HEURISTIC, EASY, NORMAL, EXPERT)}
