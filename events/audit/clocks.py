# compiled into recording
"""A game's clock, kept again from the recorded times: every deadline follows from them; nothing else is believed."""

from typing import Any, Final

from domain.clocks import clock as clocks
from domain.clocks.clock import SHORTEST, Clock, most_lost
from domain.clocks.decide import ClockCommand, CreditTime, RunOut, SetClock, decide
from domain.clocks.options import BOT, recorded_options
from domain.common_events.clocks import FORMER_SET, INSTEAD, SET, SET_SCHEMA
from domain.errors import DomainError
from domain.game import Game
from domain.interventions import Decision
from domain.lifecycle import (
    Create,
    EventRecord,
    GameStatus,
    Json,
    PlayBotMove,
    ReissueToken,
    ReplacePlayer,
    Score,
    TakeSeat,
)
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import ReadEvent
from events.times import milliseconds_of, time_of

CHECK: Final = "clocks"
NOT_UP: Final = "A bot moves because the seat's time is up, and it was not."
NOT_FORMER: Final = "The clock has the form of former releases, but the game is newer."
TOO_MUCH: Final = "More time is given back than outages can have taken."
FORMER: Final = "the clock counts as those of former releases: that the game is so old, the engine says"
_AT_ANY_TIME: Final = (
    Create,
    TakeSeat,
    ReissueToken,
    Score,
    Decision,
)


