"""Order of a new game, and the tokens that only its creator gets, once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.lifecycle import Json, Seat
from domain.registry import DEFAULT_GAME
from events.engine.fork_source import ForkSource
from events.log.game_secrets import OPEN
from events.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game to be set up. The game fills in what `options` leave out, and its usual seats where none are given.

    `setup`: the prepared cards (see `Create`); None if chance deals.

    `remotes`: for each remote seat the URL of its bot, and its secret, or None for a new secret. `fork`: the state to
    go on from; the options are those of its game. `clock`: as `domain.clocks.options` reads it; None for no clock.
    `rematch_of`: the game whose recorded options these are. `first_origin`: as in `Secrets`. `rated` is false if the
    game must not count for any player. `pairing` says who brought the players together (`PAIRINGS`); None if they did
    so themselves. `selective` if one of them limited the rating of the other.
    """

    game: str = DEFAULT_GAME
    options: Json = field(default_factory=dict)
    seats: tuple[Seat, ...] = ()
    visibility: str = "private"
    joining: str = OPEN
    setup: Json | None = None
    remotes: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)
    fork: ForkSource | None = None
    clock: Json | None = None
    rematch_of: str | None = None
    first_origin: str | None = None
    rated: bool = True
    pairing: str | None = None
    selective: bool = False


@dataclass(frozen=True, slots=True)
class Created:
    """A new game with its secrets, which only this answer shows: the tokens of human seats, and the new secrets of
    remote seats.
    """

    snapshot: Snapshot
    tokens: Mapping[int, str]
    secrets: Mapping[int, str] = field(default_factory=dict)
