"""The laws that hold in every position of Migo: nothing is lost, nothing hidden leaks, legality has one truth."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import DomainError
from domain.lifecycle import Create
from domain.migo.game import MIGO
from domain.migo.rules.cards import CARDS, NAME
from domain.migo.rules.moves import ABSENT, RESIGN, Move, Take
from domain.migo.rules.options import last_round, resolve, round_layout
from domain.migo.rules.state import State, setup_of
from tests.domain.migo.table import people, played
from tests.domain.playing import chance_of

OPTIONS: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {}),
    (2, {"layout_size": "large", "first_seat": "random"}),
    (3, {"round4_layout": "pyramid"}),
    (4, {"round4_layout": "pyramids", "turn_limit": 60}),
)
EVERY_MOVE: tuple[Move, ...] = (
    RESIGN,
    *(
        Take(place, flip, drink)
        for place in (*range(CARDS), 40)
        for flip in (ABSENT, 0, 21, 24)
        for drink in (None, True)
    ),
)


def prepared(rng: Random, seats: int, options: dict[str, Any]) -> list[list[str]]:
    """A layout for every round, of any cards with any face up."""
    whole = resolve(options, seats)
    sizes = [round_layout(whole, seats, number).size for number in range(1, last_round(seats) + 1)]
    return [[NAME[2 * card + rng.randrange(2)] for card in rng.sample(range(CARDS), size)] for size in sizes]


def positions(seed: int, table: tuple[int, dict[str, Any]], takes: int) -> Iterator[tuple[State, list[Any]]]:
    """Every state between moves of a game in which every round is prepared, with the events that led to it."""
    rng, (seats, options) = Random(seed), table
    create = Create("test", "c", options, people(seats), {"rounds": prepared(rng, seats, options)})

    def leaver(state: State) -> int | None:
        is_leaving = seats > 2 and not state.resigned and rng.random() < 0.01
        return rng.randrange(seats) if is_leaving else None

    for _, events, state in islice(played(create, rng, chance_of(seed), leaver), takes + 1):
        yield state, events


def position(seed: int, table: tuple[int, dict[str, Any]], takes: int) -> State:
    """The state after so many moves, or at the end if that comes before."""
    *_, (state, _) = positions(seed, table, takes)
    return state


SEEDS = st.integers(0, 10_000)
A_POSITION = st.builds(position, SEEDS, st.sampled_from(OPTIONS), st.integers(0, 80))


def hidden_otherwise(state: State, rng: Random) -> list[State]:
    """The same position with later rounds prepared in another way, and with fewer of them or none."""
    setup = setup_of(state)
    other = [tuple(rng.sample(cards, len(cards))) for cards in state.prepared]
    turned = [tuple([face ^ 1 for face in cards]) for cards in state.prepared]
    assert setup.rounds is not None
    return [state._replace(prepared=tuple(rounds)) for rounds in (other, turned, other[:1], [])]


def said(state: State, seat: int, move: Move) -> Any:
    """The events that a move is previewed with, or how it is refused."""
    try:
        return MIGO.preview(state, seat, move)
    except DomainError as error:
        return error.code, error.detail, error.rule, error.data


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(OPTIONS))
def test_cards_and_tokens_are_conserved_after_every_event(seed: int, table: tuple[int, Any]) -> None:
    """Every event can be stored, read, told in a line and folded."""
    before = MIGO.initial()
    for _, events in positions(seed, table, 120):
        for event in events:
            stored = MIGO.encode(event)
            assert MIGO.decode(stored) == event
            assert MIGO.notation(stored)
            before = MIGO.evolve(before, event)
            if before.number:
                assert MIGO.conservation_fault(before) is None


@settings(max_examples=40, deadline=None)
@given(A_POSITION)
def test_decide_accepts_exactly_the_legal_moves(state: State) -> None:
    """One truth about legality; and what is listed can be posted as it stands."""
    if state.to_act is None:
        assert MIGO.legal_moves(state, 0) == []
        return
    listed = [MIGO.parse_move(document) for document in MIGO.legal_moves(state, state.to_act)]
    assert len(set(listed)) == len(listed)
    meant = {(move.place, max(move.flip, -1), bool(move.drink)) for move in listed if isinstance(move, Take)}
    for move in EVERY_MOVE:
        if isinstance(move, Take):
            told = said(state, state.to_act, move)
            assert (len(told) == 2) == ((move.place, max(move.flip, -1), bool(move.drink)) in meant)
            if len(told) == 4:
                assert (told[0], bool(told[2])) == ("illegal-move", True)


@settings(max_examples=40, deadline=None)
@given(A_POSITION, SEEDS)
def test_prepared_rounds_never_change_what_anybody_sees(state: State, seed: int) -> None:
    """Views, legal moves, dry runs, refusals, what bots see and what a fork draws anew."""
    seats = range(len(state.players))
    for other in hidden_otherwise(state, Random(seed)):
        for viewer in (None, *seats):
            assert MIGO.view(other, viewer) == MIGO.view(state, viewer)
        assert MIGO.status(other) == MIGO.status(state)
        if state.to_act is None:
            continue
        for seat in seats:
            assert MIGO.legal_moves(other, seat) == MIGO.legal_moves(state, seat)
            assert MIGO.observe(other, seat) == MIGO.observe(state, seat)
        for move in EVERY_MOVE:
            assert said(other, state.to_act, move) == said(state, state.to_act, move)
        assert MIGO.resample(other, 0, None, 1) == MIGO.resample(state, 0, None, 1)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(OPTIONS), st.integers(0, 3))
def test_events_hide_what_is_prepared_from_everybody(seed: int, table: tuple[int, Any], viewer: int) -> None:
    """The first event alone; and what is hidden stands in no other field, nor in its line."""
    for _, events in positions(seed, table, 30):
        for event in events:
            stored = MIGO.encode(event)
            for who in (None, viewer):
                data, hidden = MIGO.redact(stored, who)
                assert hidden == (["rounds"] if stored.type == "game_created" else [])
                assert data == stored.data | dict.fromkeys(hidden)
                assert MIGO.notation(stored._replace(data=data))