class Clocks:
    """The clock of one game; every method may raise CheckFailed."""

    def __init__(self, game: Game, counts: CheckCounts) -> None:
        self._game = game
        self._counts = counts
        self._created = (0, "")  # the last event of the creation, and its time
        self._at = 0
        self._is_former = False
        self._credits: list[int] = []
        self._ahead = 0  # of these, those for an outage that ended later than the credit was recorded
        self.clock: Clock | None = None

    def created(self, events: int, event: ReadEvent) -> None:
        """Note that the game was created, by so many events."""
        self._created = (events, event.at)
        self._is_former = may_be_former(event.data)

    def check(self, event: ReadEvent, command: Any) -> None:
        """A command that is decided again."""
        clock, version, at = self.clock, event.version, event.at
        if clock is None:
            if isinstance(command, PlayBotMove) and command.fallback == INSTEAD:
                raise CheckFailed(CHECK, version, NOT_UP, None, at)
            return
        self._at = milliseconds_of(at)
        if self._at < clock.at:
            what = "The event is earlier than the one before it, in a game with a clock."
            raise CheckFailed(CHECK, version, what, time_of(clock.at), at)
        if clock.is_up:
            self._check_consequence(clock, event, command)
            return
        if isinstance(command, PlayBotMove) and command.fallback == INSTEAD:
            raise CheckFailed(CHECK, version, NOT_UP, None, at)
        deadline = clock.deadline
        if deadline is None or _is_for_any_time(command):
            return
        if self._at >= deadline:
            what = f"Seat {clock.running} acts when its time is up."
            raise CheckFailed(CHECK, version, what, f"before {time_of(deadline)}", at)
        self._counts.passed(CHECK)

    def _check_consequence(self, clock: Clock, event: ReadEvent, command: Any) -> None:
        """Check that the consequence of time that is up comes at once, and is the clock's."""
        options, found = clock.options, event.type
        if options.when_up == BOT:
            right = isinstance(command, PlayBotMove) and (command.fallback, command.bot) == (
                INSTEAD,
                options.bot,
            )
        else:
            right = isinstance(command, ReplacePlayer) and (command.seat, command.bot) == (
                clock.running,
                options.bot,
            )
        if not right:
            what = "Time is up, but the consequence is not the one that the clock names."
            expected = {"when_up": options.when_up, "bot": options.bot}
            raise CheckFailed(CHECK, event.version, what, expected, found)

    def decided(self, state: Any, event: ReadEvent, command: ClockCommand) -> list[Any]:
        """The events of a command about the clock itself."""
        version, at = event.version, event.at
        self._at = milliseconds_of(at)
        if isinstance(command, SetClock):
            if (version - 1, at) != self._created:
                raise CheckFailed(CHECK, version, "The clock is set later than at the game's creation.")
            if event.schema == FORMER_SET and not self._is_former:
                raise CheckFailed(CHECK, version, NOT_FORMER, SET_SCHEMA, event.schema)
        elif isinstance(command, RunOut):
            self._check_time(event, command)
        try:
            events = decide(self._game, state, self.clock, command, self._at)
        except DomainError as refusal:
            raise CheckFailed(CHECK, version, refusal.detail, None, event.type) from None
        if isinstance(command, CreditTime):
            self._check_outage(version, command)
            self._credits.append(command.milliseconds)
            self._ahead += command.until > at
        self._counts.passed(CHECK)
        return events

    def _check_time(self, event: ReadEvent, command: RunOut) -> None:
        """Check that the time of the seat to act was up, at the deadline that the event names."""
        deadline = None if self.clock is None else self.clock.deadline
        found = f"{command.deadline}, at {event.at}"
        if deadline is None:
            raise CheckFailed(CHECK, event.version, "Time is up while nobody's time runs.", None, found)
        expected = _text_of(deadline)
        if self._at < deadline or command.deadline != expected:
            raise CheckFailed(
                CHECK,
                event.version,
                "The event says that the seat's time was up, and it was not.",
                expected,
                found,
            )

    def _check_outage(self, version: int, command: CreditTime) -> None:
        """Check that the outage took time from this very turn."""
        assert self.clock is not None
        earliest = self.clock.since + SHORTEST
        if milliseconds_of(command.until) < earliest:
            what = "Time is given back for an outage that took none from this turn."
            raise CheckFailed(CHECK, version, what, f"{_text_of(earliest)} or later", command.until)
        least, most = most_lost(SHORTEST), most_lost(milliseconds_of(command.until) - self.clock.since)
        in_turn = self.clock.credit + command.milliseconds
        if command.milliseconds < least or in_turn > most:
            found = f"{in_turn} ms in this turn"
            raise CheckFailed(CHECK, version, TOO_MUCH, f"{least} to {most} ms, in all of the turn", found)

    def happened(self, record: EventRecord, status: GameStatus) -> None:
        """Keep the clock on after an event, which has led to that status of the game."""
        if self.clock is None and record.type == SET:
            self.clock = clocks.clock_set(recorded_options(record.data, record.schema), status, self._at)
        elif self.clock is not None:
            self.clock = clocks.evolve(self.clock, record, status, self._at)

    def end(self, version: int) -> None:
        """End the check: no more events come."""
        if self.clock is not None and self.clock.is_up:
            raise CheckFailed(CHECK, version, "A seat's time was up, but the consequence does not follow.")
        if self._credits:
            often = "once" if len(self._credits) == 1 else f"{len(self._credits)} times"
            seconds = sum(self._credits) / 1000
            ahead = (
                f"; {self._ahead} before the outage was over, by the file's own times" if self._ahead else ""
            )
            self._counts.remark("outages", f"seats got time back {often}, {seconds:.1f} s in all{ahead}")
        if self.clock is not None and self.clock.options.is_former:
            self._counts.remark("options", FORMER)


def may_be_former(created: Json) -> bool:
    """True if a game with this first event may have a clock of former releases: nothing says that the game is newer.

    First events of newer games tell the versions of bots, and why a game does not count for ratings.
    """
    seats = created.get("seats")
    told = type(seats) is list and any(type(seat) is dict and "version" in seat for seat in seats)
    return not told and "unrated_because" not in created


def _text_of(deadline: int) -> str:
    """A deadline as text, even one beyond the year 9999."""
    try:
        return time_of(deadline)
    except (OverflowError, ValueError):  # compiled or not, after the year 9999
        return f"{deadline} ms after 1970"


def _is_for_any_time(command: Any) -> bool:
    """True if no deadline holds for the command; deadlines hold for moves and hints."""
    return isinstance(command, (*_AT_ANY_TIME, ClockCommand))
