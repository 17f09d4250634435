# compiled into migo
"""The moves of Migo (rules 3): values, made once and shared, so that a search creates none."""

from dataclasses import dataclass
from typing import Final

from domain.migo.rules.cards import CARDS

ABSENT: Final = -2  # `flip`: nothing is said, which means NOTHING
NOTHING: Final = -1  # `flip`: no card is turned over


@dataclass(frozen=True, slots=True)
class Take:
    """The card at `place` is taken; if it is a sherpa, the own card `flip` (its number) is turned over.

    `drink`: a token is turned to empty to play again; None where nothing is said, which means False.
    """

    place: int
    flip: int = ABSENT
    drink: bool | None = None

    def __hash__(self) -> int:
        return hash((self.place, self.flip, self.drink))


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up; possible at any time (ruling M8)."""


Move = Take | Resign

# The shared values, by what they say: [place][flip - ABSENT], one without a choice to drink, then sober and drinking.
PLAIN: Final = tuple(tuple(Take(place, flip) for flip in range(ABSENT, CARDS)) for place in range(CARDS))
SOBER: Final = tuple(
    tuple(Take(place, flip, False) for flip in range(ABSENT, CARDS)) for place in range(CARDS)
)
DRINKING: Final = tuple(
    tuple(Take(place, flip, True) for flip in range(ABSENT, CARDS)) for place in range(CARDS)
)
RESIGN: Final = Resign()
