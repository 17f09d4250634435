"""Going on from a position: nothing is lost of it, everybody sees of it what it may, and a drawn one tells nothing."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from domain.lifecycle import Fork, Origin, Seat
from domain.migrato.belief.knowledge import NOTHING
from domain.migrato.belief.resampling import resampled
from domain.migrato.codec.event_codec import decode, encode
from domain.migrato.codec.position_reader import position_of
from domain.migrato.game import MIGRATO
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import Event, PositionSet
from domain.migrato.rules.fork import position_set
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.state import INITIAL, State, fold
from domain.migrato.rules.view import redact, view
from domain.prng import Prng
from tests.domain.playing import OPTIONS, chance_of, next_move, start
from tests.domain.remembering import Told, games_told
from tests.domain.sampling import consistent, determinize
from tests.domain.table import refusal

ORIGIN = Origin("origin", 7, "ab" * 32, resampled=False, seat=None)
SEATS = (Seat("human", "eve"), Seat("bot", bot="greedy"))
every_variant = pytest.mark.parametrize("options", OPTIONS, ids=str)


def decisions(seed: int, options: dict[str, Any], moves: int = 60) -> Iterator[State]:
    """Every state of one game in which somebody is to act."""
    for told in games_told(seed, options, moves):
        yield told.state


def forked(state: State) -> list[Event]:
    """The first events of a fork."""
    return decide(INITIAL, None, Fork("fork", "c2", SEATS, ORIGIN, state), chance_of(9))


def stored(event: Event) -> Event:
    """The event as it is read again from the store."""
    record = encode(event)
    return decode(record._replace(data=json.loads(json.dumps(record.data))))


@every_variant
def test_nothing_is_lost(options: dict[str, Any]) -> None:
    """The same views for everybody, the same legal moves, the same deck; by way of the store."""
    for state in decisions(1, options):
        events = forked(state)
        assert [stored(event) for event in events] == events
        after = fold(INITIAL, events)
        assert after._replace(setup=state.setup) == state
        assert [view(after, viewer) for viewer in (0, 1, None)] == [view(state, v) for v in (0, 1, None)]
        assert legal_moves(after) == legal_moves(state)


def test_it_goes_on_as_the_origin_did() -> None:
    """The origin's own moves cause the same events in the fork, until chance comes in."""
    state, _ = start(3, {})
    rng, after = random.Random(3), fold(INITIAL, forked(state))
    chance, other = chance_of(3), chance_of(4)
    while state.deck:
        move = next_move(state, rng, 0.3)
        events = decide(state, state.to_act, move, chance)
        if any(encode(event).type == "deck_reshuffled" for event in events):
            break
        assert decide(after, after.to_act, move, other) == events
        state, after = fold(state, events), fold(after, events)
    assert after._replace(setup=state.setup) == state


def test_it_is_unrated_and_says_where_it_is_from() -> None:
    """A fork is unrated, and its first event says to everybody where it is from; only forks have that member."""
    state, events = start(1, {})
    assert "origin" not in encode(events[0]).data
    created, placed = forked(state)
    shown, hidden = redact(encode(created), None)
    assert shown["origin"] == {
        "game_id": "origin", "version": 7, "head": "ab" * 32, "resampled": False, "seat": None,
    }  # fmt: skip
    assert (shown["setup"], hidden) == (True, [])
    status = MIGRATO.status(fold(INITIAL, [created, placed]))
    assert (status.rated, status.setup, status.status) == (False, True, "playing")
    assert status.options == MIGRATO.status(state).options


@every_variant
def test_the_position_is_hidden_like_a_deal(options: dict[str, Any]) -> None:
    """A seat sees its own hand and face-down cards, nobody the deck; whatever else there were would be hidden too."""
    for state in decisions(5, options):
        wire = encode(position_set(state))
        for viewer in (0, 1, None):
            data, hidden = redact(wire, viewer)
            assert data["deck"] in (None, [])
            for seat in (0, 1):
                if seat != viewer:
                    assert not data["hands"][seat]
                    cards = [card for column in data["columns"][seat] for card in column["cards"]]
                    assert all((card["face"] is None) == card["down"] for card in cards)
                else:
                    assert data["hands"][seat] == wire.data["hands"][seat]
                    assert data["columns"][seat] == wire.data["columns"][seat]
            assert hidden == sorted(name for name in wire.data if data[name] != wire.data[name])
            grown = wire._replace(data=wire.data | {"secret": 7})
            assert redact(grown, viewer) == (data | {"secret": None}, sorted([*hidden, "secret"]))


