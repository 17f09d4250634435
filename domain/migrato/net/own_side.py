# compiled into rules
"""A player's own side after an action, exactly as the rules have it: a player knows its own face-down cards."""

from typing import Final, NamedTuple

from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import BIRDS
from domain.migrato.rules.columns import (
    Column,
    arriving_species,
    checked_after_move,
    checked_after_play,
    shape_of,
    swept,
)
from domain.migrato.rules.moves import RETURN, MoveCards, Play
from domain.migrato.rules.state import without


class OwnSide(NamedTuple):
    """Hand, columns and landings; `lead` is the own score less the opponent's."""

    hand: tuple[int, ...]
    columns: tuple[Column, ...]
    landed: int
    flights: int
    lead: int


def after_action(observation: Observation, side: OwnSide, move: Play | MoveCards) -> OwnSide:
    """The side after a bird was played or cards were moved, arrivals included."""
    columns, hand = list(side.columns), side.hand
    if isinstance(move, Play):
        slot = columns.index(()) if move.slot is None else move.slot
        hand = without(hand, move.card)
        columns[slot] += (move.card,)
        checked = checked_after_play(columns[slot])
    else:
        slot = columns.index(()) if move.target is None else move.target
        going = columns[move.source][move.index :]
        columns[move.source] = columns[move.source][: move.index]
        columns[slot] += going
        checked = move.target is not None and checked_after_move(shape_of(columns[slot]), move.uncover)
    if not checked:
        return OwnSide(hand, tuple(columns), side.landed, side.flights, side.lead)
    return _checked(observation, side, hand, columns, slot, move)


def _checked(
    observation: Observation,
    side: OwnSide,
    hand: tuple[int, ...],
    columns: list[Column],
    slot: int,
    move: Play | MoveCards,
) -> OwnSide:
    """The side when the column in `slot` has been turned up (rules 6, 8)."""
    column, columns[slot] = columns[slot], _NONE
    species = arriving_species(column, side.landed, isinstance(move, MoveCards))
    if species is None:
        return OwnSide(hand, tuple(columns), side.landed, side.flights, side.lead)
    rules = observation.rules
    if move.on_arrival == RETURN and observation.flights_left >> species & 1:
        points = rules.flight_points[species]
        return OwnSide(hand, tuple(columns), side.landed, side.flights | 1 << species, side.lead + points)
    for number, other in enumerate(columns):
        places = swept(rules.sweep, other, species)
        if places:
            columns[number] = tuple([face for at, face in enumerate(other) if at not in places])
    lead = side.lead + BIRDS[column[-1]]
    return OwnSide(hand, tuple(columns), side.landed | 1 << species, side.flights, lead)


_NONE: Final[Column] = ()
