"""The measurement of our search against OpenSpiel's: that it measures what it says."""

import random
from functools import partial
from itertools import count

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

from benchmarks import against_openspiel
from benchmarks.against_openspiel import CutPlayouts, Pace, Rival, interval, match, play, rival_bot
from domain.bot import Budget
from research.openspiel import MigratoState


@pytest.fixture(autouse=True)
def short_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against_openspiel, "TURN_LIMIT", 12)


def opened(turn_limit: int = 12) -> MigratoState:
    """A game just dealt."""
    state = pyspiel.load_game("python_migrato", {"turn_limit": turn_limit}).new_initial_state()
    while state.is_chance_node():
        state.apply_action(random.Random(1).choice(state.legal_actions()))
    return state  # type: ignore[no-any-return]


@pytest.mark.parametrize("rival", [Rival(cut=None), Rival(cut=5), Rival(cut=5, by_lead=False)], ids=str)
def test_a_game_is_played_from_both_sides(rival: Rival) -> None:
    first, second = (
        play("greedy", rival, Pace(iterations=3, milliseconds=None), number) for number in (0, 1)
    )
    for played in (first, second):
        assert played.turns == 12
        assert played.score == (played.lead > 0) + 0.5 * (played.lead == 0)
        assert played.simulations == 3


def test_openspiels_bot_takes_the_time_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that is read before each simulation, and goes 10 ms on each time."""
    monkeypatch.setattr(against_openspiel, "clock", partial(next, count(step=0.01)))
    state = opened()
    bot = rival_bot(state.get_game(), Rival(cut=5), Budget(milliseconds=95), seed=1)
    assert bot.step(state) in state.legal_actions()
    assert bot.simulations == 9


def test_short_playouts_that_get_to_the_end_judge_as_whole_ones_do() -> None:
    """In a game of a few turns a cut after many moves cuts nothing: both evaluations estimate the same."""
    state = opened(turn_limit=3)
    quick = CutPlayouts(Rival(cut=100), seed=2)
    shipped = mcts.RandomRolloutEvaluator(1, np.random.RandomState(2))
    worth = [sum(e.evaluate(state)[0] for _ in range(50)) / 50 for e in (quick, shipped)]
    assert worth[0] == pytest.approx(worth[1], abs=0.3)
    assert sorted(quick.prior(state)) == sorted(shipped.prior(state))


def test_games_are_spread_over_processes() -> None:
    assert len(match("greedy", Rival(cut=2), Pace(iterations=2, milliseconds=None), games=2, jobs=1)) == 2


def test_the_interval_is_wilsons() -> None:
    """Against the published example of 81 of 263 (Newcombe 1998): 0.2553 to 0.3662."""
    assert interval([1.0] * 81 + [0.0] * 182) == pytest.approx((0.2553, 0.3662), abs=1e-4)
