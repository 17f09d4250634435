# compiled into rules
"""A game's clock: a fold of its events and their times, which gives every remaining time and every deadline.

Only people's time runs: a bot never loses on time, however long the engine takes to ask it. A turn begins with the
event after which the game has another `turn` or another seat to act. It is charged only for the recorded time from that
event to the event that ends it. A turn that is taken up again, because a move was taken back without a person's
agreement, continues with the time that it had left.
"""

from collections.abc import Sequence
from typing import Final

from domain.clocks.options import ClockOptions
from domain.common_events import clocks as events
from domain.common_events.takebacks import ANSWERED, REQUESTED, TAKEN_BACK
from domain.lifecycle import EventRecord, GameStatus
from domain.value import Value

Outage = tuple[int, int]  # from when to when the store did not answer
Turn = tuple[int, int, int]  # its number, its seat, and the rest of its time

SHORTEST: Final = 2_000  # milliseconds of a turn that an outage must have taken for the time to be given back
ALLOWANCE: Final = 2_000  # milliseconds that are given back in addition, for the player to come back and move


class Clock(Value):
    """A clock in its state after the event that was recorded at `at`.

    `left` is the time of each seat at the beginning of its turn. `turn` and `to_act` identify the present turn.
    `running` is the seat whose time runs, since `since`; None if no time runs. `credit` is the time that outages gave
    back in this turn, up to the outage that ended at `credited_until`. `is_up`: the turn has timed out, and the
    consequence follows. `over` has the turns that may be taken up again, unless each has its time from a bank.
    `agreed`: a person has agreed to the requested takeback.
    """

    __match_args__ = (
        "options", "left", "at", "turn", "to_act", "running", "since", "credit", "credited_until", "is_up",
        "over", "agreed",
    )  # fmt: skip

    def __init__(
        self,
        options: ClockOptions,
        left: tuple[int, ...],
        at: int,
        turn: int = 0,
        to_act: int | None = None,
        running: int | None = None,
        since: int = 0,
        credit: int = 0,
        credited_until: str = "",
        is_up: bool = False,
        over: tuple[Turn, ...] = (),
        agreed: bool = False,
    ) -> None:
        self.options = options
        self.left = left
        self.at = at
        self.turn = turn
        self.to_act = to_act
        self.running = running
        self.since = since
        self.credit = credit
        self.credited_until = credited_until
        self.is_up = is_up
        self.over = over
        self.agreed = agreed

    @property
    def deadline(self) -> int | None:
        """The time at which the seat to act has no time left; None if no time runs."""
        if self.running is None or self.is_up:
            return None
        return self.since + self.left[self.running] + self.credit

    def left_at(self, at: int) -> tuple[int, ...]:
        """The milliseconds that each seat has left at a time."""
        deadline = self.deadline
        return tuple(
            [
                left if seat != self.running else 0 if deadline is None else max(0, deadline - at)
                for seat, left in enumerate(self.left)
            ]
        )


def clock_set(options: ClockOptions, status: GameStatus, at: int) -> Clock:
    """The clock that a game of that status gets at that time."""
    return _told(Clock(options, (options.time,) * len(status.seats), at), None, status, at)


def evolve(clock: Clock, record: EventRecord, status: GameStatus, at: int) -> Clock:
    """The clock after an event that was recorded at that time; `status` is the game's after it."""
    kind = record.type
    if kind == events.UP:
        return clock._replace(at=at, is_up=True)
    if kind == events.CREDIT:
        credit = clock.credit + record.data["milliseconds"]
        return clock._replace(at=at, credit=credit, credited_until=record.data["until"])
    if kind in (REQUESTED, ANSWERED):
        return clock._replace(at=at, agreed=kind == ANSWERED and record.data["agree"] is True)
    if kind == TAKEN_BACK:
        return _taken_back(clock, status, at)
    return _told(clock, record.seat, status, at)


