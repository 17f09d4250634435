# compiled into rules
"""Rule books, the options of a game, and its rules: all values, resolved once when it is created (rules 1, 2, 8).

Two words name the differences of a rule book. They stand in the game's first event beside the book's name, so a later
change of a preset never changes an old game.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from domain.errors import DomainError
from domain.migrato.rules.cards import DECK_LISTS, NAME
from domain.migrato.rules.columns import SLOTS as SLOTS  # noqa: PLC0414 (it is a rule, too)
from domain.migrato.rules.columns import DeckList, Placement
from domain.options import CLAIM_AFTER, Option

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


@dataclass(frozen=True, slots=True, match_args=False)
class Rules:
    """All that a game was created with, resolved. `first_seat` is a seat or "random" (ruling R1).

    Games of the same rules share one object, so its parts are no game's own: no `__match_args__` name them to whoever
    weighs a game.
    """

    book: str
    movement: str
    sweep: str
    return_flight: bool
    memory_aid: bool
    first_seat: int | str
    turn_limit: int | None
    turn_cap: int
    deck_list: DeckList
    flight_points: tuple[int, ...]
    claim_after: int | None
    placement: Placement = field(compare=False, repr=False)

    def __hash__(self) -> int:  # a generated one is not compiled, and hashes what follows from these, too
        return hash(
            (
                self.book,
                self.return_flight,
                self.first_seat,
                self.turn_limit,
                self.deck_list,
                self.claim_after,
            )
        )

    @property
    def deck(self) -> tuple[int, ...]:
        """Every card of the deck list, by face."""
        return tuple(face for face, count in self.deck_list for _ in range(count))

    @property
    def last_turn(self) -> int:
        """The turn that ends the game (rulings R10, R20)."""
        return self.turn_cap if self.turn_limit is None else self.turn_limit


# Each option is a member of `Rules`, too. Rule books and the Return Flight are published, and rated alike.
OPTIONS: Final = (
    Option(
        "rules",
        "choice",
        "The rule book.",
        default="digital",
        choices=tuple(RULE_BOOKS),
        shows_in="cards_moved birds_arrived",
    ),
    Option("movement", "follows"),
    Option("sweep", "follows"),
    Option(
        "return_flight",
        "flag",
        "Play with the Return Flight extension.",
        default=False,
        shows_in="return_flight_taken",  # as long as no card is taken, nothing was chosen
    ),
    Option(
        "memory_aid",
        "flag",
        "Show players their own face-down cards.",
        default=False,
        shows_in="",
        unrated=2,
    ),
    Option("first_seat", "seat", "Who starts.", default=0, shows_in="game_started", unrated=4),
    Option(
        "turn_limit",
        "int",
        "End a game after so many turns, scored as it stands.",
        between_bots=1000,
        minimum=1,
        maximum=TURN_CAP,
        shows_in="game_ended",
        unrated=1,
    ),
    Option("turn_cap", "follows"),
    Option("deck_list", "choice", "The deck list.", default="standard", choices=tuple(DECK_LISTS), unrated=3),
    Option("flight_points", "follows"),
    CLAIM_AFTER,
)


def check_deck(deck: Sequence[str], rules: Rules) -> None:
    """An exact deck order must be a permutation of the deck list; DomainError "bad-deck" says how it is not."""
    if sorted(deck) == _sorted_names(rules):
        return
    wanted = Counter({NAME[face]: count for face, count in rules.deck_list})
    held = Counter(deck)
    missing, extra = sorted((wanted - held).elements()), sorted((held - wanted).elements())
    words = [f"{n} cards instead of {wanted.total()}" for n in [len(deck)] if n != wanted.total()]
    words += [f"missing {', '.join(missing)}"] * bool(missing) + [f"too many {', '.join(extra)}"] * bool(
        extra
    )
    raise DomainError("bad-deck", f"setup.deck: {'; '.join(words)}.", "1", missing=missing, extra=extra)


@lru_cache(maxsize=64)
def _sorted_names(rules: Rules) -> list[str]:
    """The names of every card of the deck list, sorted; shared, not to be changed."""
    return sorted([NAME[face] for face in rules.deck])
