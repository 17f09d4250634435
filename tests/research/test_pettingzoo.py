"""Migrato as a PettingZoo environment, by PettingZoo's own tests and against leaks."""

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from domain.errors import DomainError
from domain.migrato.rules.legal import legal_moves
from research import pettingzoo as migrato_v0
from research.numbering import NUMBER_OF
from tests.research.playing import VARIANTS, twins

variants = pytest.mark.parametrize("options", VARIANTS, ids=str)


def play(env: Any, seed: int) -> list[tuple[str, float]]:
    """A whole random game; the last reward of each agent."""
    rewards = []
    env.reset(seed=seed)
    for agent in env.agents:
        env.action_space(agent).seed(seed)
    for agent in env.agent_iter():
        seen, reward, ended, cut, _ = env.last()
        if ended or cut:
            rewards.append((agent, reward))
        env.step(None if ended or cut else env.action_space(agent).sample(seen["action_mask"]))
    return rewards


def test_pettingzoos_own_tests_pass() -> None:
    """Without a warning but those on dictionaries, from which PettingZoo exempts its own games by their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings(
            "ignore", message="Observation (is not a NumPy|space for each agent probably)"
        )
        api_test(migrato_v0.env(**VARIANTS[-1], turn_limit=60), num_cycles=300)
    seed_test(lambda: migrato_v0.env(**VARIANTS[-1]), num_cycles=50)


@variants
def test_observations_are_in_their_space(options: dict[str, Any]) -> None:
    env = migrato_v0.env(**options, turn_limit=40)
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, _, ended, cut, _ = env.last()
        assert env.observation_space(agent).contains(seen)
        env.step(None if ended or cut else env.action_space(agent).sample(seen["action_mask"]))


def test_the_mask_is_for_the_agent_whose_turn_it_is() -> None:
    """An illegal move loses; the table is drawn as a spectator sees it."""
    env = migrato_v0.MigratoEnv(render_mode="ansi")
    env.reset(seed=1)
    numbers = sorted(NUMBER_OF[move] for move in legal_moves(env.game))
    assert np.flatnonzero(env.observe("player_0")["action_mask"]).tolist() == numbers
    assert not env.observe("player_1")["action_mask"].any()
    assert "seat 0, 0 points: hand ? ? ?" in str(env.render())
    assert migrato_v0.MigratoEnv().render() is None
    env = migrato_v0.env()
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"] == 0)[0]))
    assert env.rewards["player_0"] == -1
    assert all(env.terminations.values())


def test_rewards_come_at_the_end_and_add_up_to_nothing() -> None:
    ends = [
        play(migrato_v0.env(turn_limit=150, score_difference=difference), 5) for difference in (False, True)
    ]
    for end in ends:
        (_, first), (_, second) = sorted(end)
        assert first == -second
    assert all(abs(reward) in (0, 1) for _, reward in ends[0])
    assert [np.sign(reward) for _, reward in ends[0]] == [np.sign(reward) for _, reward in ends[1]]


def test_an_option_that_is_wrong_is_named() -> None:
    with pytest.raises(DomainError, match=r"options\.rules"):
        migrato_v0.env(rules="chess")


@variants
def test_cards_that_an_agent_cannot_know_change_nothing_it_observes(options: dict[str, Any]) -> None:
    """Every pair of games differs in cards that only the other agent has seen."""
    env, pairs = migrato_v0.MigratoEnv(**options), 0
    env.reset(seed=1)
    for table, twin in twins(2, options, 24):
        if table.state.setup is None:
            continue
        observed = []
        for env.game in (table.state, twin.state):
            observed.append(env.observe("player_0"))
        pairs += table.state != twin.state
        for name in ("observation", "action_mask"):
            assert np.array_equal(observed[0][name], observed[1][name])
    assert pairs > 50
