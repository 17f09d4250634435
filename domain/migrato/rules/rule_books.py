# compiled into rules
"""The rule books, and what is the same in both (rules 1, 2).

Two words name the differences of a rule book. They stand in the game's first event beside the book's name, so a later
change of a preset never changes an old game.
"""

from dataclasses import dataclass
from typing import Final

from domain.migrato.rules.columns import SLOTS as SLOTS  # noqa: PLC0414 (it is a rule, too)

HAND_SIZE: Final = 3
SEATS: Final = 2
TURN_CAP: Final = 2000  # ruling R20: play that means to end is over within some 150 turns


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Rules that the two published books settle differently.

    `movement`: "tail" (any card with all below it moves, rules 4.2 digital) or "split_or_join" (opla).
    `sweep`: what goes after an arrival: "seen_columns" (digital) or "every_card" (opla), rules 6.
    """

    movement: str
    sweep: str


RULE_BOOKS: Final = {
    "digital": RuleBook(movement="tail", sweep="seen_columns"),
    "opla": RuleBook(movement="split_or_join", sweep="every_card"),
}
