# compiled into rules
"""Decisions about clocks: commands, judged at a given time, become events, and late acts are refused."""

from dataclasses import dataclass
from typing import Any, assert_never

from domain.clocks.clock import Clock
from domain.clocks.options import FORFEIT, ClockOptions, options_document
from domain.common_events import clocks as events
from domain.errors import DomainError
from domain.game import Game, Records, Rules


@dataclass(frozen=True, slots=True)
class SetClock:
    """Give a new game its clock."""

    options: ClockOptions


@dataclass(frozen=True, slots=True)
class RunOut:
    """The time of the seat to act is up. `deadline`: the clock's, in RFC 3339."""

    deadline: str


@dataclass(frozen=True, slots=True)
class CreditTime:
    """Give the seat to act time back that outages took; the last outage ended at `until` (RFC 3339)."""

    milliseconds: int
    until: str


ClockCommand = SetClock | RunOut | CreditTime


def decide(game: Game, state: Any, clock: Clock | None, command: ClockCommand, at: int) -> list[Any]:
    """The events that the command causes in the game; DomainError "conflict" if it is not due.

    A turn whose time is up forfeits the game immediately: the seat comes last, together with those that have resigned,
    and the others share the first place. The process that recorded the end of the time decides the further consequences
    next.
    """
    match command:
        case SetClock(options):
            if clock is not None:
                raise DomainError("conflict", "The game has a clock already.")
            return [_event(game, events.ClockSet(options_document(options), options.schema))]
        case RunOut(deadline):
            seat, up = _turn(clock)
            assert clock is not None
            if at < up:
                raise DomainError("conflict", "There is time left.")
            when_up = clock.options.when_up
            timed_out = _event(game, events.TurnTimedOut(seat, deadline, when_up))
            if when_up != FORFEIT:
                return [timed_out]
            return [timed_out, game.ended(state, forfeited(game, state, seat), events.REASON)]
        case CreditTime(milliseconds, until):
            seat, _ = _turn(clock)
            assert clock is not None
            if milliseconds <= 0 or until <= clock.credited_until:
                raise DomainError("conflict", "This was given back before.")
            return [_event(game, events.ClockCredited(seat, milliseconds, until))]
        case _:
            assert_never(command)


def _turn(clock: Clock | None) -> tuple[int, int]:
    """The seat whose time runs, and its deadline; DomainError "conflict" if no time runs."""
    deadline = None if clock is None else clock.deadline
    if clock is None or clock.running is None or deadline is None:
        raise DomainError("conflict", "Nobody's time runs.")
    return clock.running, deadline


def forfeited(game: Game, state: Any, seat: int) -> tuple[int, ...]:
    """The places by seat if that seat moves no more, such as when its time is up."""
    seats = range(len(game.status(state).seats))
    playing = [other for other in seats if other != seat and not has_left(game, state, other)]
    return tuple([1 if one in playing else 1 + len(playing) for one in seats])


def has_left(game: Rules, state: Any, seat: int) -> bool:
    """True if the seat has resigned while others play on: every other seat can resign at any time."""
    no_chance: Any = None  # resigning needs no chance
    try:
        game.decide(state, seat, game.parse_move({"type": "resign"}), no_chance)
    except DomainError as refusal:
        return refusal.code == "illegal-move"
    return False


def _event(game: Records, event: events.ClockEvent) -> Any:
    return game.decode(events.encode(event))


def time_is_up(seat: int | None, deadline: str) -> DomainError:
    """The refusal of an act of the seat to act at its deadline or later."""
    return DomainError("time-is-up", f"The time of seat {seat} was up at {deadline}.", deadline=deadline)
