"""The audit counts what was asked for over the whole game, not among the last events alone."""

import random

import pytest

from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, Json
from domain.migrato.game import MIGRATO
from domain.takebacks import takebacks
from domain.takebacks.decide import AskTakeback
from domain.takebacks.decide import decide as decide_takeback
from domain.takebacks.takebacks import MOST_REQUESTS
from events.audit.bots import Bots
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed
from events.audit.replay import Replay
from events.audit.stream_verifier import canonical_event, event_of
from tests.events.timed import people

SEED, GAME_ID, APART, AT = bytes(32), "A" * 22, 24, "2026-11-21T12:00:00.000Z"


def with_requests(number: int) -> list[Json]:
    """A game with so many requests that nobody answers, each long after the one before, whatever the limit is."""
    game, rng, chance = MIGRATO, random.Random(3), SeededChance(SEED, GAME_ID)
    state, found, last = game.initial(), takebacks.NONE, 0
    documents: list[Json] = []
    events = game.decide(state, None, Create(GAME_ID, commitment_of(SEED), {}, people(2)), chance)
    while True:
        for event in events:
            before, state, record = state, game.evolve(state, event), game.encode(event)
            documents.append({"version": len(documents) + 1, "at": AT, **record.document})
            found = takebacks.evolve(found, game, (len(documents), event, record, before, state))
        seat = game.status(state).to_act
        assert seat is not None
        move = found.last
        if move is not None and (move.seat, move.learnt_by) == (seat, None) and len(documents) > last + APART:
            if not number:
                return documents
            number, last = number - 1, len(documents)
            events = decide_takeback(game, state, takebacks.Takebacks(move), seat, AskTakeback())
        else:
            moves = game.legal_moves(state, seat)
            longest = next((one for one in moves if one["type"] == "exchange"), None)
            chosen = rng.choice(moves) if longest is None or rng.random() < 0.1 else longest
            events = game.decide(state, seat, game.parse_move(chosen), chance)


def audit(documents: list[Json]) -> None:
    """Play the events again; CheckFailed where the rules do not allow one."""
    counts = CheckCounts()
    again = Replay(MIGRATO, GAME_ID, SEED, counts, Bots(MIGRATO, GAME_ID, SEED, counts, False))
    events = [event_of(document) for document in documents]
    for at, one in enumerate(events):
        again.take(one, canonical_event(one), events[at + 1 : at + 9])


def test_one_request_too_many() -> None:
    documents = with_requests(MOST_REQUESTS + 1)
    asked = [one["version"] for one in documents if one["type"] == "takeback_requested"]
    audit(documents[: asked[-1] - 1])
    with pytest.raises(CheckFailed, match="20 requests"):
        audit(documents)
