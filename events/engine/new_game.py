"""Order for a new game, and the tokens that its creator gets once."""

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

    `setup`: cards that are prepared instead of left to chance (see `Create`).

    `remotes` tells for each remote seat the URL of its bot, and the secret, or None for a new one. A `fork` has its
    options from the game that it goes on from. `clock`: as `domain.clocks.options` reads it; None for no clock.
    `rematch_of` is the game whose options, as recorded, these are. `first_origin`: as in `Secrets`. `rated` is false if
    the game is not to count for any players; `pairing`: who has brought the players together, if not they themselves
    (`PAIRINGS`); `selective` where one of them has said by ratings who the other may be.
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
    """A new game with its secrets, which are shown only once: the tokens of human seats, the new secrets of
    remote seats.
    """

    snapshot: Snapshot
    tokens: Mapping[int, str]
    secrets: Mapping[int, str] = field(default_factory=dict)
