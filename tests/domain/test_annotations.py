"""Remarks on a bot's choice, on a hint, on a token: events that change nothing in the game."""

from itertools import product
from typing import Any

import pytest

from domain import annotations
from domain.annotations import HintGiven, MoveChosen, SeatTokenReissued
from domain.common_events.clocks import ClockCredited, ClockSet, TurnTimedOut
from domain.errors import DomainError
from domain.lifecycle import Create, EventRecord, PlayBotMove, ReissueToken, Seat, TakeHint
from domain.migrato.game import MIGRATO
from domain.migrato.rules.moves import EXCHANGE, Resign
from domain.migrato.rules.state import State
from tests.domain.playing import chance_of, start
from tests.domain.table import refusal

CHOSEN = PlayBotMove(EXCHANGE, "heuristic", "2", {"iterations": 40}, "00000000000000a7")
HINT = TakeHint("greedy", "1", None, "00000000000000a7")
ANNOTATIONS: list[annotations.Annotation] = [
    MoveChosen(1, "heuristic", "2", {"iterations": 40}, "00000000000000a7", None, None),
    MoveChosen(0, "greedy", "1", None, None, "overran", "heuristic"),
    HintGiven(0, "greedy", "1", None, "00000000000000a7"),
    SeatTokenReissued(1),
    ClockSet({"kind": "per-move", "seconds": 60, "when_up": "forfeit", "bot": None}),
    TurnTimedOut(1, "2026-11-21T12:00:00.000Z", "bot"),
    ClockCredited(0, 12_000, "2026-11-21T12:00:00.000Z"),
]


def test_a_chosen_move_causes_the_same_as_the_move_itself() -> None:
    """After the event that tells how; judged as any other: whose turn it is, and the rules."""
    state, _ = start(1, {})
    how, *caused = MIGRATO.decide(state, 0, CHOSEN, chance_of(1))
    assert caused == MIGRATO.decide(state, 0, EXCHANGE, chance_of(1))
    assert how == MoveChosen(0, "heuristic", "2", {"iterations": 40}, "00000000000000a7", None, None)
    assert MIGRATO.evolve(state, how) is state
    with pytest.raises(DomainError, match="seat 0's turn"):
        MIGRATO.decide(state, 1, CHOSEN, chance_of(1))


def refused(state: State, seat: int | None, command: Any) -> str:
    """The code of why the command is refused."""
    return refusal(MIGRATO.decide, state, seat, command, chance_of(1)).code


def test_a_hint_changes_nothing() -> None:
    """It is only for the seat that is to act."""
    state, _ = start(1, {})
    assert MIGRATO.decide(state, 0, HINT, chance_of(1)) == [
        HintGiven(0, "greedy", "1", None, "00000000000000a7")
    ]
    assert refused(state, 1, HINT) == refused(state, None, HINT) == "not-your-turn"


def test_a_new_token_changes_nothing() -> None:
    """Neither seat's, while the game runs; a bot's seat has none, nor an open one, nor one that is not there."""
    state, _ = start(1, {})
    for seat in (0, 1):
        (event,) = MIGRATO.decide(state, None, ReissueToken(seat), chance_of(1))
        assert event == SeatTokenReissued(seat)
        assert MIGRATO.evolve(state, event) is state
    seats = (Seat("bot", bot="greedy"), Seat("open"))
    (event,) = MIGRATO.decide(MIGRATO.initial(), None, Create("g", "0" * 64, {}, seats), chance_of(1))
    waiting = MIGRATO.evolve(MIGRATO.initial(), event)
    assert {refused(waiting, None, ReissueToken(seat)) for seat in (0, 1, 2, -1)} == {"not-found"}
    for event in MIGRATO.decide(state, 0, Resign(), chance_of(1)):
        state = MIGRATO.evolve(state, event)
    assert refused(state, None, ReissueToken(0)) == "game-over"


def test_stored_and_read_again() -> None:
    """By every game the same way; another schema is not known, nor is one without a seat."""
    for event in ANNOTATIONS:
        wire = MIGRATO.encode(event)
        assert MIGRATO.decode(wire) == event
        assert wire.seat == getattr(event, "seat", None)
    wire = MIGRATO.encode(ANNOTATIONS[0])
    for other in (wire._replace(schema=2), wire._replace(seat=None), EventRecord("move_thought", 1, 0, {})):
        assert refusal(MIGRATO.decode, other).code == "unknown-event"


def test_members_that_depend_on_the_hand_are_hidden() -> None:
    """Seed and iterations, from everybody, the bot's own seat too; a move that was given neither hides nothing.

    A searching bot that had no choice hides as much as one that thought long.
    """
    for event, viewer in product(ANNOTATIONS, (0, 1, None)):
        wire = MIGRATO.encode(event)
        data, hidden = MIGRATO.redact(wire, viewer)
        assert hidden == [name for name in ("budget", "seed") if wire.data.get(name) is not None]
        assert data == wire.data | dict.fromkeys(hidden)
    forced = MoveChosen(1, "ismcts", "1", {"iterations": 0}, "00000000000000a7", None, None)
    long = MoveChosen(1, "ismcts", "1", {"iterations": 300}, "00000000000000a8", None, None)
    assert MIGRATO.redact(MIGRATO.encode(forced), 0) == MIGRATO.redact(MIGRATO.encode(long), 0)


def test_in_one_line() -> None:
    """Each of these events has a line for logs and the terminal."""
    assert [MIGRATO.notation(MIGRATO.encode(event)) for event in ANNOTATIONS] == [
        "seat 1 chooses as heuristic 2 after 40 iterations",
        "seat 0 chooses as greedy 1 in place of heuristic (overran)",
        "seat 0 takes a hint of greedy 1",
        "seat 1 gets a new token",
        "the game has a per-move clock: seconds 60; when time is up: forfeit",
        "seat 1 runs out of time: bot",
        "seat 0 gets 12000 ms back that an outage took",
    ]
