"""The parts of a game on the base: its first event, its state, a move, and what a seat observes."""

from dataclasses import dataclass
from typing import Any, Final

from domain.lifecycle import Json, Origin, Result, Seat

CREATED: Final = frozenset(
    ("id", "game", "commitment", "options", "seats", "setup", "origin", "unrated_because", "pairing", "seals")
)
"""What the first event of every game has; whatever else it has was prepared."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move as it was posted."""

    document: Json


@dataclass(frozen=True, slots=True)
class Observation:
    """Observation of a seat: the position as it sees it, and its moves."""

    seat: int
    view: Json
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A game as its events have made it; `position` is None before the deal, `prepared` None in a fair game."""

    game_id: str = ""
    commitment: str = ""
    options: Json = None  # type: ignore[assignment]  # before the first event
    seats: tuple[Seat, ...] = ()
    prepared: Json | None = None
    origin: Origin | None = None
    position: Any = None
    turn: int = 0
    result: Result | None = None
    unrated: str | None = None
    pairing: str | None = None
