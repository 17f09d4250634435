# compiled into rules
"""Knowledge of a player who forgets nothing, beyond the table as it lies.

Of the opponent's face-down cards: when each was played, and which faces the rules let it have. Of all hidden cards:
what may have happened to them (see `domain.migrato.belief.hypotheses`). Of the opponent: what it did in its last turn
(see `domain.migrato.belief.last_turn`). A player knows its own face-down cards by heart; they stand in the observation
itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.migrato.belief.face_down import FaceDownCard, FaceDownColumn
from domain.migrato.belief.hypotheses import (
    UNINFORMED,
    Hypotheses,
    drawn,
    laid_down,
    picked_up,
    reshuffled,
    shown_from_hand,
    stolen,
    turned_up,
    unseen,
)
from domain.migrato.belief.last_turn import LastTurn, followed
from domain.migrato.rules.cards import DOWN, FIRST_DANGER, GOAL, IS_NIGHT, SEEN, SPECIES_OF
from domain.migrato.rules.columns import Column, Shape, species_seen
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
    MovesTakenBack,
    PositionSet,
    ReturnFlightTaken,
)
from domain.migrato.rules.options import Rules
from domain.migrato.rules.rule_books import SLOTS
from domain.migrato.rules.state import Player, State, setup_of


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A seat's knowledge: the `face_down` cards of each opposing column, the `hypotheses` of what has happened, and the
    opponent's `last_turn`.
    """

    face_down: tuple[FaceDownColumn, ...] = ((),) * SLOTS
    hypotheses: Hypotheses = UNINFORMED
    last_turn: LastTurn | None = None


NOTHING: Final = Knowledge()
NIGHT: Final = sum(1 << face for face in range(1, FIRST_DANGER) if IS_NIGHT[face])
OF_SPECIES: Final = tuple(
    sum(1 << face for face in range(1, FIRST_DANGER) if SPECIES_OF[face] == species)
    for species in range(len(GOAL))
)


def update_knowledge(knowledge: Knowledge, seat: int, before: State, event: Event, after: State) -> Knowledge:
    """Knowledge of the seat after the event; the function looks at nothing that the seat may not see.

    Between the event that adds to a column and the one that tells what it turned out to be, its `may_be` do not hold.
    """
    cards = _cards_after(knowledge, seat, before, event, after)
    last_turn = followed(knowledge.last_turn, seat, before, event, knowledge.face_down)
    if last_turn is cards.last_turn:
        return cards
    return Knowledge(cards.face_down, cards.hypotheses, last_turn)


def _cards_after(knowledge: Knowledge, seat: int, before: State, event: Event, after: State) -> Knowledge:
    """Knowledge of the seat after the event, as far as it concerns the cards."""
    match event:
        case BirdPlayed(player, card, slot) if player != seat:
            return _played(knowledge, seat, before, card, slot)
        case CardsMoved(player, source, index, target) if player != seat:
            face_down = list(knowledge.face_down)
            face_down[target] += face_down[source][index:]
            face_down[source] = face_down[source][:index]
            return Knowledge(tuple(face_down), knowledge.hypotheses)
        case DangerPlayed():
            return _danger(knowledge, seat, before, event)
        case CardDiscarded(player, card) if player != seat:
            return _shown(knowledge, seat, before, (card,))
        case HandExchanged(player, cards) if player != seat:
            return _shown(knowledge, seat, before, cards)
        case CardsDrawn(player, cards) if player == seat:
            return _drawn(knowledge, seat, before, cards)
        case BirdsArrived(player, slot, species, cards) if player != seat:
            knowledge = _turned_up(knowledge, seat, before, slot, tuple(range(len(cards))), cards)
            return _swept(knowledge, species) if setup_of(before).rules.sweep == "every_card" else knowledge
        case (
            ReturnFlightTaken(seat=player, slot=slot, cards=cards)
            | ArrivalFailed(seat=player, slot=slot, cards=cards)
        ) if player != seat:
            return _turned_up(knowledge, seat, before, slot, tuple(range(len(cards))), cards)
        case ColumnDiscarded(player, slot, cards, places) if player != seat:
            return _turned_up(knowledge, seat, before, slot, places, cards)
        case DeckReshuffled():
            return _reshuffled(knowledge, seat, before)
        case PositionSet():
            return _found(seat, after)
        case MovesTakenBack(player) if player != seat:
            return _taken_back(knowledge, before.players[player].columns, after.players[player].columns)
        case _:
            return knowledge


def _found(seat: int, state: State) -> Knowledge:
    """Knowledge of a seat that comes to a position: the table, and that all face-down cards fly by night.

    The player before may have known more; nothing of that is taken over, so nothing of it can leak. The places get
    names that no turn has.
    """
    other, rules = state.players[1 - seat], setup_of(state).rules
    may_be = NIGHT
    if rules.sweep == "every_card":  # of a species that landed no card is left (rules 6, opla)
        for species, of_it in enumerate(OF_SPECIES):
            if other.landed >> species & 1:
                may_be &= ~of_it
    face_down: list[FaceDownColumn] = []
    number = 0
    for shape in other.shapes:
        column: list[FaceDownCard | None] = []
        for face in shape:
            if face == DOWN:
                column.append(FaceDownCard(number, may_be))
                number -= 1
            else:
                column.append(None)
        face_down.append(tuple(column))
    return Knowledge(tuple(face_down))


