# compiled into rules
"""Possible columns and arrival (rules 5 and 6).

A column is a tuple of faces, top first; its shape is the same tuple as everybody sees it, with DOWN for every night
card. All placement rules ask only for shapes, so nothing that lies face down can leak through them.
"""

from collections import Counter
from functools import lru_cache
from typing import Final

from domain.migrato.rules.cards import (
    ALL_SPECIES,
    BIRDS,
    DOWN,
    FIRST_DANGER,
    GOAL,
    IS_NIGHT,
    LONGEST_COLUMN,
    MAX_BIRDS,
    SEEN,
    SPECIES,
    SPECIES_OF,
    STILT,
)

Column = tuple[int, ...]
Shape = tuple[int, ...]
DeckList = tuple[tuple[int, int], ...]  # (face, number of cards), by face

_MEMO_LIMIT: Final = 100_000
SLOTS: Final = 4  # columns that a side may have at a time
UNCOVER_LENGTHS: Final = (2, 4, 5)  # ruling R7


def shape_of(column: Column) -> Shape:
    """The column as everybody sees it."""
    return tuple([SEEN[face] for face in column])


class Possible(dict[Shape, bool]):
    """shape -> whether some species could fill it (rules 5), worked out on first asking."""

    def __init__(self, deck_list: DeckList) -> None:
        super().__init__()
        self._night: tuple[Counter[int], ...] = tuple(Counter() for _ in GOAL)
        for face, count in deck_list:
            if face < FIRST_DANGER and IS_NIGHT[face]:
                self._night[SPECIES_OF[face]][BIRDS[face]] += count

    def __missing__(self, shape: Shape) -> bool:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        answer = len(shape) <= LONGEST_COLUMN and any(self._fills(s, shape) for s in range(len(GOAL)))
        self[shape] = answer
        return answer

    def _fills(self, species: int, shape: Shape) -> bool:
        """True if distinct night cards of the species fit the face-down places, never increasing downwards.

        Greedy from the top, highest card first: what is left for the places below is then never worse.
        """
        if len(shape) > GOAL[species] or any(face != DOWN and SPECIES_OF[face] != species for face in shape):
            return False
        night = self._night[species].copy()
        night.subtract(BIRDS[face] for face in shape if face != DOWN and IS_NIGHT[face])
        above = max(BIRDS)
        for place, face in enumerate(shape):
            if face != DOWN:
                if BIRDS[face] > above:
                    return False
                above = BIRDS[face]
                continue
            below = next((BIRDS[f] for f in shape[place:] if f != DOWN), 0)
            fitting = [birds for birds, left in night.items() if left > 0 and below <= birds <= above]
            if not fitting:
                return False
            above = max(fitting)
            night[above] -= 1
        return True


class Fits(dict[Shape, int]):
    """shape -> bit set of the faces that may be played at its bottom (rules 4.1, 5)."""

    def __init__(self, possible: Possible) -> None:
        super().__init__()
        self._possible = possible

    def __missing__(self, shape: Shape) -> int:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        mask = 0
        for face in range(DOWN + 1, FIRST_DANGER):
            if self._possible[(*shape, face)]:  # the played card counts as itself, face down or not
                mask |= 1 << face
        self[shape] = mask
        return mask


class Join:
    """The cards `start` and below may go to another column; `may_uncover`: uncovering the result is offered."""

    def __init__(self, start: int, may_uncover: bool) -> None:
        self.start = start
        self.may_uncover = may_uncover


class Outline:
    """Rules for a shape, worked out once: `fits` is the bit set of the faces that may be played there."""

    def __init__(self, shape: Shape, fits: int, possible: Possible) -> None:
        self.shape = shape
        self.length = len(shape)
        self.fits = fits
        self._possible = possible
        self._joins: dict[Outline, list[Join]] = {}

    def joins(self, target: "Outline") -> list[Join]:
        """The joins of a tail of this column to the bottom of another that are possible (rules 4.2)."""
        joins = self._joins.get(target)
        if joins is None:
            joins = self._joins[target] = self._work_out(target.shape)
        return joins

    def _work_out(self, target: Shape) -> list[Join]:
        results = [(start, target + self.shape[start:]) for start in range(self.length)]
        return [Join(start, may_uncover(shape)) for start, shape in results if self._possible[shape]]


