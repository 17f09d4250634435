"""What a player who forgets nothing knows beyond the table as it lies.

Of the opponent's face-down cards: when each was played, and which faces the rules let it have. Of all hidden cards:
what may have happened to them (see `domain.migrato.belief.hypotheses`). A player knows its own face-down cards by
heart; they stand in the observation itself.
"""

from dataclasses import dataclass
from typing import Final

from domain.migrato.belief import hypotheses as told
from domain.migrato.belief.hypotheses import PLAIN, Pasts, unseen
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, GOAL, IS_NIGHT, SEEN, SPECIES_OF
from domain.migrato.rules.columns import Shape, species_seen
from domain.migrato.rules.events import (
    ArrivalFailed,
    BirdPlayed,
    BirdsArrived,
    CardDiscarded,
    CardsDrawn,
    CardsMoved,
    ColumnDiscarded,
    DangerPlayed,
    DeckReshuffled,
    Event,
    HandExchanged,
    PositionSet,
    ReturnFlightTaken,
)
from domain.migrato.rules.rule_books import SLOTS, Rules
from domain.migrato.rules.state import Player, State, setup_of


@dataclass(frozen=True, slots=True)
class FaceDownCard:
    """An opposing card that was put face down at a `turn`; `may_be` is the bit set of the faces it can have."""

    turn: int
    may_be: int


Burials = tuple[FaceDownCard | None, ...]  # of one column, beside its cards; None for those that lie face up


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a seat remembers: the `burials` of each opposing column, and the `pasts` that may have been."""

    burials: tuple[Burials, ...] = ((),) * SLOTS
    pasts: Pasts = PLAIN


NOTHING: Final = Knowledge()
NIGHT: Final = sum(1 << face for face in range(1, FIRST_DANGER) if IS_NIGHT[face])
OF_SPECIES: Final = tuple(
    sum(1 << face for face in range(1, FIRST_DANGER) if SPECIES_OF[face] == species)
    for species in range(len(GOAL))
)


def update_knowledge(memory: Knowledge, seat: int, before: State, event: Event, after: State) -> Knowledge:
    """What the seat knows after the event; nothing is looked at that it may not see.

    Between the event that adds to a column and the one that tells what it turned out to be, its `may_be` do not hold.
    """
    match event:
        case BirdPlayed(player, card, slot) if player != seat:
            return _played(memory, seat, before, card, slot)
        case CardsMoved(player, source, index, target) if player != seat:
            burials = list(memory.burials)
            burials[target] += burials[source][index:]
            burials[source] = burials[source][:index]
            return Knowledge(tuple(burials), memory.pasts)
        case DangerPlayed():
            return _danger(memory, seat, before, event)
        case CardDiscarded(player, card) if player != seat:
            return _shown(memory, seat, before, (card,))
        case HandExchanged(player, cards) if player != seat:
            return _shown(memory, seat, before, cards)
        case CardsDrawn(player, cards) if player == seat:
            return _drawn(memory, seat, before, cards)
        case BirdsArrived(player, slot, species, cards) if player != seat:
            memory = _turned_up(memory, seat, before, slot, tuple(range(len(cards))), cards)
            return _swept(memory, species) if setup_of(before).rules.sweep == "every_card" else memory
        case (
            ReturnFlightTaken(seat=player, slot=slot, cards=cards)
            | ArrivalFailed(seat=player, slot=slot, cards=cards)
        ) if player != seat:
            return _turned_up(memory, seat, before, slot, tuple(range(len(cards))), cards)
        case ColumnDiscarded(player, slot, cards, places) if player != seat:
            return _turned_up(memory, seat, before, slot, places, cards)
        case DeckReshuffled():
            return _reshuffled(memory, seat, before)
        case PositionSet():
            return _found(seat, after)
        case _:
            return memory


def _found(seat: int, state: State) -> Knowledge:
    """What a seat knows that comes to a position: the table, and that what lies face down flies by night.

    Whoever played before may have known more; nothing of that is taken over, so nothing of it can leak. The places get
    names that no turn has.
    """
    other, rules = state.players[1 - seat], setup_of(state).rules
    may_be = NIGHT
    if rules.sweep == "every_card":  # of a species that landed no card is left (rules 6, opla)
        for species, of_it in enumerate(OF_SPECIES):
            if other.landed >> species & 1:
                may_be &= ~of_it
    burials: list[Burials] = []
    number = 0
    for shape in other.shapes:
        column: list[FaceDownCard | None] = []
        for face in shape:
            if face == DOWN:
                column.append(FaceDownCard(number, may_be))
                number -= 1
            else:
                column.append(None)
        burials.append(tuple(column))
    return Knowledge(tuple(burials))


def _played(memory: Knowledge, seat: int, before: State, card: int, slot: int) -> Knowledge:
    if SEEN[card] != DOWN:
        memory = _shown(memory, seat, before, (card,))
        return _with_column(memory, slot, (*memory.burials[slot], None))
    other = before.players[1 - seat]
    if memory.pasts != PLAIN:
        memory = Knowledge(memory.burials, told.laid_down(memory.pasts, before.turn, len(other.hand)))
    burial = FaceDownCard(before.turn, may_be_laid_down(other, other.shapes[slot], setup_of(before).rules))
    return _with_column(memory, slot, (*memory.burials[slot], burial))


def may_be_laid_down(player: Player, shape: Shape, rules: Rules) -> int:
    """The night cards that the player may put face down there, if the column is not checked upon it (rules 4.1, 6)."""
    faces = rules.placement.fits[shape] & NIGHT
    for species, goal in enumerate(GOAL):
        would_be_checked = goal == len(shape) + 1 and species_seen(shape) is None
        if player.landed >> species & 1 or would_be_checked:
            faces &= ~OF_SPECIES[species]
    return faces


def _danger(memory: Knowledge, seat: int, before: State, event: DangerPlayed) -> Knowledge:
    if event.seat != seat:
        memory = _shown(memory, seat, before, (event.danger,))
        return Knowledge(memory.burials, told.stolen(memory.pasts, event.card))
    if event.slot is None:
        return memory
    bottom = len(memory.burials[event.slot]) - 1
    return _turned_up(memory, seat, before, event.slot, (bottom,), (event.card,))


def _shown(memory: Knowledge, seat: int, before: State, cards: tuple[int, ...]) -> Knowledge:
    """The opponent's hand cards, laid open one after the other."""
    pasts = memory.pasts
    if pasts == PLAIN:
        return memory
    left, held = _left(seat, before), len(before.players[1 - seat].hand)
    for number, card in enumerate(cards):
        pasts = told.shown_from_hand(pasts, card, held - number, left)
        left[card] -= 1
    return Knowledge(memory.burials, pasts)