def _taken_back(knowledge: Knowledge, before: Sequence[Column], after: Sequence[Column]) -> Knowledge:
    """Knowledge of the seat before the opponent's last move, of which nobody has learnt anything: cards were moved from
    one column to another, one was put face down, or a column was given up in which all lay open. How many cards lie in
    each column, before and after, tells which.
    """
    face_down, hypotheses = list(knowledge.face_down), knowledge.hypotheses
    moved: FaceDownColumn = ()
    for slot, (now, then) in enumerate(zip(before, after, strict=True)):
        if len(then) < len(now):
            face_down[slot], moved = face_down[slot][: len(then)], face_down[slot][len(then) :]
    longer = [
        slot for slot, (now, then) in enumerate(zip(before, after, strict=True)) if len(then) > len(now)
    ]
    for slot in longer:
        back = len(after[slot]) - len(before[slot])
        face_down[slot] += moved if len(moved) == back else (None,) * back
    if moved and not longer and moved[0] is not None and hypotheses != UNINFORMED:
        hypotheses = picked_up(hypotheses, moved[0].turn)
    return Knowledge(tuple(face_down), hypotheses)


def _played(knowledge: Knowledge, seat: int, before: State, card: int, slot: int) -> Knowledge:
    if SEEN[card] != DOWN:
        knowledge = _shown(knowledge, seat, before, (card,))
        return _with_column(knowledge, slot, (*knowledge.face_down[slot], None))
    other = before.players[1 - seat]
    if knowledge.hypotheses != UNINFORMED:
        knowledge = Knowledge(
            knowledge.face_down, laid_down(knowledge.hypotheses, before.turn, len(other.hand))
        )
    card_down = FaceDownCard(before.turn, may_be_laid_down(other, other.shapes[slot], setup_of(before).rules))
    return _with_column(knowledge, slot, (*knowledge.face_down[slot], card_down))


def may_be_laid_down(player: Player, shape: Shape, rules: Rules) -> int:
    """The night cards that the player may put face down there, if the column is not checked upon it (rules 4.1, 6)."""
    faces = rules.placement.fits[shape] & NIGHT
    for species, goal in enumerate(GOAL):
        would_be_checked = goal == len(shape) + 1 and species_seen(shape) is None
        if player.landed >> species & 1 or would_be_checked:
            faces &= ~OF_SPECIES[species]
    return faces


def _danger(knowledge: Knowledge, seat: int, before: State, event: DangerPlayed) -> Knowledge:
    if event.seat != seat:
        knowledge = _shown(knowledge, seat, before, (event.danger,))
        return Knowledge(knowledge.face_down, stolen(knowledge.hypotheses, event.card))
    if event.slot is None:
        return knowledge
    bottom = len(knowledge.face_down[event.slot]) - 1
    return _turned_up(knowledge, seat, before, event.slot, (bottom,), (event.card,))


def _shown(knowledge: Knowledge, seat: int, before: State, cards: tuple[int, ...]) -> Knowledge:
    """The opponent's hand cards, laid open one after the other."""
    hypotheses = knowledge.hypotheses
    if hypotheses == UNINFORMED:
        return knowledge
    left, held = _left(seat, before), len(before.players[1 - seat].hand)
    for number, card in enumerate(cards):
        hypotheses = shown_from_hand(hypotheses, card, held - number, left)
        left[card] -= 1
    return Knowledge(knowledge.face_down, hypotheses)


def _drawn(knowledge: Knowledge, seat: int, before: State, cards: tuple[int, ...]) -> Knowledge:
    hypotheses = knowledge.hypotheses
    if hypotheses == UNINFORMED:
        return knowledge
    left = _left(seat, before)
    for card in cards:
        hypotheses = drawn(hypotheses, card, left)
        left[card] -= 1
    return Knowledge(knowledge.face_down, hypotheses)


def _reshuffled(knowledge: Knowledge, seat: int, before: State) -> Knowledge:
    held = len(before.players[1 - seat].hand)
    places = [
        card_down.turn for column in knowledge.face_down for card_down in column if card_down is not None
    ]
    return Knowledge(knowledge.face_down, reshuffled(knowledge.hypotheses, held, places, _left(seat, before)))


def _turned_up(
    knowledge: Knowledge, seat: int, before: State, slot: int, places: tuple[int, ...], cards: tuple[int, ...]
) -> Knowledge:
    """The `cards` at these `places` of an opposing column have been seen and are gone from it."""
    column, hypotheses = knowledge.face_down[slot], knowledge.hypotheses
    if hypotheses != UNINFORMED:
        left = _left(seat, before)
        for place, card in zip(places, cards, strict=True):
            card_down = column[place]
            if card_down is not None:
                hypotheses = turned_up(hypotheses, card_down.turn, card, left)
                left[card] -= 1
    kept = tuple([card_down for place, card_down in enumerate(column) if place not in places])
    return _with_column(Knowledge(knowledge.face_down, hypotheses), slot, kept)


def _swept(knowledge: Knowledge, species: int) -> Knowledge:
    """Knowledge once the species is swept: no face-down card is of it; cards that go are shown (rules 6, opla)."""
    face_down = tuple(
        [
            tuple(
                [
                    card_down and FaceDownCard(card_down.turn, card_down.may_be & ~OF_SPECIES[species])
                    for card_down in column
                ]
            )
            for column in knowledge.face_down
        ]
    )
    return Knowledge(face_down, knowledge.hypotheses)


def _with_column(knowledge: Knowledge, slot: int, column: FaceDownColumn) -> Knowledge:
    face_down = knowledge.face_down
    return Knowledge((*face_down[:slot], column, *face_down[slot + 1 :]), knowledge.hypotheses)


def _left(seat: int, state: State) -> list[int]:
    deck = setup_of(state).rules.deck
    return unseen(deck, state.players[seat], state.players[1 - seat], state.discard_pile)