@every_variant
def test_a_fork_tells_nothing_that_the_seat_does_not_know(options: dict[str, Any]) -> None:
    """With other hidden cards the seat is shown the same event, and remembers the same; and a position that is drawn
    anew by the same chance is the same, to the last card.
    """
    dice = Prng(7)
    for number, told in enumerate(games_told(8, options, 60)):
        for seat in (0, 1):
            memory, seen = told.memories[seat], told.seen(seat)
            drawn = resampled(told.state, seat, memory, number)
            for _ in range(2):
                other = determinize(seen, dice)
                other = other._replace(setup=told.state.setup, shuffles=told.state.shuffles)
                one, two = (encode(position_set(state)) for state in (told.state, other))
                assert redact(one, seat) == redact(two, seat)
                assert _memory_after(told.state, seat) == _memory_after(other, seat)
                assert resampled(other, seat, memory, number) == drawn
            assert consistent(seen, drawn)
            assert view(drawn, seat) == view(told.state, seat)
            assert drawn.players[seat] == told.state.players[seat]
            assert (drawn.shuffles, drawn.setup) == (told.state.shuffles, told.state.setup)


def _memory_after(state: State, seat: int) -> object:
    return Told.of(forked(state)).memories[seat]


@every_variant
def test_memories_of_it_are_sound(options: dict[str, Any]) -> None:
    """In every course of the game the truth stays among what can be; the history says the same as having lived it."""
    for seed in (1, 2):
        *_, before = games_told(seed, options, 40)
        told = Told.of(forked(before.state))
        rng, chance = random.Random(seed), chance_of(seed + 50)
        for _ in range(60):
            for seat in (0, 1):
                assert consistent(told.seen(seat), told.state)
            to_act = told.state.to_act
            if to_act is None:
                break
            assert position_of(told.document(to_act)) == told.seen(to_act)
            told.plays(next_move(told.state, rng, 0.4), chance)


def test_it_is_drawn_by_the_seed() -> None:
    """Another seed draws other cards for the fork."""
    *_, told = games_told(8, {}, 10)
    drawn = {resampled(told.state, 0, told.memories[0], seed).deck for seed in range(20)}
    assert len(drawn) == 20
    assert resampled(told.state, 0, NOTHING, 1) == resampled(told.state, 0, NOTHING, 1)


def test_games_that_cannot_be_forked() -> None:
    """A game without cards, one that is over, seats that will not do."""
    state, events = start(1, {})
    over = fold(state, decide(state, 0, MIGRATO.parse_move({"type": "resign"}), chance_of(1)))
    for position, code in ((fold(INITIAL, events[:1]), "game-not-started"), (over, "game-over")):
        assert refusal(forked, position).code == code
    for seats, field in ((SEATS[:1], "seats"), ((SEATS[0], Seat("open")), "seats.1.kind")):
        why = refusal(decide, INITIAL, None, Fork("f", "c", seats, ORIGIN, state), chance_of(1))
        assert list(why.data["errors"]) == [field]


def _spoilt(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The event's data with something in it that cannot be."""
    yield "validation-error", data | {"phase": "waiting"}
    yield "validation-error", data | {"turn": 0}
    yield "validation-error", data | {"hands": []}
    yield "validation-error", data | {"landed": [["dodo"], []]}
    yield "validation-error", data | {"arrivals": [{"dodo": []}, {}]}
    yield "impossible-position", data | {"hand_sizes": [2, 3]}
    yield "impossible-position", data | {"hand_sizes": [3, 4]}
    twice = {"slot": 1, "cards": [{"face": "G5d", "down": False}]}
    yield "impossible-position", data | {"columns": [[twice, twice], []]}
    for card in ({"face": "S1n", "down": False}, {"face": "HUN", "down": False}):
        yield "impossible-position", data | {"columns": [[{"slot": 1, "cards": [card]}], []]}
    seen = {"slot": 1, "cards": [{"face": "S1n", "down": True}]}
    yield "impossible-position", data | {"columns": [[], [seen]]}
    yield "impossible-position", data | {"columns": [[{"slot": 1, "cards": []}], []]}
    yield "impossible-position", data | {"discard_pile": ["HUN"] * 9}


def test_a_described_position_that_cannot_be_is_refused() -> None:
    """By whoever asks a bot about a fork."""
    state, _ = start(1, {})
    told = Told.of(forked(state))
    document = told.document(0)
    assert position_of(document) == told.seen(0)
    for code, data in _spoilt(document["history"][1]["data"]):
        document["history"][1]["data"] = data
        assert refusal(position_of, document).code == code, data


def test_notation() -> None:
    """The notation of a fork's position is one line, whatever is hidden."""
    state, _ = start(1, {})
    wire = encode(position_set(state))
    for viewer in (None, 0):
        shown = wire._replace(data=redact(wire, viewer)[0])
        assert MIGRATO.notation(shown) == "the game goes on from turn 1 of another, seat 0 is to act"
    assert isinstance(decode(wire), PositionSet)
