"""The example of a bot that learns."""

import importlib.util
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from domain.migrato.game import MIGRATO
from domain.migrato.rules.moves import PlayDanger
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import score, setup_of
from research.numbering import MOVES, NUMBER_OF
from research.pettingzoo import AGENTS, MigratoEnv
from tests.support.markdown import ROOT

RULES = resolve({})
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
        chosen = [of.scores(lesson.rows.astype(np.float32)).argmax() == lesson.chosen for lesson in lessons]
        return float(sum(chosen) / len(chosen))

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


@pytest.mark.parametrize("options", [{"memory_aid": True}, {"return_flight": True}])
def test_moves_have_the_numbers_of_what_they_lead_to(learner: Any, options: dict[str, Any]) -> None:
    """The own columns, points and hand after any move of a game are those that the game comes to; the deck is not
    looked at.
    """
    env, rng = MigratoEnv(**options), random.Random(2)
    env.reset(seed=2)
    compared = 0
    while env.game.result is None and env.game.turn < 120:
        state, agent = env.game, env.agent_selection
        seen = env.observe(agent)
        moves = [MOVES[number] for number in np.flatnonzero(seen["action_mask"])]
        rows, at = learner.choices(seen["observation"], moves), int(rng.randrange(len(moves)))
        assert rows.shape == (len(moves), learner.SIZE)
        env.step(NUMBER_OF[moves[at]])
        me, after = AGENTS.index(agent), env.game
        if (
            options.get("memory_aid")
            and env.agent_selection == agent
            and not isinstance(moves[at], PlayDanger)
        ):
            used = sum(1 for column in after.players[me].columns if column)
            assert rows[at][7 + 35] == used / 4
            gained = score(after.players[me], RULES) - score(state.players[me], RULES)
            assert rows[at][7 + 39] == np.float32(gained / 9)
            compared += 1
    assert compared > 20 or not options.get("memory_aid")


def test_without_a_net_it_says_what_to_do(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a net the program says in a sentence what to do, and shows no traceback."""
    monkeypatch.setattr(learner, "FILE", tmp_path / "learner.npz")
    monkeypatch.setattr("sys.argv", ["learner.py", "measure"])
    with pytest.raises(SystemExit, match=r"There is no learner\.npz yet"):
        learner.main()


@pytest.mark.nightly("the example learns less than it says")
def test_it_beats_greedy(learner: Any) -> None:
    """As far as 400 games can tell: the lower end of the interval is above one half."""
    _, low, _ = learner.measure(learner.train())
    assert low > 0.5
