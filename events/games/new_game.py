"""What a game is created from, and what its creator is told once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.lifecycle import Json, Seat
from events.games.fork_source import ForkSource
from events.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game to be set up. `options` as given (the game fills in defaults), `deck` an exact order of faces.

    `remotes` tells for each remote seat the URL of its bot, and the secret, or None for a new one. A `fork` has its
    options from the game that it goes on from.
    """

    game: str = "migrato"
    options: Json = field(default_factory=dict)
    seats: tuple[Seat, ...] = (Seat("human"), Seat("bot", bot="greedy"))
    visibility: str = "private"
    deck: tuple[str, ...] | None = None
    remotes: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)
    fork: ForkSource | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A new game with what is never to be had again: the tokens of its human seats, the new secrets of remote ones."""

    snapshot: Snapshot
    tokens: Mapping[int, str]
    secrets: Mapping[int, str] = field(default_factory=dict)
