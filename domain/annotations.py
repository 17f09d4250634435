# compiled into recording
"""Events of every game that change nothing in it: how a bot came to its move, a hint that was given, a fork that a seat
made of the running game, a new token of a seat, and the events of clocks and takebacks (`domain.common_events`).

The first two hold what reproduces the move: the bot and its version, the iterations that its search really did (None
for a bot that does not search), and the seed of its chance. These data would reveal something about the bot's hand: a
search ends sooner if there is little choice. So they are hidden from everybody, including the bot's own seat, until the
game is over. The others hide nothing: everybody may see that another person may play the seat now, how much time there
is, and which seat asks for or allows a takeback.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from domain.common_events import clocks as clock_events
from domain.common_events import takebacks as takeback_events
from domain.common_events.clocks import ClockCredited, ClockSet, TurnTimedOut
from domain.common_events.takebacks import TakebackAnswered, TakebackRequested
from domain.errors import DomainError
from domain.lifecycle import (
    EventRecord,
    GameStatus,
    Json,
    PlayBotMove,
    ReissueToken,
    TakeHint,
    TellFork,
    must_allow_help,
    must_be_playing,
    must_be_to_act,
)
from domain.value import Value

SCHEMA: Final = 1
BEFORE_A_MOVE: Final = "move_chosen"
NEW_HOLDER: Final = "seat_token_reissued"
FORKED: Final = "game_forked"


class MoveChosen(Value):
    """A bot has chosen the move whose events follow; see `PlayBotMove`."""

    __match_args__ = ("seat", "bot", "version", "budget", "seed", "fallback", "replaces")

    def __init__(
        self,
        seat: int,
        bot: str,
        version: str,
        budget: Json | None,
        seed: str | None,
        fallback: str | None,
        replaces: str | None,
    ) -> None:
        self.seat = seat
        self.bot = bot
        self.version = version
        self.budget = budget
        self.seed = seed
        self.fallback = fallback
        self.replaces = replaces


@dataclass(frozen=True, slots=True)
class HintGiven:
    """The seat got a hint: the move of a bot in its place; see `TakeHint`."""

    seat: int
    bot: str
    version: str
    budget: Json | None
    seed: str


@dataclass(frozen=True, slots=True)
class GameForked:
    """The seat has a fork of the game, in which it may ask bots for any move; see `TellFork`."""

    seat: int
    version: int


@dataclass(frozen=True, slots=True)
class SeatTokenReissued:
    """The seat has a new token; the old one is void."""

    seat: int


Annotation = (
    MoveChosen | HintGiven | GameForked | SeatTokenReissued | ClockSet | TurnTimedOut | ClockCredited
    | TakebackRequested | TakebackAnswered
)  # fmt: skip


def move_chosen(seat: int, chosen: PlayBotMove, caused: Sequence[Any]) -> list[Any]:
    """Events of a bot's move: those that the move itself caused, after the one that tells how it was chosen."""
    how = MoveChosen(
        seat, chosen.bot, chosen.version, chosen.budget, chosen.seed, chosen.fallback, chosen.replaces
    )
    return [how, *caused]


def hint_given(status: GameStatus, seat: int | None, hint: TakeHint) -> list[Any]:
    """The event of a hint, which only a person's seat gets, and only when it is to act; DomainError otherwise."""
    to_act = must_be_to_act(status, seat)
    if status.seats[to_act].kind != "human":
        raise DomainError("not-found", f"Seat {to_act} gets no hints: no person plays it.")
    must_allow_help(status)
    return [HintGiven(to_act, hint.bot, hint.version, hint.budget, hint.seed)]


def game_forked(status: GameStatus, seat: int | None, fork: TellFork) -> list[Any]:
    """The event of a fork of the running game, which a person's seat makes for itself; DomainError for any
    other seat.
    """
    must_be_playing(status)
    if seat is None or status.seats[seat].kind != "human":
        raise DomainError("not-found", f"Seat {seat} forks nothing: no person plays it.")
    must_allow_help(status)
    return [GameForked(seat, fork.version)]


def token_reissued(status: GameStatus, reissue: ReissueToken) -> list[Any]:
    """The event of a new token, which a person's seat can get while the game is not over; DomainError otherwise."""
    if not 0 <= reissue.seat < len(status.seats) or status.seats[reissue.seat].kind != "human":
        raise DomainError("not-found", f"Seat {reissue.seat} has no token: nobody plays it by one.")
    if status.status == "finished":
        raise DomainError("game-over", "The game is over: there is nothing left to play.")
    return [SeatTokenReissued(reissue.seat)]


def encode(event: Annotation) -> EventRecord:
    """The event as it is stored."""
    if isinstance(event, MoveChosen):
        chosen = {
            "bot": event.bot,
            "version": event.version,
            "budget": event.budget,
            "seed": event.seed,
            "fallback": event.fallback,
            "replaces": event.replaces,
        }
        return _record(BEFORE_A_MOVE, event.seat, chosen)
    match event:
        case HintGiven():
            bot, version, budget, seed = event.bot, event.version, event.budget, event.seed
            given = {"bot": bot, "version": version, "budget": budget, "seed": seed}
            return _record("hint_given", event.seat, given)
        case GameForked():
            return _record(FORKED, event.seat, {"version": event.version})
        case SeatTokenReissued():
            return _record(NEW_HOLDER, event.seat, {})
        case ClockSet() | TurnTimedOut() | ClockCredited():
            return clock_events.encode(event)
        case TakebackRequested() | TakebackAnswered():
            return takeback_events.encode(event)
        case _:
            assert_never(event)


def _record(kind: str, seat: int, data: Json) -> EventRecord:
    return EventRecord(kind, SCHEMA, seat, data)


def decode(record: EventRecord) -> Annotation | None:
    """The event that was stored; None if it is no annotation."""
    kind, schema, seat, data = record.type, record.schema, record.seat, record.data
    if seat is None or schema != SCHEMA:
        return clock_events.decode(record) if kind == clock_events.SET else None
    if kind == "move_chosen":
        return MoveChosen(
            seat,
            data["bot"],
            data["version"],
            data["budget"],
            data["seed"],
            data["fallback"],
            data["replaces"],
        )
    if kind == "hint_given":
        return HintGiven(seat, data["bot"], data["version"], data["budget"], data["seed"])
    if kind == FORKED:
        return GameForked(seat, data["version"])
    if kind == NEW_HOLDER:
        return SeatTokenReissued(seat)
    return clock_events.decode(record) or takeback_events.decode(record)


def redact(record: EventRecord) -> tuple[Json, list[str]] | None:
    """The event's data as everybody sees them while the game runs, and the names of the hidden fields; None if the
    event is no annotation.
    """
    public = _PUBLIC.get(record.type)
    if public is None:
        return None
    hidden = sorted(name for name, value in record.data.items() if name not in public and value is not None)
    return {name: None if name in hidden else value for name, value in record.data.items()}, hidden


_PUBLIC: Final[dict[str, frozenset[str]]] = {
    "move_chosen": frozenset(("bot", "version", "fallback", "replaces")),
    "hint_given": frozenset(("bot", "version")),
    FORKED: frozenset(("version",)),
    NEW_HOLDER: frozenset(),
    clock_events.SET: frozenset(("kind", "seconds", "increment", "days", "when_up", "bot")),
    clock_events.UP: frozenset(("deadline", "when_up")),
    clock_events.CREDIT: frozenset(("milliseconds", "until")),
    takeback_events.REQUESTED: frozenset(("to_version",)),
    takeback_events.ANSWERED: frozenset(("agree",)),
}
