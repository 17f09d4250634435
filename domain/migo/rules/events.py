# compiled into migo
"""Events of a game of Migo. Faces are numbers (see `cards`), places as in `layouts`.

Imagined games make some events by the million; these are written out as `Value`s, the rest are dataclasses.
"""

from dataclasses import dataclass

from domain.lifecycle import Origin, Seat
from domain.migo.rules.options import Options
from domain.value import Value

Rounds = tuple[tuple[int, ...], ...]  # prepared rounds: the faces by place


class GameCreated(Value):
    """The game exists; `rounds` are those that were prepared, or None; `origin` is what it was forked from.

    `unrated`, `pairing`: as in `Create`.
    """

    __match_args__ = ("game_id", "commitment", "options", "seats", "rounds", "origin", "unrated", "pairing")

    def __init__(
        self,
        game_id: str,
        commitment: str,
        options: Options,
        seats: tuple[Seat, ...],
        rounds: Rounds | None,
        origin: Origin | None = None,
        unrated: str | None = None,
        pairing: str | None = None,
    ) -> None:
        self.game_id = game_id
        self.commitment = commitment
        self.options = options
        self.seats = seats
        self.rounds = rounds
        self.origin = origin
        self.unrated = unrated
        self.pairing = pairing


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """An open seat is a player's now."""

    seat: int
    player: str
    client_seed: str | None


class GameStarted(Value):
    """All seats are taken; `first_seat` starts round 1."""

    __match_args__ = ("first_seat",)

    def __init__(self, first_seat: int) -> None:
        self.first_seat = first_seat


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """Pieces of a player, in a position that is set: faces, tokens, flags; `last`: the take it made last."""

    cards: tuple[int, ...]
    full: int
    empty: int
    flags: int
    last: int


@dataclass(frozen=True, slots=True)
class PositionSet:
    """The game goes on from this position of another one, in the middle of a round.

    `table`: the faces that lie, by place, -1 where none does. `resigned`: seats, in that order. `rounds`: the scores
    and the winner of each round that has ended. `prepared`: the rounds still to be laid out as they were prepared.
    """

    to_act: int
    takes: int
    number: int
    starter: int
    table: tuple[int, ...]
    discarded: tuple[int, ...]
    boxed: tuple[int, ...]
    players: tuple[PlayerStanding, ...]
    resigned: tuple[int, ...]
    rounds: tuple[tuple[tuple[int, ...], int], ...]
    prepared: Rounds


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """A seat's last move was taken back: the table is as it was after event `to_version`."""

    seat: int
    to_version: int
    position: PositionSet


class RoundStarted(Value):
    """Round `number` was laid out: `cards` are the faces by place, `boxed` those that take no part.

    `turned`: the cards (their numbers) that were turned to a climber, because they showed a sherpa that could be taken.
    """

    __match_args__ = ("number", "layout", "starter", "cards", "turned", "boxed")

    def __init__(
        self,
        number: int,
        layout: str,
        starter: int,
        cards: tuple[int, ...],
        turned: tuple[int, ...],
        boxed: tuple[int, ...],
    ) -> None:
        self.number = number
        self.layout = layout
        self.starter = starter
        self.cards = cards
        self.turned = turned
        self.boxed = boxed


class CardTaken(Value):
    """The card at `place` lies before the player with this face up."""

    __match_args__ = ("seat", "place", "face")

    def __init__(self, seat: int, place: int, face: int) -> None:
        self.seat = seat
        self.place = place
        self.face = face


class BottleGained(Value):
    """The player took a bottle token, full side up."""

    __match_args__ = ("seat",)

    def __init__(self, seat: int) -> None:
        self.seat = seat


class SherpaDismissed(Value):
    """The sherpa that was taken was discarded."""

    __match_args__ = ("seat", "face")

    def __init__(self, seat: int, face: int) -> None:
        self.seat = seat
        self.face = face


class CardFlipped(Value):
    """A card of the player was turned over; `face` is the one that is up now."""

    __match_args__ = ("seat", "face")

    def __init__(self, seat: int, face: int) -> None:
        self.seat = seat
        self.face = face


class BottleDrunk(Value):
    """A token was turned to empty: the player plays again."""

    __match_args__ = ("seat",)

    def __init__(self, seat: int) -> None:
        self.seat = seat


class RoundEnded(Value):
    """Every card was taken; the winner takes a flag."""

    __match_args__ = ("number", "scores", "winner")

    def __init__(self, number: int, scores: tuple[int, ...], winner: int) -> None:
        self.number = number
        self.scores = scores
        self.winner = winner


@dataclass(frozen=True, slots=True)
class PlayerResigned:
    """A player gave the game up."""

    seat: int


class GameEnded(Value):
    """The game is over. `places` by seat; `flags` and the sums of all `scores` too."""

    __match_args__ = ("places", "reason", "flags", "scores")

    def __init__(
        self, places: tuple[int, ...], reason: str, flags: tuple[int, ...], scores: tuple[int, ...]
    ) -> None:
        self.places = places
        self.reason = reason
        self.flags = flags
        self.scores = scores


@dataclass(frozen=True, slots=True)
class GameScored:
    """The scoring worker counted again and found the same."""

    places: tuple[int, ...]


Event = (
    CardTaken | BottleGained | SherpaDismissed | CardFlipped | BottleDrunk | RoundEnded | RoundStarted
    | PlayerResigned | GameEnded | GameScored | GameCreated | SeatTaken | GameStarted | PositionSet
    | MovesTakenBack
)  # fmt: skip
