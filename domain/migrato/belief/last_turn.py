# compiled into rules
"""The opponent's last turn as the seat saw it: it hints at the cards that the opponent held."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.migrato.belief.face_down import FaceDownColumn, FaceDownColumns
from domain.migrato.rules.cards import DOWN, SEEN
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
    GameStarted,
    HandExchanged,
    MovesTakenBack,
    PositionSet,
    ReturnFlightTaken,
    TurnPassed,
)
from domain.migrato.rules.moves import ABANDONS, EXCHANGE, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.state import Player, State


class LastTurn(NamedTuple):
    """A turn, and what the seat saw of the table when it began: `me`, `other`, so many cards in the `deck`, the pile.

    A face-down card is named by the turn in which it was put there: at most one is, a turn. `put_down`: by slot and
    row, those turns for the opponent's cards, None for those that lay face up. `move`: the action, with the slot where
    its cards came to lie, DOWN for a card that was played face down. `shown`: the hand cards that were laid open, the
    `discard` included. `stolen`: the card that was taken. `returned`: whether the column that arrived took a Return
    Flight card, None where none arrived. `drawn`: how many cards were drawn at the end. `turned_up`: the face-down
    cards that were seen since the turn began, each with its face.
    """

    turn: int
    me: Player
    other: Player
    deck: int
    discard_pile: tuple[int, ...]
    put_down: tuple[tuple[int | None, ...], ...]
    move: Move
    shown: tuple[int, ...]
    stolen: int | None
    returned: bool | None = None
    discard: int | None = None
    drawn: int = 0
    turned_up: tuple[tuple[int, int], ...] = ()


def as_seen(player: Player) -> Player:
    """A side as its opponent sees it: DOWN for every hand card and every face-down card."""
    return Player(
        hand=(DOWN,) * len(player.hand),
        columns=player.shapes,
        shapes=player.shapes,
        arrivals=player.arrivals,
        landed=player.landed,
        flights=player.flights,
    )


def followed(
    last: LastTurn | None, seat: int, before: State, event: Event, face_down: FaceDownColumns
) -> LastTurn | None:
    """The opponent's last turn, so far, after the event; `face_down` is what the seat knew before it.

    None where no turn tells anything: before the first, after a pass, a position that was set, or a move that the
    opponent took back, and once the discard pile has become the deck, for then what was drawn can be anything.
    """
    match event:
        case DeckReshuffled() | PositionSet() | GameStarted() | TurnPassed():
            return None
        case MovesTakenBack(player) if player != seat:
            return None
        case BirdPlayed(player, card, slot) if player != seat:
            shown = () if SEEN[card] == DOWN else (card,)
            return _begun(seat, before, face_down, Play(SEEN[card], slot), shown)
        case CardsMoved(player, source, index, target, uncover) if player != seat:
            return _begun(seat, before, face_down, MoveCards(source, index, target, uncover))
        case DangerPlayed(player, danger, slot, pile, card) if player != seat:
            return _begun(seat, before, face_down, PlayDanger(danger, slot, pile), (danger,), card)
        case HandExchanged(player, cards) if player != seat:
            return _begun(seat, before, face_down, EXCHANGE, cards)
        case ColumnDiscarded(player, slot, cards, rows, True) if player != seat:
            begun = _begun(seat, before, face_down, ABANDONS[slot])
            return begun and _turned_up(begun, face_down[slot], rows, cards)
    return last and _went_on(last, seat, event, face_down)


def _begun(
    seat: int,
    before: State,
    face_down: FaceDownColumns,
    move: Move,
    shown: tuple[int, ...] = (),
    stolen: int | None = None,
) -> LastTurn | None:
    """The turn that begins with the move; None if the seat remembers too little of the opponent's columns."""
    other = before.players[1 - seat]
    for known, shape in zip(face_down, other.shapes, strict=True):
        if len(known) != len(shape):
            return None
    return LastTurn(
        before.turn,
        before.players[seat],
        as_seen(other),
        len(before.deck),
        before.discard_pile,
        tuple([tuple([card.turn if card else None for card in column]) for column in face_down]),
        move,
        shown,
        stolen,
    )


def _went_on(last: LastTurn, seat: int, event: Event, face_down: FaceDownColumns) -> LastTurn:
    """The turn after one more event: one that followed from its action, or a theft by the seat."""
    match event:
        case CardDiscarded(player, card) if player != seat:
            return last._replace(shown=(*last.shown, card), discard=card)
        case CardsDrawn(player, cards) if player != seat:
            return last._replace(drawn=last.drawn + len(cards))
        case BirdsArrived(player, slot, _, cards) if player != seat:
            return _turned_up(last._replace(returned=False), face_down[slot], range(len(cards)), cards)
        case ReturnFlightTaken(player, slot, _, cards) if player != seat:
            return _turned_up(last._replace(returned=True), face_down[slot], range(len(cards)), cards)
        case ArrivalFailed(player, slot, cards) if player != seat:
            return _turned_up(last, face_down[slot], range(len(cards)), cards)
        case ColumnDiscarded(player, slot, cards, rows) if player != seat:
            return _turned_up(last, face_down[slot], rows, cards)
        case DangerPlayed(player, _, slot, _, card) if player == seat and slot is not None:
            return _turned_up(last, face_down[slot], (len(face_down[slot]) - 1,), (card,))
        case _:
            return last


def _turned_up(
    last: LastTurn, column: FaceDownColumn, rows: Sequence[int], cards: tuple[int, ...]
) -> LastTurn:
    """The turn after these cards of the column were seen; those that lay face up tell nothing new."""
    seen = list(last.turned_up)
    for row, card in zip(rows, cards, strict=True):
        card_down = column[row]
        if card_down is not None:
            seen.append((card_down.turn, card))
    return last._replace(turned_up=tuple(seen))
