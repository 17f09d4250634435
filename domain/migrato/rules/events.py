# compiled into rules
"""Events of a game of Migrato. Slots are 0 ... 3 here and 1 ... 4 in documents; cards are faces.

The events of a turn are made by the million, so they are written out as `Value`s; the rest are dataclasses.
"""

from dataclasses import dataclass

from domain.lifecycle import Origin, Seat
from domain.migrato.rules.options import Rules
from domain.value import Value


@dataclass(frozen=True, slots=True)
class GameCreated:
    """The game exists; `deck` is an exact order that was set up, or None; `origin` is what it was forked from.

    `unrated`, `pairing`: as in `Create`.
    """

    game_id: str
    commitment: str
    rules: Rules
    seats: tuple[Seat, ...]
    deck: tuple[int, ...] | None
    origin: Origin | None = None
    unrated: str | None = None
    pairing: str | None = None


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """An open seat is a player's now."""

    seat: int
    player: str
    client_seed: str | None


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The deck was laid down in this order (first card drawn first) and these hands were dealt from it."""

    first_seat: int
    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PositionSet:
    """The game goes on from this position instead of a deal; what comes by seat is in the order of the seats.

    `discarding`: the seat to act has played and is to discard. `landed` and `flights` are bit sets of species.
    """

    discarding: bool
    to_act: int
    turn: int
    shuffles: int
    deck: tuple[int, ...]
    discard_pile: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[tuple[int, ...], ...], ...]
    arrivals: tuple[tuple[tuple[int, ...], ...], ...]
    landed: tuple[int, ...]
    flights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """A seat's last move was taken back: the table is as it was after event `to_version`."""

    seat: int
    to_version: int
    position: PositionSet


class TurnEvent(Value):
    """Events of nearly every turn: one question tells these from all other events."""


class BirdPlayed(TurnEvent):
    """A bird card was added to the column in `slot`, which it may have started."""

    __match_args__ = ("seat", "card", "slot")

    def __init__(self, seat: int, card: int, slot: int) -> None:
        self.seat = seat
        self.card = card
        self.slot = slot


class CardsMoved(TurnEvent):
    """The cards of column `source` from `index` on now lie at the bottom of `target`."""

    __match_args__ = ("seat", "source", "index", "target", "uncover")

    def __init__(self, seat: int, source: int, index: int, target: int, uncover: bool) -> None:
        self.seat = seat
        self.source = source
        self.index = index
        self.target = target
        self.uncover = uncover


class DangerPlayed(TurnEvent):
    """A danger took `card` from the opposing column in `slot` or from the pile of species `pile`."""

    __match_args__ = ("seat", "danger", "slot", "pile", "card")

    def __init__(self, seat: int, danger: int, slot: int | None, pile: int | None, card: int) -> None:
        self.seat = seat
        self.danger = danger
        self.slot = slot
        self.pile = pile
        self.card = card


class BirdsArrived(TurnEvent):
    """The column in `slot` became the pile of its species."""

    __match_args__ = ("seat", "slot", "species", "cards")

    def __init__(self, seat: int, slot: int, species: int, cards: tuple[int, ...]) -> None:
        self.seat = seat
        self.slot = slot
        self.species = species
        self.cards = cards


class ArrivalFailed(TurnEvent):
    """The column in `slot` was turned up, was no flock, and went to the discard pile."""

    __match_args__ = ("seat", "slot", "cards")

    def __init__(self, seat: int, slot: int, cards: tuple[int, ...]) -> None:
        self.seat = seat
        self.slot = slot
        self.cards = cards


class ReturnFlightTaken(TurnEvent):
    """The column in `slot` arrived and was discarded for the species' Return Flight card."""

    __match_args__ = ("seat", "slot", "species", "cards")

    def __init__(self, seat: int, slot: int, species: int, cards: tuple[int, ...]) -> None:
        self.seat = seat
        self.slot = slot
        self.species = species
        self.cards = cards


class ColumnDiscarded(TurnEvent):
    """Cards of the column in `slot`, those at `places`, went to the discard pile.

    `abandoned`: by its player's choice; else swept away by an arrival of their species.
    """

    __match_args__ = ("seat", "slot", "cards", "places", "abandoned")

    def __init__(
        self, seat: int, slot: int, cards: tuple[int, ...], places: tuple[int, ...], abandoned: bool
    ) -> None:
        self.seat = seat
        self.slot = slot
        self.cards = cards
        self.places = places
        self.abandoned = abandoned


class HandExchanged(TurnEvent):
    """The whole hand went to the discard pile."""

    __match_args__ = ("seat", "cards")

    def __init__(self, seat: int, cards: tuple[int, ...]) -> None:
        self.seat = seat
        self.cards = cards


class CardDiscarded(TurnEvent):
    """One hand card went to the discard pile."""

    __match_args__ = ("seat", "card")

    def __init__(self, seat: int, card: int) -> None:
        self.seat = seat
        self.card = card


class CardsDrawn(TurnEvent):
    """Cards came into hand; the turn is over once the hand is full or nothing is left to draw (ruling R4)."""

    __match_args__ = ("seat", "cards")

    def __init__(self, seat: int, cards: tuple[int, ...]) -> None:
        self.seat = seat
        self.cards = cards


class DeckReshuffled(TurnEvent):
    """The discard pile became the deck, in this order (ruling R3)."""

    __match_args__ = ("deck",)

    def __init__(self, deck: tuple[int, ...]) -> None:
        self.deck = deck


@dataclass(frozen=True, slots=True)
class TurnPassed:
    """Nothing was legal (ruling R2)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PlayerResigned:
    """A player gave the game up."""

    seat: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over; `winner` None is a draw (ruling R9)."""

    winner: int | None
    reason: str
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameScored:
    """The scoring worker counted again and found the same."""

    winner: int | None
    scores: tuple[int, ...]


Event = (
    BirdPlayed | CardDiscarded | CardsDrawn | CardsMoved | DangerPlayed | HandExchanged | ColumnDiscarded
    | BirdsArrived | ArrivalFailed | ReturnFlightTaken | DeckReshuffled | TurnPassed | PlayerResigned
    | GameEnded | GameScored | GameCreated | SeatTaken | GameStarted | PositionSet | MovesTakenBack
)  # fmt: skip
