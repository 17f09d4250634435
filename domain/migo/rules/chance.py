# compiled into migo
"""Layout of a round by chance (rules 2): the order of its shuffles, so that anybody can recompute it.

A shuffle is one of `domain.chance`, by its number. Cards are the numbers 0 (E01) to 24 (E25), faces 0 (E01a) to 49
(E25b).

1. Round 1: the shuffle 10 of all 50 faces. Of the two faces of a card the one that comes first is up (ruling M4), and
   the cards lie in the order of these. Both orders of two faces are as likely, whatever the others do: so every card
   is as likely to show its back as its front, and every order of the cards is as likely as another.
2. What is turned over before a later round r: the cards of the previous round in ascending order, in the shuffle
   10 r + 1; the first half of them, rounded down. A card has the face that was up when the previous round ended, a card
   from the box the one that was up when it was put there.
3. The order of the cards in a later round r: the shuffle 10 r of all 25.
4. The cards are laid out in the order of the places; those that are left go to the box. So what is boxed needs no
   shuffle of its own.
5. What shows a sherpa where it can be taken at the start is turned to its climber.

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
ALL: Final = tuple(range(CARDS))
FACES: Final = tuple(range(2 * CARDS))
FRONTS: Final = FACES[::2]

Seeds = Sequence[str | None]


def first_order(chance: Chance, seeds: Seeds) -> tuple[int, ...]:
    """The face of every card, in the order in which round 1 is laid out."""
    seen, order = 0, list[int]()
    for face in chance.shuffled(ROUND, FACES, seeds):
        card = 1 << (face >> 1)
        if not seen & card:
            seen |= card
            order.append(face)
    return tuple(order)


def later_order(
    number: int, used: list[int], boxed: tuple[int, ...], chance: Chance, seeds: Seeds
) -> tuple[int, ...]:
    """The face of every card, in the order in which round `number`, a later one, is laid out; `used`: the faces
    that were up at the end of the previous round.
    """
    cards = tuple(sorted([face >> 1 for face in used]))
    turned = chance.shuffled(ROUND * number + TURNED, cards, seeds)[: len(cards) // 2]
    faces = [0] * CARDS
    for face in used:
        faces[face >> 1] = face
    for face in boxed:
        faces[face >> 1] = face
    for card in turned:
        faces[card] ^= 1
    return tuple([faces[card] for card in chance.shuffled(ROUND * number, ALL, seeds)])


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
