# compiled into rules
"""The levels of the searching bot."""

from typing import Final

from domain.bot import Bot, Budget
from domain.migrato.bots.ismcts import search_suspecting, search_trusting

EASY: Final = Bot(
    "ismcts-easy",
    "1",
    "Looks at a few games that may be the true one; takes every face-down card as likely as any other.",
    search_trusting,
    milliseconds=50,
    budget=Budget(iterations=8),
    remembers=True,
)
NORMAL: Final = Bot(
    "ismcts",
    "1",
    "Searches games that may be the true one, and reckons with what sensible players bury.",
    search_suspecting,
    milliseconds=300,
    budget=Budget(iterations=300),
    remembers=True,
)
EXPERT: Final = Bot(
    "ismcts-expert",
    "1",
    "The same search, longer.",
    search_suspecting,
    milliseconds=2000,
    budget=Budget(iterations=1500),
    remembers=True,
)