def _taken_back(clock: Clock, status: GameStatus, at: int) -> Clock:
    """The clock after a move was taken back. A turn that begins again has the time that it had left, or its whole time
    if a person agreed to the takeback. In a bank, used time stays used; it gets no increment for turns that are not
    over, neither for the interrupted turn nor for the one that is taken up again.
    """
    after = _told(clock, clock.running, status, at)
    if (after.turn, after.to_act) == (clock.turn, clock.to_act):
        return after
    if not clock.options.is_bank:
        return after._replace(left=_whole(clock), over=()) if clock.agreed else after
    left = list(after.left)
    for seat in (clock.running, after.running):
        if seat is not None:
            left[seat] = max(0, left[seat] - clock.options.increment)
    return after._replace(left=tuple(left))


def _told(clock: Clock, by: int | None, status: GameStatus, at: int) -> Clock:
    """The clock after an act of the seat `by`."""
    to_act = status.to_act if status.status == "playing" else None
    running = to_act if to_act is not None and status.seats[to_act].kind == "human" else None
    is_same_turn = (to_act, status.turn) == (clock.to_act, clock.turn)
    if is_same_turn and running == clock.running:
        return clock._replace(at=at)
    over = _over(clock, status.turn, at)
    if clock.options.is_bank:
        was_taken = by == clock.running or clock.options.is_former
        left = _left_after(clock, at, goes_on=to_act is not None and not is_same_turn and was_taken)
    else:
        left = _left_before(clock, over, status.turn, running)
    return Clock(
        clock.options, left, at, status.turn, to_act, running, at, 0, clock.credited_until, over=over
    )


def _over(clock: Clock, turn: int, at: int) -> tuple[Turn, ...]:
    """The turns that may begin again during that turn: only the last move can be taken back."""
    if clock.options.is_bank or clock.options.is_former:
        return ()
    this = (clock.turn, clock.running)
    over = [one for one in clock.over if one[:2] != this and one[0] >= turn - 1]
    if clock.running is not None:
        over.append((clock.turn, clock.running, _unspent(clock, clock.running, at)))
    return tuple(over)


def _left_before(clock: Clock, over: tuple[Turn, ...], turn: int, running: int | None) -> tuple[int, ...]:
    """Each seat's time when that turn begins or continues, on a clock with a time for each turn."""
    left = list(_whole(clock))
    for number, seat, rest in over:
        if (number, seat) == (turn, running):
            left[seat] = rest
    return tuple(left)


def _left_after(clock: Clock, at: int, *, goes_on: bool) -> tuple[int, ...]:
    """Each seat's bank once the turn is over; the increment is added if the game `goes_on`."""
    seat = clock.running
    if seat is None:
        return clock.left
    left = list(clock.left)
    left[seat] = _unspent(clock, seat, at) + clock.options.increment * goes_on
    return tuple(left)


def _unspent(clock: Clock, seat: int, at: int) -> int:
    """The rest of the time that the seat had at the beginning of its turn."""
    spent = max(0, at - clock.since - clock.credit)
    return 0 if clock.is_up else max(0, clock.left[seat] - spent)


def _whole(clock: Clock) -> tuple[int, ...]:
    """The whole time of a turn, for each seat."""
    return (clock.options.time,) * len(clock.left)


def most_lost(span: int) -> int:
    """The most milliseconds that outages can take from so long a part of a turn, with ALLOWANCE for each outage."""
    return span + span // SHORTEST * ALLOWANCE


def lost(clock: Clock, outages: Sequence[Outage]) -> int:
    """The milliseconds that outages, in their order, took from the turn before its time was up, with ALLOWANCE each."""
    deadline, credit = clock.deadline, 0
    if deadline is None:
        return 0
    for began, ended in outages:
        from_then = max(began, clock.since)
        if from_then < deadline + credit and ended - from_then >= SHORTEST:
            credit += ended - from_then + ALLOWANCE
    return credit
