"""All that can be the case, and nothing else; no sample can be told from the true game by the seat."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import DomainError
from domain.lifecycle import Seat
from domain.migrato.belief.assignments import Assignments
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.face_down import FaceDownCard
from domain.migrato.belief.knowledge import Knowledge
from domain.migrato.belief.observation import observe
from domain.migrato.rules.cards import FACE, IS_NIGHT, NAME
from domain.migrato.rules.columns import Column, Shape, placement_for
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import GameCreated, GameStarted
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import Move, Play, PlayDanger
from domain.migrato.rules.options import Rules, resolve
from domain.migrato.rules.state import State
from domain.prng import Prng
from tests.domain import beliefs
from tests.domain.beliefs import Belief
from tests.domain.playing import OPTIONS, chance_of
from tests.domain.remembering import Told, games_told
from tests.domain.sampling import consistent, determinize
from tests.domain.table import cards, side, table
from tests.domain.test_properties import all_cards

SEEDS = st.integers(0, 10_000)
SMALL = {"G4n": 4, "S3n": 5, "T2n": 2, "G3d": 3, "K4d": 4, "B3d": 3, "HUN": 1, "HAB": 2}


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.sampled_from(OPTIONS), st.sampled_from([0.2, 1.0]))
def test_the_truth_can_be_the_case(seed: int, options: dict[str, Any], wild: float) -> None:
    """For both seats, after every move; and what is sampled looks the same, is complete, and can be played on."""
    dice = Prng(seed)
    for number, told in enumerate(games_told(seed, options, 150, wild)):
        for seat in (0, 1):
            seen = told.seen(seat)
            assert consistent(seen, told.state)
            if number % 10:
                continue
            sample = determinize(seen, dice)
            assert observe(sample, seat, told.memories[seat]) == seen
            assert consistent(seen, sample)
            assert all_cards(sample) == all_cards(told.state)
            assert legal_moves(sample)


def _hidden(state: State, seat: int) -> Belief:
    other = state.players[1 - seat]
    return Belief(tuple(sorted(other.hand)), other.columns, tuple(sorted(state.deck)))


def _small_game(seed: int, options: dict[str, Any]) -> Told:
    """A game with few cards and fewer faces, so that the deck soon runs out and all deals can be counted."""
    deck_list = tuple(sorted((FACE[name], count) for name, count in SMALL.items()))
    rules: Rules = replace(resolve(options), deck_list=deck_list, placement=placement_for(deck_list))
    deck = chance_of(seed).shuffled(0, rules.deck, ())
    told = Told()
    told.happens(GameCreated("small", "c", rules, (Seat("human"), Seat("human")), None))
    told.happens(GameStarted(0, deck, (deck[0:6:2], deck[1:6:2])))
    return told


def _secretive(state: State, rng: random.Random) -> Move:
    """A move, rather one of those that there is something to remember of."""
    moves = legal_moves(state)
    hiding = [move for move in moves if isinstance(move, Play) and IS_NIGHT[move.card]]
    stealing = [move for move in moves if isinstance(move, PlayDanger)]
    kind = rng.choice([moves, hiding or moves, stealing or moves])
    return rng.choice(kind)


@pytest.mark.parametrize("options", [{}, {"rules": "opla"}], ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_exactly_that_can_be_the_case_which_history_allows(seed: int, options: dict[str, Any]) -> None:
    """Frequencies agree with brute force over every hidden deal, in games with so few cards that this can be done."""
    told, rng, chance = _small_game(seed, options), random.Random(seed), chance_of(seed)
    believed = beliefs.at_start(told.state, 0)
    compared = 0
    for _ in range(60):
        state = told.state
        if state.to_act is None or len(believed) > 800:
            break
        events = decide(state, state.to_act, _secretive(state, rng), chance)
        for number, event in enumerate(events):
            believed = beliefs.after(believed, 0, told.state, event, events[number + 1 :])
            told.happens(event)
        assert _hidden(told.state, 0) in believed
        if told.state.to_act is None or len(believed) > 300:
            continue
        seen, compared = told.seen(0), compared + 1
        determinizer, dice = Determinizer(seen), Prng(seed)
        number = 1_000 if len(believed) <= 40 else 100
        sampled = Counter(_hidden(determinizer.sample(dice), 0) for _ in range(number))
        assert set(sampled) <= set(believed)
        for one, weight in believed.items():
            assert abs(sampled[one] - number * weight) <= 6 * (number * weight) ** 0.5 + 1
        for one in rng.sample(sorted(believed), min(100, len(believed))):
            assert consistent(seen, _dealt(told.state, one))
    assert compared >= 8


def _dealt(state: State, belief: Belief) -> State:
    other = state.players[1]._replace(hand=belief.hand, columns=belief.columns)
    return state._replace(players=(state.players[0], other), deck=belief.deck)


def test_samples_are_even_over_what_can_be_the_case() -> None:
    """One place that may hold a stilt or a goose, three hand cards, a deck of few: every deal as often as any."""
    deck = "S3n S3n S3n G5n T4n K3d"
    state = table(side("HUN"), side("B4d B3d", {1: "S3n"}), deck=deck)
    state = _without_the_rest(state)
    seen = observe(state, 0)
    dice, counts, determinizer = Prng(1), Counter[str](), Determinizer(seen)
    for _ in range(12_000):
        counts[NAME[determinizer.sample(dice).players[1].columns[0][0]]] += 1
    assert set(counts) == {"S3n", "G5n", "T4n"}
    assert abs(counts["S3n"] - 8000) < 250  # four cards of six fly by night as stilts; 5 standard deviations
    assert abs(counts["G5n"] - 2000) < 205


def _without_the_rest(state: State) -> State:
    """With a deck list of no more than lies there."""
    assert state.setup is not None
    deck_list = tuple(sorted(all_cards(state).items()))
    rules = replace(state.setup.rules, deck_list=deck_list, placement=placement_for(deck_list))
    return state._replace(setup=replace(state.setup, rules=rules))


def test_plausibility_shifts_the_odds_and_nothing_more() -> None:
    """A bot's opinion of its opponent comes in as weights; cards that it thinks impossible are only very rare."""
    state = table(side("HUN"), side("B4d", {1: "G5d S3n", 2: "S6n"}), deck="S3n S3n G5n T4n HAB HAB K3d")
    seen = observe(_without_the_rest(state), 0)
    asked: set[tuple[Column, Shape]] = set()

    def geese(above: Column, shape: Shape) -> list[float]:
        asked.add((above, shape))
        return [1.0 if NAME[face] == "G5n" else 0.0 for face in range(len(NAME))]

    determinizer, dice = Determinizer(seen, geese), Prng(1)
    for _ in range(200):
        other = determinizer.sample(dice).players[1]
        assert other.columns[0] == cards("G5d G5n")
    assert (cards("G5d"), seen.other.shapes[0]) in asked


def test_a_contradiction_is_refused() -> None:
    """The card that lies face down must be a goose, and none is left."""
    state = table(side("HUN"), side("B4d", {1: "S3n"}), deck="K3d")
    seen = observe(_without_the_rest(state), 0)
    goose = ((FaceDownCard(1, 1 << FACE["G5n"]),), (), (), ())
    with pytest.raises(DomainError, match="no way"):
        Determinizer(replace(seen, knowledge=Knowledge(goose)))


def test_ways_to_fill_places_are_counted_card_by_card() -> None:
    """Against an enumeration by hand."""
    stilt, goose, teal = cards("S3n G5n T4n")
    pool = [stilt, stilt, goose, teal]
    either, any_night = 1 << stilt | 1 << goose, 1 << stilt | 1 << goose | 1 << teal
    assert Assignments(pool, [either]).all_ways == 3
    assert Assignments(pool, [either, any_night]).all_ways == 9
    assert Assignments(pool, [1 << goose, either]).all_ways == 2
    assert Assignments(pool, [1 << goose, 1 << goose]).all_ways == 0
    assert Assignments(pool, [either, any_night]).likelihood(4) == 9 / 12
