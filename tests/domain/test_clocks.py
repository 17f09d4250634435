"""Clocks by themselves: what can be asked for, what a turn costs, what an outage gives back."""

from dataclasses import replace
from typing import Any

import pytest

from domain.clocks.clock import ALLOWANCE, SHORTEST, Clock, clock_set, evolve, lost
from domain.clocks.options import (
    BANK,
    CORRESPONDENCE,
    DAY,
    PER_MOVE,
    TIME_CLASSES,
    ClockOptions,
    options_document,
    options_of,
    recorded_options,
    time_class,
)
from domain.common_events.clocks import FORMER_SET, SET_SCHEMA, ClockCredited, TurnTimedOut, encode
from domain.lifecycle import EventRecord, GameStatus, Seat
from domain.registry import GAMES
from tests.domain.table import refusal

MIGO = GAMES["migo"]
MOVED = EventRecord("card_taken", 1, 0, {})
OTHER_MOVED = EventRecord("card_taken", 1, 1, {})
PEOPLE = (Seat("human"), Seat("human"))


def status(
    turn: int, to_act: int | None, seats: tuple[Seat, ...] = PEOPLE, how: str = "playing"
) -> GameStatus:
    return GameStatus(how, seats, turn, to_act, True, False, {}, None, "")


def bank(seconds: int, increment: int = 0) -> ClockOptions:
    return recorded_options({"kind": BANK, "seconds": seconds, "increment": increment})


MINUTE = {"kind": PER_MOVE, "seconds": 60}
WRONG: tuple[tuple[Any, str], ...] = (
    ({}, "clock.kind"),
    ({"kind": "hourglass", "seconds": 5}, "clock.kind"),
    ({"kind": ["bank"]}, "clock.kind"),
    ({"kind": PER_MOVE}, "clock.seconds"),
    *((MINUTE | {"seconds": seconds}, "clock.seconds") for seconds in (0, 86_401, 1.5, True, "60")),
    (MINUTE | {"increment": 1}, "clock.increment"),
    ({"kind": BANK, "seconds": 60, "increment": -1}, "clock.increment"),
    ({"kind": BANK, "seconds": 60, "increment": 3601}, "clock.increment"),
    ({"kind": BANK, "increment": 5}, "clock.seconds"),
    ({"kind": CORRESPONDENCE, "days": 0}, "clock.days"),
    ({"kind": CORRESPONDENCE, "days": 31}, "clock.days"),
    ({"kind": CORRESPONDENCE, "seconds": 60}, "clock.seconds"),
    (MINUTE | {"when_up": "panic"}, "clock.when_up"),
    (MINUTE | {"bot": "greedy"}, "clock.bot"),
    (MINUTE | {"when_up": "bot", "bot": 7}, "clock.bot"),
    (MINUTE | {"when_up": "bot", "bot": "maxn"}, "clock.bot"),
    *(
        (MINUTE | {"when_up": how, "bot": f"net@{MIGO.bot('net').version}"}, "clock.bot")
        for how in ("bot", "replace")
    ),
)


def test_wrong_options_are_refused_by_their_member() -> None:
    """Limits, types, members of other kinds, a bot that would have to think, and a bot's version."""
    for document, member in WRONG:
        why = refusal(options_of, document, MIGO)
        assert (why.code, list(why.data["errors"])) == ("validation-error", [member]), document
    assert refusal(options_of, MINUTE | {"when_up": "replace", "bot": "nobody"}, MIGO).code == "unknown-bot"


def test_defaults_are_filled_in() -> None:
    """The recorded options say all; read again they are the same."""
    bank = {"kind": BANK, "seconds": 300, "when_up": "bot"}
    days = {"kind": CORRESPONDENCE, "days": 3, "when_up": "replace", "bot": "maxn"}
    for document, added in (
        (MINUTE, {"when_up": "forfeit", "bot": None}),
        (bank, {"increment": 0, "bot": "greedy"}),
        (days, {}),
    ):
        options = options_of(document, MIGO)
        assert options_document(options) == document | added
        assert recorded_options(document | added) == options


def test_classes() -> None:
    """The class of a clock follows from a seat's time for 40 turns."""
    assert time_class(None) == "none"
    for document, expected in (
        ({"kind": PER_MOVE, "seconds": 14}, "rapid"),
        ({"kind": PER_MOVE, "seconds": 15}, "live"),
        ({"kind": BANK, "seconds": 300, "increment": 5}, "rapid"),
        ({"kind": BANK, "seconds": 300, "increment": 8}, "live"),
        ({"kind": PER_MOVE, "seconds": 2160}, "correspondence"),
        ({"kind": CORRESPONDENCE, "days": 1}, "correspondence"),
    ):
        assert time_class(recorded_options(document)) == expected, document
        assert {"none", expected} <= set(TIME_CLASSES)


def test_a_turn_is_charged_and_the_increment_comes_when_it_is_over() -> None:
    """Fischer's clock, for both seats in turn."""
    clock = clock_set(bank(60, 5), status(1, 0), 1000)
    assert (clock.running, clock.deadline, clock.left_at(11_000)) == (0, 61_000, (50_000, 60_000))
    clock = evolve(clock, MOVED, status(1, 0), 5000)  # the turn goes on
    assert clock.deadline == 61_000
    clock = evolve(clock, MOVED, status(2, 1), 11_000)
    assert (clock.running, clock.left, clock.deadline) == (1, (55_000, 60_000), 71_000)
    clock = evolve(clock, OTHER_MOVED, status(3, 0), 12_000)
    assert (clock.left, clock.deadline) == ((55_000, 64_000), 67_000)