class Outlines(dict[Shape, Outline]):
    """shape -> its outline."""

    def __init__(self, fits: Fits, possible: Possible) -> None:
        super().__init__()
        self._fits = fits
        self._possible = possible

    def __missing__(self, shape: Shape) -> Outline:
        if len(self) > _MEMO_LIMIT:
            self.clear()
        outline = self[shape] = Outline(shape, self._fits[shape], self._possible)
        return outline


class Placement:
    """The lookup tables of one deck list."""

    def __init__(self, deck_list: DeckList) -> None:
        self.possible = Possible(deck_list)
        self.fits = Fits(self.possible)
        self.outlines = Outlines(self.fits, self.possible)


@lru_cache(maxsize=64)
def placement_for(deck_list: DeckList) -> Placement:
    """The (shared, lazily filled) lookup tables for a deck list."""
    return Placement(deck_list)


def species_seen(shape: Shape) -> int | None:
    """The species that a visible card tells, or None where all is face down."""
    for face in shape:
        if face != DOWN:
            return SPECIES_OF[face]
    return None


def checked_after_play(column: Column) -> bool:
    """Rules 6: the column, its last card just played, has reached the goal of that card's species (ruling R6)."""
    return len(column) == GOAL[SPECIES_OF[column[-1]]]


def checked_after_move(shape: Shape, uncover: bool) -> bool:
    """Rules 6: a visible day card tells the goal; a face-down column is checked at its owner's wish (ruling R7)."""
    species = species_seen(shape)
    return uncover if species is None else len(shape) == GOAL[species]


def may_uncover(shape: Shape) -> bool:
    """True if uncovering the column that cards were just moved to is offered (ruling R7)."""
    return len(shape) in UNCOVER_LENGTHS and species_seen(shape) is None


def could_arrive(shape: Shape) -> int:
    """Bit set of the species that a checked column of this shape may turn out to be, as far as can be seen."""
    species = species_seen(shape)
    if species is not None:
        return 1 << species
    return sum(
        1 << s for s in range(len(GOAL)) if SPECIES[s].night and _enough(s, len(shape), after_move=True)
    )


def _enough(species: int, length: int, after_move: bool) -> bool:
    """True for as many cards as the goal; five stilts are also accepted after `move_cards`."""
    return length == GOAL[species] or (after_move and species == STILT and length == GOAL[STILT] + 1)


def arriving_species(column: Column, landed: int, after_move: bool) -> int | None:
    """The species that arrives when the column is turned face up, or None: the check fails (rules 6, ruling R8).

    `landed`: bit set of the species already in the owner's arrival zone.
    """
    species, above = SPECIES_OF[column[0]], MAX_BIRDS
    if landed >> species & 1 or not _enough(species, len(column), after_move):
        return None
    for face in column:
        if SPECIES_OF[face] != species or BIRDS[face] > above:
            return None
        above = BIRDS[face]
    return species


def swept(sweep: str, column: Column, species: int) -> tuple[int, ...]:
    """The places of the cards that leave one of the owner's columns when birds of the species have arrived (rules 6).

    `sweep` is the rule book's: "seen_columns" (digital: a column in which the species is visible goes as a whole) or
    "every_card" (opla: every card of the species goes, face-down ones too).
    """
    if sweep == "every_card":
        return tuple([place for place, face in enumerate(column) if SPECIES_OF[face] == species])
    visible = any(SEEN[face] != DOWN and SPECIES_OF[face] == species for face in column)
    return tuple(range(len(column))) if visible else ()


def could_have_arrived(species: int, pile: tuple[int, ...]) -> bool:
    """True if these cards may be an arrival, or the rest of one whose last cards were stolen."""
    if not pile or SPECIES_OF[pile[0]] != species:
        return False
    full = pile + pile[-1:] * (GOAL[species] - len(pile))
    return arriving_species(full, 0, after_move=True) == species


def ends_game(landed: tuple[int, ...]) -> bool:
    """Rules 7: each species is in at least one arrival zone."""
    everyone = 0
    for zone in landed:
        everyone |= zone
    return everyone == ALL_SPECIES
