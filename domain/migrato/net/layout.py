# compiled into rules
"""Numbers of the net's inputs; `research/training/kernel/migrato/inputs.hpp` has the same numbers."""

from functools import lru_cache
from typing import Final

from domain.migrato.rules.cards import (
    BIRDS,
    FIRST_DANGER,
    GOAL,
    IS_NIGHT,
    MAX_BIRDS,
    NAME,
    SPECIES,
    SPECIES_OF,
)
from domain.migrato.rules.columns import DeckList

SPECIES_COUNT: Final = len(GOAL)
CLASSES: Final = 5  # of numbers of birds, by species: the most, ... the fewest
KINDS: Final = 38  # of cards: species and phase and class of birds, and the dangers

LEFT: Final = 0  # by kind: what may be drawn
CLOSED: Final = LEFT + KINDS  # by kind: what is known to be the opponent's, hidden
PILE: Final = CLOSED + KINDS  # by kind: the discard pile, when it is soon to be shuffled
DECK: Final = PILE + KINDS
DECK_LIST: Final = DECK + 2  # by species: cards, then birds, beyond those of the standard deck list
OPTIONS: Final = DECK_LIST + 2 * SPECIES_COUNT  # opla, Return Flight, how near the turn limit is
LIMIT: Final = OPTIONS + 3
THEIRS: Final = LIMIT + 8  # by species, length and class of the last card: a column whose species is seen
THEIR_DOWN: Final = THEIRS + SPECIES_COUNT * 6 * CLASSES
THEIR_DARK: Final = THEIR_DOWN + SPECIES_COUNT  # by length: a column all face down
THEIR_COLUMNS: Final = THEIR_DARK + 12
THEIR_HAND: Final = THEIR_COLUMNS + 5
THEIR_PROSPECTS: Final = THEIR_HAND + 4  # by species: points, tempo, hurry
OWN: Final = THEIR_PROSPECTS + 3 * SPECIES_COUNT  # by species, length and class of the last card: a flock
OWN_DAY: Final = OWN + SPECIES_COUNT * 5 * CLASSES
OWN_TOP: Final = OWN_DAY + SPECIES_COUNT
OWN_COLUMNS: Final = OWN_TOP + SPECIES_COUNT * CLASSES
OWN_MUDDLES: Final = OWN_COLUMNS + 5
HAND: Final = OWN_MUDDLES + 5  # by kind
HELD: Final = HAND + KINDS
LANDED: Final = HELD + 5  # by species: by nobody, by the own side, by the other, by both
FLIGHTS: Final = LANDED + 4 * SPECIES_COUNT  # by species: Return Flight card there, own, the opponent's
LEAD: Final = FLIGHTS + 3 * SPECIES_COUNT
LEAD_IS: Final = LEAD + 3  # -8 ... 8
MISSING: Final = LEAD_IS + 17  # by how many species nobody has landed: ahead, even, behind
PROSPECTS: Final = MISSING + 15  # by species: points, tempo, hurry
FITS: Final = PROSPECTS + 3 * SPECIES_COUNT  # by species: 1, 2, 3 hand cards that fit
LAST: Final = FITS + 3 * SPECIES_COUNT  # of the only species that nobody has landed
OPPONENT: Final = LAST + 10  # in training only: the opponent is not the net
INPUTS: Final = OPPONENT + 1

USUAL_SIZE: Final = 54  # cards; LEFT, PILE, DECK and DECK_LIST are told as if every deck list had so many
USUAL_CARDS: Final = (14, 11, 11, 8, 5)  # of the standard deck list, by species
USUAL_BIRDS: Final = (56, 32, 39, 20, 15)


class DeckFacts:
    """Facts of a deck list for the inputs: a card's `kind` by face, `rank` by species and birds (0 for the most),
    the birds that a face-down column is feared to end with, cards and birds by species, and its `size` in cards.
    """

    def __init__(self, deck_list: DeckList) -> None:
        self.size: int = sum([count for _, count in deck_list])
        birds: list[set[int]] = [set() for _ in SPECIES]
        self.hidden_birds: list[int] = [0] * SPECIES_COUNT
        self.cards: list[int] = [0] * SPECIES_COUNT
        self.birds: list[int] = [0] * SPECIES_COUNT
        for face, count in deck_list:
            if face < FIRST_DANGER:
                s = SPECIES_OF[face]
                birds[s].add(BIRDS[face])
                self.cards[s] += count
                self.birds[s] += count * BIRDS[face]
                if IS_NIGHT[face]:
                    self.hidden_birds[s] = max(self.hidden_birds[s], BIRDS[face])
        if self.hidden_birds[0] > 1:  # geese begin with many birds and end with fewer
            self.hidden_birds[0] -= 1
        self.rank: list[list[int]] = [[0] * (MAX_BIRDS + 1) for _ in SPECIES]
        for s, numbers in enumerate(birds):
            for number in range(1, MAX_BIRDS + 1):
                above = sum([other > number for other in numbers])
                self.rank[s][number] = min(4, above * 5 // len(numbers) if len(numbers) > 5 else above)
        self.kind: list[int] = [0]
        for face in range(1, len(NAME)):
            if face >= FIRST_DANGER:
                self.kind.append(KINDS - 3 + face - FIRST_DANGER)
            else:  # a species and phase has as many faces as there are numbers of birds
                self.kind.append((face - 1) // MAX_BIRDS * CLASSES + self.rank[SPECIES_OF[face]][BIRDS[face]])


@lru_cache(maxsize=64)
def facts_of(deck_list: DeckList) -> DeckFacts:
    """The facts of a deck list; shared, not to be changed."""
    return DeckFacts(deck_list)