def _drawn(memory: Knowledge, seat: int, before: State, cards: tuple[int, ...]) -> Knowledge:
    pasts = memory.pasts
    if pasts == PLAIN:
        return memory
    left = _left(seat, before)
    for card in cards:
        pasts = told.drawn(pasts, card, left)
        left[card] -= 1
    return Knowledge(memory.burials, pasts)


def _reshuffled(memory: Knowledge, seat: int, before: State) -> Knowledge:
    held = len(before.players[1 - seat].hand)
    places = [burial.turn for column in memory.burials for burial in column if burial is not None]
    return Knowledge(memory.burials, told.reshuffled(memory.pasts, held, places, _left(seat, before)))


def _turned_up(
    memory: Knowledge, seat: int, before: State, slot: int, places: tuple[int, ...], cards: tuple[int, ...]
) -> Knowledge:
    """The `cards` at these `places` of an opposing column have been seen and are gone from it."""
    column, pasts = memory.burials[slot], memory.pasts
    if pasts != PLAIN:
        left = _left(seat, before)
        for place, card in zip(places, cards, strict=True):
            burial = column[place]
            if burial is not None:
                pasts = told.turned_up(pasts, burial.turn, card, left)
                left[card] -= 1
    kept = tuple([burial for place, burial in enumerate(column) if place not in places])
    return _with_column(Knowledge(memory.burials, pasts), slot, kept)


def _swept(memory: Knowledge, species: int) -> Knowledge:
    """No card of the species is left on that side; those that there were will be shown as they go (rules 6, opla)."""
    burials = tuple(
        [
            tuple(
                [
                    burial and FaceDownCard(burial.turn, burial.may_be & ~OF_SPECIES[species])
                    for burial in column
                ]
            )
            for column in memory.burials
        ]
    )
    return Knowledge(burials, memory.pasts)


def _with_column(memory: Knowledge, slot: int, column: Burials) -> Knowledge:
    burials = memory.burials
    return Knowledge((*burials[:slot], column, *burials[slot + 1 :]), memory.pasts)


def _left(seat: int, state: State) -> list[int]:
    deck = setup_of(state).rules.deck
    return unseen(deck, state.players[seat], state.players[1 - seat], state.discard_pile)
