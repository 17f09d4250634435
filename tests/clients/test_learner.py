"""The example of a bot that learns."""

import importlib.util
import random
from typing import Any

import numpy as np
import pytest

from domain.migrato.game import MIGRATO
from domain.migrato.rules.state import setup_of
from research.numbering import NUMBER_OF
from research.pettingzoo import AGENTS, MigratoEnv
from tests.support.markdown import ROOT

EXAMPLE = ROOT / "clients/python-bots/examples/learner.py"


@pytest.fixture(scope="module")
def learner() -> Any:
    """The example, imported."""
    spec = importlib.util.spec_from_file_location("learner", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("options", [{"memory_aid": True, "return_flight": True}, {"turn_limit": 50}])
def test_a_view_has_the_numbers_of_the_environment(learner: Any, options: dict[str, Any]) -> None:
    """For either seat, at every moment of a game: so what was learned in one holds in the other."""
    env, rng = MigratoEnv(**options), random.Random(1)
    env.reset(seed=1)
    for _ in range(300):
        state = env.game
        if state.result is not None:
            break
        for seat, agent in enumerate(AGENTS):
            resolved = MIGRATO.status(state).options
            view = {
                "viewer": seat,
                "to_act": state.to_act,
                "turn": state.turn,
                "options": resolved,
                "state": MIGRATO.view(state, seat),
            }
            assert np.allclose(learner.numbers(view), env.observe(agent)["observation"])
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    assert setup_of(env.game).rules.memory_aid == options.get("memory_aid", False)


def test_it_learns_and_plays(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few decisions: it agrees with its teacher more often than before, and plays a deal to its end."""
    monkeypatch.setattr(learner, "OPTIONS", {"memory_aid": True, "turn_limit": 30})
    lessons = learner.gather(300, None, random.Random(1))
    untaught, net = learner.Net(), learner.train((300, 50))

    def agreement(of: Any) -> float:
        seen, legal, chosen = lessons.batch(np.arange(len(lessons.chosen)))
        scores = of.scores(seen)
        scores[~legal] = -np.inf
        return float((scores.argmax(1) == chosen).mean())

    assert agreement(net) > agreement(untaught) + 0.1
    assert learner.won(net, AGENTS[0], "greedy", 1, random.Random(1)) in (0, 0.5, 1)
    monkeypatch.setattr(learner, "trained", lambda: net)
    env = MigratoEnv(memory_aid=True)
    env.reset(seed=1)
    moves = MIGRATO.legal_moves(env.game, 0)
    view = {"viewer": 0, "to_act": 0, "turn": 1, "options": MIGRATO.status(env.game).options}
    move = learner.Learner().choose(view | {"state": MIGRATO.view(env.game, 0)}, moves)
    seen = env.observe(AGENTS[0])
    assert NUMBER_OF[MIGRATO.parse_move(move)] == learner.best(net, seen["observation"], seen["action_mask"])


@pytest.mark.nightly("the example learns less than it says")
def test_it_is_as_strong_as_greedy(learner: Any) -> None:
    """As far as 400 games can tell: one half is in the interval, or below it."""
    _, _, high = learner.measure(learner.train())
    assert high > 0.5
