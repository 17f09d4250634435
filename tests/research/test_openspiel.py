"""Migrato as a game of OpenSpiel, by OpenSpiel's own tests and against leaks."""

import pickle
import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.observation import make_observation

from domain.bot import Budget
from domain.errors import DomainError
from domain.migrato.rules.cards import STANDARD
from research.numbering import described
from research.openspiel import DRAWN, MigratoBot, MigratoState
from tests.research.playing import twins

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"rules": "opla", "memory_aid": True},
    {"return_flight": True, "first_seat": 1},
    {"rules": "opla", "return_flight": True, "first_seat": DRAWN, "score_difference": True},
)
variants = pytest.mark.parametrize("params", VARIANTS, ids=str)


def load(params: dict[str, Any], turn_limit: int = 40) -> pyspiel.Game:
    """The game, short enough for random play."""
    return pyspiel.load_game("python_migrato", {"turn_limit": turn_limit, **params})


def act(state: MigratoState, rng: random.Random) -> None:
    """One step of random play."""
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, chances)[0])
    else:
        state.apply_action(rng.choice(state.legal_actions()))


def dealt(game: pyspiel.Game, seed: int, moves: int) -> MigratoState:
    """A state in which a player acts, after so many moves."""
    rng, state = random.Random(seed), game.new_initial_state()
    while state.is_chance_node() or moves:
        moves -= not state.is_chance_node()
        act(state, rng)
    return state  # type: ignore[no-any-return]


@variants
def test_openspiels_simulation_test_passes(params: dict[str, Any]) -> None:
    """With its checks of legal actions, chances, observations, clones and serialization at every step."""
    pyspiel.random_sim_test(load(params, 30), num_sims=1, serialize=True, verbose=False)


def test_openspiels_simulation_test_passes_on_long_games() -> None:
    pyspiel.random_sim_test(load({}, 200), num_sims=1, serialize=False, verbose=False)


@variants
def test_a_game_and_its_states_come_back_from_storage(params: dict[str, Any]) -> None:
    """The game is within the bounds that it states."""
    game, rng = load(params, turn_limit=25), random.Random(3)
    state, steps, chances = game.new_initial_state(), 0, 0
    while not state.is_terminal():
        steps += 1
        chances += state.is_chance_node()
        if steps & (steps - 1) == 0:
            game_again, state_again = pyspiel.deserialize_game_and_state(
                pyspiel.serialize_game_and_state(game, state)
            )
            unpickled = pickle.loads(pickle.dumps(state))
            assert str(game_again) == str(game)
            assert str(pickle.loads(pickle.dumps(game))) == str(game)
            assert str(state_again) == str(unpickled) == str(state)
            assert unpickled.history() == state.history()
            assert unpickled.legal_actions() == state.legal_actions()
        act(state, rng)
    assert steps - chances <= game.max_game_length()
    assert chances <= game.max_chance_nodes_in_history()
    assert all(game.min_utility() <= worth <= game.max_utility() for worth in state.returns())
    assert sum(state.returns()) == 0


def test_a_clone_goes_its_own_way() -> None:
    """A world that is sampled without a resampler does, too."""
    state = dealt(load({}), 1, 6)
    before, seat = str(state), state.current_player()
    clone = state.clone()
    clone.apply_action(clone.legal_actions()[0])
    world = state.resample_from_infostate(seat, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    assert str(state) == before != str(clone)
    assert world.information_state_string(seat) == state.information_state_string(seat)
    assert world.legal_actions() == state.legal_actions()


def test_the_score_difference_is_what_the_game_is_worth_on_demand() -> None:
    for seed in range(40):
        rng, state = random.Random(seed), load({"score_difference": True}, 120).new_initial_state()
        while not state.is_terminal():
            act(state, rng)
        first, second = state.table.state.result.scores
        assert state.returns() == [first - second, second - first]
        if first != second:
            return
    pytest.fail("no game was won")


def test_a_deck_list_is_a_parameter_too() -> None:
    """A parameter that is wrong is named."""
    words = " ".join(f"{face}:{count + (face == 'T5d')}" for face, count in STANDARD.items())
    game = load({"deck_list": words})
    assert pyspiel.load_game(str(game)).new_initial_state().table.deal == game.new_initial_state().table.deal
    assert sum(heap.cards.count(0) for heap in game.laid.deal.heaps) == 0
    assert len(game.laid.deal.heaps[0].cards) == 55
    for params, name in (({"rules": "chess"}, "rules"), ({"turn_limit": 0}, "turn_limit")):
        with pytest.raises(DomainError, match=rf"options\.{name}"):
            load(params)


def test_moves_are_told_in_words() -> None:
    """Our own bots keep to their time and choose one."""
    state = dealt(load({}), 1, 0)
    for action in state.legal_actions():
        assert state.action_to_string(0, action) == described(action)
        assert state.string_to_action(0, described(action)) == action
    assert load({"first_seat": DRAWN}).new_initial_state().action_to_string(-1, 1) == "seat 1 starts"
    assert MigratoBot("greedy", seed=1, budget=Budget(milliseconds=1)).step(state) in state.legal_actions()


@variants
def test_cards_that_a_seat_cannot_know_change_nothing_it_observes(params: dict[str, Any]) -> None:
    """Every pair of games differs in cards that only seat 1 has seen."""
    game, pairs = load(params), 0
    kinds = [
        (recall, make_observation(game, pyspiel.IIGObservationType(True, recall, private)))
        for recall in (False, True)
        for private in (pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE)
    ]
    state, twin = game.new_initial_state(), game.new_initial_state()
    for state.table, twin.table in twins(1, game.laid.options, 20):
        pairs += str(state) != str(twin)
        assert state.information_state_string(0) == twin.information_state_string(0)
        if not state.is_chance_node():
            assert state.legal_actions(0) == twin.legal_actions(0)
        for recall, observation in kinds:
            assert observation.string_from(state, 0) == observation.string_from(twin, 0)
            if not recall:
                observation.set_from(state, 0)
                numbers = observation.tensor.copy()
                observation.set_from(twin, 0)
                assert np.array_equal(numbers, observation.tensor)
    assert pairs > 40


def test_a_seat_with_perfect_recall_knows_its_buried_cards() -> None:
    for seed in range(20):
        state = dealt(load({}), seed, 6)
        side = state.table.state.players[0]
        if any(side.shapes[0]) != any(side.columns[0]) and any(side.columns):
            assert "(" in state.information_state_string(0)
            assert "(" not in state.observation_string(0)
            return
    pytest.fail("nobody buried a card")


def test_observations_that_show_all_hands_or_nothing_public_are_refused() -> None:
    for refused in (
        pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS),
        pyspiel.IIGObservationType(perfect_recall=False, public_info=False),
    ):
        with pytest.raises(ValueError, match="There are no observations"):
            make_observation(load({}), refused)


def test_openspiels_search_plays_it_with_fair_worlds() -> None:
    """The bot itself checks that the seat could not tell any sampled world from the true one."""
    game = load({}, turn_limit=12)
    numbers = np.random.RandomState(1)
    searching = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, numbers), 1.0, 20, random_state=numbers)
    rng = random.Random(1)
    searching.set_resampler(lambda state, player: state.imagined(player, rng))
    bots, state = [searching, MigratoBot("heuristic", seed=1)], game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            act(state, rng)
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert state.table.state.turn == 13
