"""How a bot's move came about, and that a hint was given: events that change nothing in the game."""

import pytest

from domain import annotations
from domain.annotations import HintGiven, MoveChosen, SeatTokenReissued
from domain.clocks.events import ClockCredited, ClockSet, TurnTimedOut
from domain.errors import DomainError
from domain.lifecycle import Create, EventRecord, PlayBotMove, ReissueToken, Seat, TakeHint
from domain.migrato.game import MIGRATO
from domain.migrato.rules.moves import EXCHANGE, Resign
from tests.domain.playing import chance_of, start

CHOSEN = PlayBotMove(EXCHANGE, "heuristic", "2", {"iterations": 40}, "00000000000000a7")
FALLBACK = PlayBotMove(EXCHANGE, "greedy", "1", None, None, "overran", "heuristic")
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


def test_a_chosen_move_causes_what_the_move_causes_after_what_tells_how() -> None:
    """And nothing else is different."""
    state, _ = start(1, {})
    chance = chance_of(1)
    how, *caused = MIGRATO.decide(state, 0, CHOSEN, chance)
    assert caused == MIGRATO.decide(state, 0, EXCHANGE, chance)
    assert how == MoveChosen(0, "heuristic", "2", {"iterations": 40}, "00000000000000a7", None, None)
    assert MIGRATO.evolve(state, how) is state


def test_a_chosen_move_is_judged_as_any_other() -> None:
    """Whose turn it is, and the rules."""
    state, _ = start(1, {})
    with pytest.raises(DomainError, match="seat 0's turn"):
        MIGRATO.decide(state, 1, CHOSEN, chance_of(1))


def test_a_hint_changes_nothing() -> None:
    """It is only for the seat that is to act."""
    state, _ = start(1, {})
    assert MIGRATO.decide(state, 0, HINT, chance_of(1)) == [
        HintGiven(0, "greedy", "1", None, "00000000000000a7")
    ]
    for seat, code in ((1, "not-your-turn"), (None, "not-your-turn")):
        with pytest.raises(DomainError) as refused:
            MIGRATO.decide(state, seat, HINT, chance_of(1))
        assert refused.value.code == code


def test_a_new_token_changes_nothing() -> None:
    """Whoever is to act, and also while the game waits for players."""
    state, _ = start(1, {})
    for seat in (0, 1):
        (event,) = MIGRATO.decide(state, None, ReissueToken(seat), chance_of(1))
        assert event == SeatTokenReissued(seat)
        assert MIGRATO.evolve(state, event) is state


@pytest.mark.parametrize("seat", [0, 1, 2, -1])
def test_only_a_persons_seat_has_a_token(seat: int) -> None:
    """Neither a bot's, nor an open one, nor one that there is not."""
    seats = (Seat("bot", bot="greedy"), Seat("open"))
    events = MIGRATO.decide(MIGRATO.initial(), None, Create("g", "0" * 64, {}, seats), chance_of(1))
    state = MIGRATO.evolve(MIGRATO.initial(), events[0])
    with pytest.raises(DomainError) as refused:
        MIGRATO.decide(state, None, ReissueToken(seat), chance_of(1))
    assert refused.value.code == "not-found"


def test_a_game_that_is_over_has_no_use_for_tokens() -> None:
    """So that nothing follows on its end."""
    state, _ = start(1, {})
    for event in MIGRATO.decide(state, 0, Resign(), chance_of(1)):
        state = MIGRATO.evolve(state, event)
    with pytest.raises(DomainError) as refused:
        MIGRATO.decide(state, None, ReissueToken(0), chance_of(1))
    assert refused.value.code == "game-over"


@pytest.mark.parametrize("event", ANNOTATIONS)
def test_stored_and_read_again(event: annotations.Annotation) -> None:
    """By every game the same way."""
    wire = MIGRATO.encode(event)
    assert MIGRATO.decode(wire) == event
    assert wire.seat == getattr(event, "seat", None)


def test_another_schema_is_not_known() -> None:
    """Nor is one without a seat."""
    wire = MIGRATO.encode(ANNOTATIONS[0])
    for other in (wire._replace(schema=2), wire._replace(seat=None), EventRecord("move_thought", 1, 0, {})):
        with pytest.raises(DomainError) as refused:
            MIGRATO.decode(other)
        assert refused.value.code == "unknown-event"


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_what_depends_on_the_hand_is_hidden(viewer: int | None) -> None:
    """Seed and iterations, from everybody, the bot's own seat too; a move that was given neither hides nothing."""
    for event in ANNOTATIONS:
        wire = MIGRATO.encode(event)
        data, hidden = MIGRATO.redact(wire, viewer)
        assert hidden == [name for name in ("budget", "seed") if wire.data.get(name) is not None]
        assert data == wire.data | dict.fromkeys(hidden)


def test_what_is_hidden_tells_nothing_about_the_choice() -> None:
    """A searching bot that had no choice hides as much as one that thought long."""
    forced = MoveChosen(1, "ismcts", "1", {"iterations": 0}, "00000000000000a7", None, None)
    long = MoveChosen(1, "ismcts", "1", {"iterations": 300}, "00000000000000a8", None, None)
    assert MIGRATO.redact(MIGRATO.encode(forced), 0) == MIGRATO.redact(MIGRATO.encode(long), 0)


def test_in_one_line() -> None:
    """For logs and the terminal."""
    assert [MIGRATO.notation(MIGRATO.encode(event)) for event in ANNOTATIONS] == [
        "seat 1 chooses as heuristic 2 after 40 iterations",
        "seat 0 chooses as greedy 1 in place of heuristic (overran)",
        "seat 0 takes a hint of greedy 1",
        "seat 1 gets a new token",
        "the game has a per-move clock: seconds 60; when time is up: forfeit",
        "seat 1 runs out of time: bot",
        "seat 0 gets 12000 ms back that an outage took",
    ]
