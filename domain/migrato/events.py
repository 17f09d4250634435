"""What has happened in a game of Migrato. Slots are 0 ... 3 here and 1 ... 4 on the wire; cards are faces."""

from dataclasses import dataclass

from domain.lifecycle import Seat
from domain.migrato.rules import Rules


@dataclass(frozen=True, slots=True)
class GameCreated:
    """The game exists; `deck` is an exact order that was set up, or None."""

    game_id: str
    commitment: str
    rules: Rules
    seats: tuple[Seat, ...]
    deck: tuple[int, ...] | None


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
class BirdPlayed:
    """A bird card was added to the column in `slot`, which it may have started."""

    seat: int
    card: int
    slot: int


@dataclass(frozen=True, slots=True)
class CardsMoved:
    """The cards of column `source` from `index` on now lie at the bottom of `target`."""

    seat: int
    source: int
    index: int
    target: int
    uncover: bool


@dataclass(frozen=True, slots=True)
class DangerPlayed:
    """A danger took `card` from the opposing column in `slot` or from the pile of species `pile`."""

    seat: int
    danger: int
    slot: int | None
    pile: int | None
    card: int


@dataclass(frozen=True, slots=True)
class BirdsArrived:
    """The column in `slot` became the pile of its species."""

    seat: int
    slot: int
    species: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArrivalFailed:
    """The column in `slot` was turned up, was no flock, and went to the discard pile."""

    seat: int
    slot: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReturnFlightTaken:
    """The column in `slot` arrived and was discarded for the species' Return Flight card."""

    seat: int
    slot: int
    species: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ColumnDiscarded:
    """Cards of the column in `slot`, those at `places`, went to the discard pile.

    `abandoned`: by its player's choice; else swept away by an arrival of their species.
    """

    seat: int
    slot: int
    cards: tuple[int, ...]
    places: tuple[int, ...]
    abandoned: bool


@dataclass(frozen=True, slots=True)
class HandExchanged:
    """The whole hand went to the discard pile."""

    seat: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """One hand card went to the discard pile."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """Cards came into hand; the turn is over once the hand is full or nothing is left to draw (ruling R4)."""

    seat: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeckReshuffled:
    """The discard pile became the deck, in this order (ruling R3)."""

    deck: tuple[int, ...]


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
    | GameEnded | GameScored | GameCreated | SeatTaken | GameStarted
)  # fmt: skip