def test_a_seat_that_acts_twice_in_a_row_has_two_turns() -> None:
    """A seat that acts twice in a row has two turns on its clock, because the game counts another turn."""
    clock = clock_set(recorded_options({"kind": PER_MOVE, "seconds": 10}), status(1, 0), 0)
    assert evolve(clock, MOVED, status(2, 0), 4000).deadline == 14_000


@pytest.mark.parametrize(("schema", "other"), [(SET_SCHEMA, 60_000), (FORMER_SET, 65_000)])
def test_nobody_gets_an_increment_for_a_turn_that_another_goes_on_with(schema: int, other: int) -> None:
    """As in Migo who drinks: for an event the next seat was to act. Clocks that were set so count as they did."""
    clock = clock_set(replace(bank(60, 5), schema=schema), status(1, 0), 0)
    clock = evolve(clock, MOVED, status(2, 1), 10_000)
    clock = evolve(clock, EventRecord("bottle_drunk", 1, 0, {}), status(2, 0), 10_000)
    assert (clock.running, clock.left) == (0, (55_000, other))


def test_bots_have_no_clock() -> None:
    """Nothing is charged to a bot, even if the engine takes long to ask it."""
    seats = (Seat("human"), Seat("bot", bot="greedy"), Seat("remote"))
    clock = clock_set(bank(60), status(1, 0, seats), 0)
    for seat in (1, 2):
        clock = evolve(clock, MOVED, status(1 + seat, seat, seats), 10_000)
        assert (clock.running, clock.deadline) == (None, None)
    clock = evolve(clock, MOVED, status(4, 0, seats), 9_000_000)
    assert clock.left == (50_000, 60_000, 60_000)


def test_nobodys_time_runs_before_the_game_and_after_it() -> None:
    """While it waits for players, and once it is over."""
    clock = clock_set(bank(60), status(0, None, how="waiting"), 0)
    assert (clock.running, clock.deadline) == (None, None)
    clock = evolve(clock, MOVED, status(1, 1), 5_000_000)
    assert (clock.running, clock.since, clock.deadline) == (1, 5_000_000, 5_060_000)
    clock = evolve(clock, OTHER_MOVED, status(1, None, how="finished"), 5_020_000)
    assert (clock.deadline, clock.left) == (None, (60_000, 40_000))


def test_a_replaced_player_has_no_clock_from_then_on() -> None:
    """In the middle of a turn; nobody gets an increment for that."""
    clock = clock_set(bank(60, 5), status(1, 0), 0)
    clock = evolve(clock, MOVED, status(1, 0, (Seat("bot", bot="greedy"), Seat("human"))), 10_000)
    assert (clock.running, clock.deadline, clock.left) == (None, None, (50_000, 60_000))


def up(clock: Clock, at: int) -> Clock:
    return evolve(clock, encode(TurnTimedOut(0, "", "bot")), status(1, 0), at)


def test_a_bank_that_is_spent_has_its_increments_left() -> None:
    """Also where an outage had given time back in that turn."""
    clock = clock_set(bank(60, 5), status(1, 0), 0)
    clock = evolve(clock, encode(ClockCredited(0, 9000, "2026")), status(1, 0), 100)
    assert clock.deadline == 69_000
    clock = up(clock, 69_500)
    assert (clock.is_up, clock.deadline, clock.left_at(70_000)) == (True, None, (0, 60_000))
    clock = evolve(clock, MOVED, status(2, 1), 69_500)
    assert (clock.is_up, clock.left) == (False, (5000, 60_000))


def test_time_that_an_outage_took_is_charged_to_nobody() -> None:
    """The bank is what it would be without."""
    clock = clock_set(bank(60), status(1, 0), 0)
    clock = evolve(clock, encode(ClockCredited(0, 12_000, "2026")), status(1, 0), 30_000)
    assert evolve(clock, MOVED, status(2, 1), 30_000).left == (42_000, 60_000)
    assert evolve(clock, MOVED, status(2, 1), 10_000).left == (60_000, 60_000)  # never more than there was


def test_outages_give_back_what_they_took_from_a_turn() -> None:
    """A minute's turn that began at 0."""
    clock = clock_set(bank(60), status(1, 0), 0)
    for outages, given in (
        ([], 0),
        ([(20_000, 30_000)], 10_000 + ALLOWANCE),
        ([(-50_000, 5_000)], 5_000 + ALLOWANCE),  # what was before the turn is not the turn's
        ([(-50_000, SHORTEST - 1)], 0),
        ([(59_999, 100_000)], 40_001 + ALLOWANCE),
        ([(60_000, 100_000)], 0),  # the time was up before
        ([(30_000, 40_000), (65_000, 70_000)], 15_000 + 2 * ALLOWANCE),
        ([(30_000, 40_000), (75_000, 90_000)], 10_000 + ALLOWANCE),
    ):
        assert lost(clock, outages) == given, outages


def test_a_day_is_a_day() -> None:
    """24 hours, whatever the calendar says."""
    clock = clock_set(recorded_options({"kind": CORRESPONDENCE, "days": 3}), status(1, 0), 7)
    assert clock.deadline == 7 + 3 * DAY == 7 + 259_200_000
