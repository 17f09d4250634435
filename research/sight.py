"""The table as somebody sees it, in words and in numbers; built field by field, so that nothing hidden passes."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.lifecycle import Viewer
from domain.migrato.rules.cards import (
    BIRDS,
    DOWN,
    IS_NIGHT,
    LONGEST_COLUMN,
    MAX_BIRDS,
    NAME,
    SPECIES,
    SPECIES_IDS,
    SPECIES_OF,
)
from domain.migrato.rules.columns import Column
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS, SLOTS
from domain.migrato.rules.state import DISCARD, WAITING, Player, State, score, setup_of

FACES: Final = len(NAME) - 1  # card c is number c - 1 in a count of faces
PLACE: Final = ("taken", "face down", "birds", *SPECIES_IDS)  # what the numbers of a place in a column say
# The numbers by name and shape, each from 0 to 1. Of two sides the own comes first.
SHAPES: Final = {
    "turn": (
        5,
    ),  # seat 0's view, seat 1's view, it is the viewer's turn, a discard is due, share of the turn limit
    "cards": (1 + SEATS,),  # share of the deck list in the deck, of a full hand in each hand
    "hand": (FACES,),  # own cards of a face, of a full hand
    "discard_pile": (FACES,),  # cards of a face, of those in the deck list
    "columns": (SEATS, SLOTS, LONGEST_COLUMN, len(PLACE)),
    "piles": (SEATS, len(SPECIES), LONGEST_COLUMN, 2),  # birds and night, from the bottom card to the top
    "flights": (SEATS, len(SPECIES)),  # Return Flight cards taken
}
SIZE: Final = sum(int(np.prod(shape)) for shape in SHAPES.values())

Numbers = NDArray[np.float32]


def pieces(flat: Numbers) -> dict[str, Numbers]:
    """The parts of `SIZE` numbers by name and in their shapes, sharing their memory."""
    parts, at = {}, 0
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        parts[name] = flat[at : at + size].reshape(shape)
        at += size
    return parts


def fill(parts: dict[str, Numbers], state: State, seat: int, viewer: Viewer, recalls: bool) -> None:
    """Write the table from the side of `seat` with what `viewer` (that seat or None) may see into pieces of zeros.

    `recalls`: with the viewer's own face-down cards.
    """
    if state.phase is WAITING:
        return
    rules, sides = setup_of(state).rules, (state.players[seat], state.players[1 - seat])
    parts["turn"][seat] = 1
    parts["turn"][2:] = (state.to_act == seat, state.phase is DISCARD, _turn_share(state.turn, rules))
    parts["cards"][:] = (len(state.deck) / len(rules.deck), *(len(side.hand) / HAND_SIZE for side in sides))
    if viewer is not None:
        for card in sides[0].hand:
            parts["hand"][card - 1] += 1 / HAND_SIZE
    copies = dict(rules.deck_list)
    for card in state.discard_pile:
        parts["discard_pile"][card - 1] += 1 / copies[card]
    for number, side in enumerate(sides):
        _fill_side(parts, number, side, _columns(side, viewer == seat and recalls and number == 0))


def _turn_share(turn: int, rules: Rules) -> float:
    return min(1.0, turn / rules.turn_limit) if rules.turn_limit else 0.0


def _columns(side: Player, recalls: bool) -> tuple[Column, ...]:
    """The columns as everybody sees them, or with the faces of what lies face down."""
    return side.columns if recalls else side.shapes


def _fill_side(parts: dict[str, Numbers], number: int, side: Player, columns: tuple[Column, ...]) -> None:
    for slot, column in enumerate(columns):
        for place, card in enumerate(column):
            numbers = parts["columns"][number, slot, place]
            numbers[:3] = (1, IS_NIGHT[card], BIRDS[card] / MAX_BIRDS)
            if card != DOWN:
                numbers[3 + SPECIES_OF[card]] = 1
    for species, pile in enumerate(side.arrivals):
        for place, card in enumerate(pile):
            parts["piles"][number, species, place] = (BIRDS[card] / MAX_BIRDS, IS_NIGHT[card])
    parts["flights"][number] = [side.flights >> species & 1 for species in range(len(SPECIES))]


def described(state: State, viewer: Viewer, recalls: bool) -> str:
    """The table in a few lines of text, as fill() would show it; without a viewer as a spectator sees it."""
    if state.phase is WAITING:
        return "The cards have not been dealt."
    rules = setup_of(state).rules
    if state.result is not None:
        due = f"over, {state.result.reason}"
    else:
        due = f"seat {state.to_act} to {'discard' if state.phase is DISCARD else 'act'}"
    return "\n".join(
        [
            f"turn {state.turn}: {due}",
            f"deck: {len(state.deck)}",
            f"discard pile: {_names(state.discard_pile)}",
            *(_side(state, rules, seat, viewer == seat, recalls) for seat in range(SEATS)),
        ]
    )


def held(state: State, seat: int) -> str:
    """The seat's own side in words, with the faces of what lies face down."""
    if state.phase is WAITING:
        return "The cards have not been dealt."
    return _side(state, setup_of(state).rules, seat, own=True, recalls=True)


def _side(state: State, rules: Rules, seat: int, own: bool, recalls: bool) -> str:
    side = state.players[seat]
    columns = _columns(side, own and recalls)
    written = [f"column {slot}: {_places(column)}" for slot, column in enumerate(columns, 1) if column]
    written += [f"{SPECIES_IDS[s]}: {_names(pile)}" for s, pile in enumerate(side.arrivals) if pile]
    written += [f"return flight: {species.id}" for s, species in enumerate(SPECIES) if side.flights >> s & 1]
    hand = _names(tuple(sorted(side.hand))) if own else " ".join("?" * len(side.hand))
    return "; ".join([f"seat {seat}, {score(side, rules)} points: hand {hand}", *written])


def _places(column: Column) -> str:
    """Cards in a column, known cards that lie face down in brackets."""
    return " ".join(
        NAME[card] if card == DOWN or not IS_NIGHT[card] else f"({NAME[card]})" for card in column
    )


def _names(cards: tuple[int, ...]) -> str:
    return " ".join([NAME[card] for card in cards])
