"""How chance lays a round out (rules 2): which shuffle gives what, so that anybody can recompute it.

A shuffle is one of `domain.chance`, by its number. Cards are the numbers 0 (E01) to 24 (E25).

1. The face that each card shows before round 1 (ruling M4): for card c, the shuffle 100 + c of (0, 1); if 1 comes
   first, the back is up.
2. What is turned over before a later round r: the cards of the previous round in ascending order, in the shuffle
   10 r + 1; the first half of them, rounded down. A card has the face that was up when the previous round ended, a card
   from the box the one that was up when it was put there.
3. The order of the cards in round r: the shuffle 10 r of all 25. They are laid out in the order of the places; those
   that are left go to the box. So what is boxed needs no shuffle of its own.
4. What shows a sherpa where it can be taken at the start is turned to its climber.

Where a round is prepared nothing is drawn; what it does not use goes to the box as it lies, before round 1 with the
front up.
"""

from collections.abc import Sequence
from typing import Final

from domain.chance import Chance
from domain.migo.rules.cards import CARDS, SHERPA, CardTable
from domain.migo.rules.layouts import Layout

ROUND: Final = 10
TURNED: Final = 1
FACE: Final = 100
ALL: Final = tuple(range(CARDS))
COIN: Final = (0, 1)
FRONTS: Final = tuple([2 * card for card in range(CARDS)])

Seeds = Sequence[str | None]


def first_faces(chance: Chance, seeds: Seeds) -> tuple[int, ...]:
    """The face of every card before round 1."""
    return tuple([2 * card + chance.shuffled(FACE + card, COIN, seeds)[0] for card in range(CARDS)])


def later_faces(
    number: int, used: Sequence[int], boxed: Sequence[int], chance: Chance, seeds: Seeds
) -> tuple[int, ...]:
    """The face of every card before round `number`; `used` are those of the previous round as they were at its end."""
    cards = tuple(sorted([face >> 1 for face in used]))
    turned = chance.shuffled(ROUND * number + TURNED, cards, seeds)[: len(cards) // 2]
    faces = [0] * CARDS
    for face in (*used, *boxed):
        faces[face >> 1] = face
    for card in turned:
        faces[card] ^= 1
    return tuple(faces)


def laid_out(
    number: int, size: int, faces: Sequence[int], chance: Chance, seeds: Seeds
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The faces by place, and those in the box."""
    order = chance.shuffled(ROUND * number, ALL, seeds)
    cards = tuple([faces[card] for card in order])
    return cards[:size], cards[size:]


def without_free_sherpas(
    cards: tuple[int, ...], layout: Layout, table: CardTable
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The cards by place, sherpas that could be taken turned to their climbers; and the numbers of those."""
    laid, turned = list(cards), list[int]()
    for place in layout.start:
        if table.kinds[laid[place]] == SHERPA:
            laid[place] ^= 1
            turned.append(laid[place] >> 1)
    return tuple(laid), tuple(turned)
