"""The audit counts what was asked for over the whole game, and the time of turns by the clock of the game."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from domain.chance import SeededChance, commitment_of
from domain.clocks.decide import SetClock
from domain.clocks.decide import decide as decide_clock
from domain.clocks.options import ClockOptions, recorded_options
from domain.common_events.clocks import FORMER_SET, SET_SCHEMA
from domain.game import Game
from domain.lifecycle import Create, Json, Seat
from domain.migo.game import MIGO
from domain.migrato.game import MIGRATO
from domain.takebacks.decide import AskTakeback
from domain.takebacks.decide import decide as decide_takeback
from domain.takebacks.takebacks import MOST_REQUESTS, NONE, Takebacks, evolve
from events.audit.bots import Bots
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed
from events.audit.replay import Replay
from events.audit.stream_verifier import canonical_event, event_of
from tests.events.timed import people

SEED, GAME_ID, APART, AT = bytes(32), "A" * 22, 24, "2026-11-21T12:00:00.000Z"


def with_requests(most: int) -> list[Json]:
    """A game of requests that nobody answers, each long after the one before, until a seat has made so many of them."""
    game, rng, chance = MIGRATO, random.Random(3), SeededChance(SEED, GAME_ID)
    state, found, last, asked = game.initial(), NONE, 0, [0, 0]
    documents: list[Json] = []
    events = game.decide(state, None, Create(GAME_ID, commitment_of(SEED), {}, people(2)), chance)
    while True:
        for event in events:
            before, state, record = state, game.evolve(state, event), game.encode(event)
            documents.append({"version": len(documents) + 1, "at": AT, **record.document})
            found = evolve(found, game, (len(documents), event, record, before, state))
        if max(asked) == most:
            return documents
        seat = game.status(state).to_act
        assert seat is not None
        move = found.last
        if move is not None and (move.seat, move.learnt_by) == (seat, None) and len(documents) > last + APART:
            asked[seat], last = asked[seat] + 1, len(documents)
            events = decide_takeback(game, state, Takebacks(move), seat, AskTakeback())
        else:
            moves = game.legal_moves(state, seat)
            longest = next((one for one in moves if one["type"] == "exchange"), None)
            chosen = rng.choice(moves) if longest is None or rng.random() < 0.1 else longest
            events = game.decide(state, seat, game.parse_move(chosen), chance)


def of_one_turn(schema: int, takebacks: int) -> list[Json]:
    """A game against a bot by a minute's clock of that schema: a turn of 40 seconds, taken up again so often."""
    game, chance, found, second = MIGO, SeededChance(SEED, GAME_ID), NONE, 0
    documents: list[Json] = []

    def happen(state: Any, events: Sequence[Any]) -> Any:
        nonlocal found
        for event in events:
            before, state, record = state, game.evolve(state, event), game.encode(event)
            at = AT.replace("00:00", f"{second // 60:02}:{second % 60:02}")
            documents.append({"version": len(documents) + 1, "at": at, **record.document})
            found = evolve(found, game, (len(documents), event, record, before, state))
        return state

    seats = (*people(1), Seat("bot", bot="greedy"))
    create = Create(GAME_ID, commitment_of(SEED), {"first_seat": 0}, seats)
    state = happen(game.initial(), game.decide(game.initial(), None, create, chance))
    state = happen(state, decide_clock(game, state, None, SetClock(minute(schema)), 0))
    for number in range(1 + takebacks):
        if number:
            state = happen(state, decide_takeback(game, state, found, 0, AskTakeback()))
        second += 40
        state = happen(state, game.decide(state, 0, game.parse_move(game.legal_moves(state, 0)[0]), chance))
    return documents


def minute(schema: int) -> ClockOptions:
    return recorded_options({"kind": "per-move", "seconds": 60}, schema)


def audit(documents: list[Json], game: Game = MIGRATO) -> None:
    """Play the events again; CheckFailed where the rules do not allow one."""
    counts = CheckCounts()
    again = Replay(game, GAME_ID, SEED, counts, Bots(game, GAME_ID, SEED, counts, False))
    events = [event_of(document) for document in documents]
    for at, one in enumerate(events):
        again.take(one, canonical_event(one), events[at + 1 : at + 9])


def test_one_request_too_many() -> None:
    """Of a seat: both together have made more before."""
    documents = with_requests(MOST_REQUESTS + 1)
    asked = [one["version"] for one in documents if one["type"] == "takeback_requested"]
    assert len(asked) > MOST_REQUESTS + 1
    audit(documents[: asked[-1] - 1])
    with pytest.raises(CheckFailed, match="has asked 20 times"):
        audit(documents)


def test_a_turn_lasts_as_long_as_the_clock_of_its_game_says() -> None:
    """Clocks that were set by former releases began it anew."""
    audit(of_one_turn(FORMER_SET, 3), MIGO)
    audit(of_one_turn(SET_SCHEMA, 0), MIGO)
    with pytest.raises(CheckFailed, match="Seat 0 acts when its time is up"):
        audit(of_one_turn(SET_SCHEMA, 1), MIGO)
