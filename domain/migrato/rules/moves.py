# compiled into rules
"""The moves of Migrato (rules 4): values, made once and shared, so that a search creates none.

Those that say something are written out as `Value`s because dataclasses are not compiled; so are their hashes, for a
search looks moves up by the million.
"""

from dataclasses import dataclass
from typing import Final

from domain.migrato.rules.cards import DANGERS, DOWN, FIRST_DANGER, LONGEST_COLUMN, NAME, SPECIES
from domain.migrato.rules.columns import SLOTS
from domain.value import Value

SETTLE: Final = "settle"
RETURN: Final = "return"
# `on_arrival` None: the choice was not offered or not made; it then means SETTLE.
CHOICES: Final = (None, SETTLE, RETURN)


class Play(Value):
    """A bird card from hand goes to the bottom of the own column in `slot` (0 ... 3), or starts one (None)."""

    __match_args__ = ("card", "slot", "on_arrival", "discard")

    def __init__(
        self,
        card: int,
        slot: int | None,
        on_arrival: str | None = None,
        discard: int | None = None,
    ) -> None:
        self.card = card
        self.slot = slot
        self.on_arrival = on_arrival
        self.discard = discard

    def __hash__(self) -> int:
        return hash((self.card, self.slot, self.on_arrival, self.discard))


class MoveCards(Value):
    """The cards of `source` from `index` on go below `target`, or into a new column (None)."""

    __match_args__ = ("source", "index", "target", "uncover", "on_arrival", "discard")

    def __init__(
        self,
        source: int,
        index: int,
        target: int | None,
        uncover: bool = False,
        on_arrival: str | None = None,
        discard: int | None = None,
    ) -> None:
        self.source = source
        self.index = index
        self.target = target
        self.uncover = uncover
        self.on_arrival = on_arrival
        self.discard = discard

    def __hash__(self) -> int:
        return hash((self.source, self.index, self.target, self.uncover, self.on_arrival, self.discard))


class PlayDanger(Value):
    """A danger card takes the bottom card of the opposing column in `slot`, or the top card of the `pile` (species)."""

    __match_args__ = ("card", "slot", "pile", "discard")

    def __init__(self, card: int, slot: int | None, pile: int | None, discard: int | None = None) -> None:
        self.card = card
        self.slot = slot
        self.pile = pile
        self.discard = discard

    def __hash__(self) -> int:
        return hash((self.card, self.slot, self.pile, self.discard))


class Discard(Value):
    """One hand card goes to the discard pile; then the player draws and the turn is over."""

    __match_args__ = ("card",)

    def __init__(self, card: int) -> None:
        self.card = card

    def __hash__(self) -> int:
        return hash(self.card)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The whole hand goes, three new cards come."""


class Abandon(Value):
    """One whole own column goes to the discard pile."""

    __match_args__ = ("slot",)

    def __init__(self, slot: int) -> None:
        self.slot = slot

    def __hash__(self) -> int:
        return hash(self.slot)


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing else is legal (ruling R2)."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the game up; possible at any time, on nobody's turn in particular."""


Action = Play | MoveCards | PlayDanger
Move = Play | MoveCards | PlayDanger | Discard | Exchange | Abandon | Pass | Resign

# The shared values, by what they say.
PLAYS: Final = {
    (card, slot, choice): Play(card, slot, choice)
    for card in range(DOWN + 1, FIRST_DANGER)
    for slot in (None, *range(SLOTS))
    for choice in CHOICES
}
MOVE_CARDS: Final = {
    (source, index, target, uncover, choice): MoveCards(source, index, target, uncover, choice)
    for source in range(SLOTS)
    for index in range(LONGEST_COLUMN)
    for target in (None, *range(SLOTS))
    for uncover in (False, True)
    for choice in CHOICES
}
# Those without a choice once more, by their numbers alone, because these are asked for most.
PLAY_ON: Final = tuple(  # [card][slot]
    tuple(PLAYS[max(card, 1), slot, None] for slot in range(SLOTS)) for card in range(FIRST_DANGER)
)
PLAY_NEW: Final = tuple(PLAYS[max(card, 1), None, None] for card in range(FIRST_DANGER))  # [card]
JOIN: Final = tuple(  # [source][index][target]: without and with uncovering
    tuple(
        tuple(
            (MOVE_CARDS[source, index, target, False, None], MOVE_CARDS[source, index, target, True, None])
            for target in range(SLOTS)
        )
        for index in range(LONGEST_COLUMN)
    )
    for source in range(SLOTS)
)
SPLITS: Final = tuple(  # [source][length]: all of a column of that length
    tuple(
        tuple(MOVE_CARDS[source, index, None, False, None] for index in range(1, length))
        for length in range(LONGEST_COLUMN + 1)
    )
    for source in range(SLOTS)
)
DANGER_ON_SLOT: Final = tuple(
    tuple(PlayDanger(card, slot, None) for slot in range(SLOTS))
    for card in range(FIRST_DANGER, FIRST_DANGER + len(DANGERS))
)
DANGER_ON_PILE: Final = tuple(
    tuple(PlayDanger(card, None, pile) for pile in range(len(SPECIES)))
    for card in range(FIRST_DANGER, FIRST_DANGER + len(DANGERS))
)
DISCARDS: Final = tuple(Discard(card) for card in range(len(NAME)))
ABANDONS: Final = tuple(Abandon(slot) for slot in range(SLOTS))
EXCHANGE: Final = Exchange()
PASS: Final = Pass()


def without_discard(move: Action) -> Action:
    """The action without the discard that came in the same request."""
    if move.discard is None:
        return move
    if isinstance(move, Play):
        return Play(move.card, move.slot, move.on_arrival)
    if isinstance(move, MoveCards):
        return MoveCards(move.source, move.index, move.target, move.uncover, move.on_arrival)
    return PlayDanger(move.card, move.slot, move.pile)
