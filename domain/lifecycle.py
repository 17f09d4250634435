"""What every game has in common: its seats, how it stands, and the commands that are no moves."""

from dataclasses import dataclass
from typing import Any, NamedTuple

Json = dict[str, Any]
Viewer = int | None  # a seat, or None for a spectator


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there. `kind` is "human", "open" (not taken yet) or "bot"; `client_seed` goes into every shuffle."""

    kind: str
    player: str | None = None
    bot: str | None = None
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended; `winner` None is a draw. `scored`: the scoring worker has confirmed it."""

    winner: int | None
    reason: str
    scores: tuple[int, ...]
    scored: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What anybody may ask of any game. `status` is "waiting", "playing" or "finished"; `to_act` a seat or None."""

    status: str
    seats: tuple[Seat, ...]
    turn: int
    to_act: int | None
    rated: bool
    setup: bool
    options: Json
    result: Result | None
    commitment: str


class Wire(NamedTuple):
    """An event as it is stored: whole and JSON-ready, named by its type and the schema version of its data."""

    type: str
    schema: int
    seat: int | None
    data: Json


@dataclass(frozen=True, slots=True)
class Create:
    """Set a game up. `options` as the caller gave them (defaults are filled in), `deck` an exact order of faces."""

    game_id: str
    commitment: str
    options: Json
    seats: tuple[Seat, ...]
    deck: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down on an open seat."""

    seat: int
    player: str
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Confirm the result of a game that has ended."""
