# compiled into rules
"""The cards that may yet be drawn, as far as a player knows."""

from collections import Counter
from typing import Final

from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import BIRDS, DOWN, FIRST_DANGER, GOAL, SPECIES_OF
from domain.migrato.rules.options import Rules

Supply = list[
    list[tuple[int, int, float]]
]  # by species: (birds, cards left, chance that a draw is one of them)
RESHUFFLE_NEAR: Final = (
    12  # with fewer cards in the deck, the discard pile begins to count as what will be drawn
)


def unseen(observation: Observation) -> dict[int, int]:
    """Number of cards of each face that the player cannot place: they are in the deck or hidden at the opponent's."""
    left = dict(observation.rules.deck_list)
    piles = (
        *observation.me.columns,
        *observation.other.columns,
        *observation.me.arrivals,
        *observation.other.arrivals,
    )
    for cards in (observation.me.hand, observation.discard_pile, *piles):
        for card in cards:
            if card != DOWN:
                left[card] -= 1
    return left


def supply(observation: Observation) -> Supply:
    """Cards that may yet be drawn, most birds first: unseen ones, and near the end of the deck discarded ones."""
    again = max(0.0, 1 - observation.deck / RESHUFFLE_NEAR)
    kinds: list[dict[int, tuple[int, float]]] = [{} for _ in GOAL]
    left = unseen(observation)
    sources = [(left, 1 - again)]
    if again and observation.discard_pile:
        sources.append((Counter(observation.discard_pile), again))
    for cards, share in sources:
        of_one = share / max(1, sum(cards.values()))
        for face, number in cards.items():
            if number and face < FIRST_DANGER:
                kind = kinds[SPECIES_OF[face]]
                before, chance = kind.get(BIRDS[face], (0, 0.0))
                kind[BIRDS[face]] = (before + number, chance + number * of_one)
    return [sorted(((birds, *of) for birds, of in kind.items()), reverse=True) for kind in kinds]


def most_points(rules: Rules, species: int) -> int:
    """Score of the best flock of the species that the deck allows: the birds on its last card."""
    birds = sorted((BIRDS[face] for face in rules.deck if SPECIES_OF[face] == species), reverse=True)
    return birds[GOAL[species] - 1]
