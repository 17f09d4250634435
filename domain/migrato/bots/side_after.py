# compiled into rules
"""A player's own side after a move, as the bots `greedy` and `heuristic` foresee it."""

from dataclasses import dataclass
from itertools import pairwise

from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import BIRDS, SPECIES_OF
from domain.migrato.rules.columns import (
    Column,
    arriving_species,
    checked_after_move,
    checked_after_play,
    shape_of,
)
from domain.migrato.rules.moves import RETURN, Abandon, MoveCards, Play


@dataclass(frozen=True, slots=True)
class SideAfter:
    """Own `columns` and `landed` species after a move, the points it brings, the cards it throws away."""

    columns: tuple[Column, ...]
    landed: int
    points: int = 0
    lost: int = 0


def side_after(observation: Observation, move: Play | MoveCards | Abandon) -> SideAfter:
    """The own side after the move, arrivals included."""
    me = observation.me
    columns = list(me.columns)
    if isinstance(move, Abandon):
        lost, columns[move.slot] = len(columns[move.slot]), ()
        return SideAfter(tuple(columns), me.landed, lost=lost)
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
        return SideAfter(tuple(columns), me.landed)
    return _after_check(observation, columns, slot, isinstance(move, MoveCards), move.on_arrival == RETURN)


def _after_check(
    observation: Observation, columns: list[Column], slot: int, after_move: bool, returns: bool
) -> SideAfter:
    column, columns[slot] = columns[slot], ()
    species = arriving_species(column, observation.me.landed, after_move)
    if species is None:
        return SideAfter(tuple(columns), observation.me.landed, lost=len(column))
    if returns and observation.flights_left >> species & 1:
        return SideAfter(
            tuple(columns), observation.me.landed, points=observation.rules.flight_points[species]
        )
    kept = tuple(() if _thought_swept(other, species) else other for other in columns)
    return SideAfter(kept, observation.me.landed | 1 << species, points=BIRDS[column[-1]])


def _thought_swept(column: Column, species: int) -> bool:
    """True if an arrival is thought to take the column: if it has any card of the species.

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
