"""What a player's own side would look like after a move, by what that player knows; the ground bots judge on."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import BIRDS, DOWN, FIRST_DANGER, GOAL, SPECIES_OF
from domain.migrato.rules.columns import (
    Column,
    arriving_species,
    checked_after_move,
    checked_after_play,
    shape_of,
)
from domain.migrato.rules.moves import RETURN, Abandon, MoveCards, Play
from domain.migrato.rules.rule_books import Rules

Supply = list[
    list[tuple[int, int, float]]
]  # by species: (birds, cards left, chance that a draw is one of them)
RESHUFFLE_NEAR = 12  # with fewer cards in the deck, the discard pile begins to count as what will be drawn


@dataclass(frozen=True, slots=True)
class Outlook:
    """Own `columns` and `landed` species after a move, the points it brings, the cards it throws away."""

    columns: tuple[Column, ...]
    landed: int
    points: int = 0
    lost: int = 0


def outlook(seen: Observation, move: Play | MoveCards | Abandon) -> Outlook:
    """The own side after the move, arrivals included."""
    me = seen.me
    columns = list(me.columns)
    if isinstance(move, Abandon):
        lost, columns[move.slot] = len(columns[move.slot]), ()
        return Outlook(tuple(columns), me.landed, lost=lost)
    if isinstance(move, Play):
        slot = columns.index(()) if move.slot is None else move.slot
        columns[slot] = (*columns[slot], move.card)
        checked = checked_after_play(columns[slot])
    else:
        slot = columns.index(()) if move.target is None else move.target
        going = columns[move.source][move.index :]
        columns[move.source] = columns[move.source][: move.index]
        columns[slot] += going
        checked = move.target is not None and checked_after_move(shape_of(columns[slot]), move.uncover)
    if not checked:
        return Outlook(tuple(columns), me.landed)
    return _after_check(seen, columns, slot, isinstance(move, MoveCards), move.on_arrival == RETURN)


def _after_check(
    seen: Observation, columns: list[Column], slot: int, after_move: bool, returns: bool
) -> Outlook:
    column, columns[slot] = columns[slot], ()
    species = arriving_species(column, seen.me.landed, after_move)
    if species is None:
        return Outlook(tuple(columns), seen.me.landed, lost=len(column))
    if returns and seen.flights_left >> species & 1:
        return Outlook(tuple(columns), seen.me.landed, points=seen.rules.flight_points[species])
    kept = tuple(() if _thought_swept(other, species) else other for other in columns)
    return Outlook(kept, seen.me.landed | 1 << species, points=BIRDS[column[-1]])


def _thought_swept(column: Column, species: int) -> bool:
    """Whether an arrival is thought to take the column: if it has any card of the species.

    That is simpler than either rule book (`columns.swept`): digital spares columns whose cards of the species lie face
    down, opla spares other species' cards. It matters for 4 % of the arrivals that are possible in digital games of
    `heuristic`, hardly ever in opla. The rule itself would need new versions of `greedy` and `heuristic`, because
    recorded moves are found again by the version that made them.
    """
    return any(SPECIES_OF[card] == species for card in column)


def flock(column: Column) -> int | None:
    """The one species of a never increasing column, or None for a muddle."""
    species = SPECIES_OF[column[0]]
    pure = all(SPECIES_OF[card] == species for card in column)
    falling = all(BIRDS[a] >= BIRDS[b] for a, b in pairwise(column))
    return species if pure and falling else None


def unseen(seen: Observation) -> dict[int, int]:
    """How many cards of each face the player cannot place: they are in the deck or hidden at the opponent's."""
    left = dict(seen.rules.deck_list)
    piles = (*seen.me.columns, *seen.other.columns, *seen.me.arrivals, *seen.other.arrivals)
    for cards in (seen.me.hand, seen.discard_pile, *piles):
        for card in cards:
            if card != DOWN:
                left[card] -= 1
    return left


def supply(seen: Observation) -> Supply:
    """What may yet be drawn, most birds first: what is unseen, and near the end of the deck what was discarded."""
    again = max(0.0, 1 - seen.deck / RESHUFFLE_NEAR)
    kinds: list[dict[int, tuple[int, float]]] = [{} for _ in GOAL]
    left = unseen(seen)
    sources = [(left, 1 - again)]
    if again and seen.discard_pile:
        sources.append((Counter(seen.discard_pile), again))
    for cards, share in sources:
        of_one = share / max(1, sum(cards.values()))
        for face, number in cards.items():
            if number and face < FIRST_DANGER:
                kind = kinds[SPECIES_OF[face]]
                before, chance = kind.get(BIRDS[face], (0, 0.0))
                kind[BIRDS[face]] = (before + number, chance + number * of_one)
    return [sorted(((birds, *of) for birds, of in kind.items()), reverse=True) for kind in kinds]


def most_points(rules: Rules, species: int) -> int:
    """What the best flock of the species that the deck allows would score: the birds on its last card."""
    birds = sorted((BIRDS[face] for face in rules.deck if SPECIES_OF[face] == species), reverse=True)
    return birds[GOAL[species] - 1]


def without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The hand with one card of that face less."""
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]
