"""Migrato as a PettingZoo environment in which one agent acts at a time, "migrato_v0".

An observation is a dict: "observation", the table as the agent sees it in numbers from 0 to 1 (`research.sight.SHAPES`
tells them apart), and "action_mask", 1 for the number of every legal move (`research.numbering.MOVES`). The reward
comes when the game is over.
"""

import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from domain.lifecycle import Create, Json, Seat
from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.options import resolve
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import INITIAL, fold, setup_of
from research import sight
from research.numbering import MOVES, NUMBER_OF

AGENTS: Final = [f"player_{seat}" for seat in range(SEATS)]


def env(**options: Any) -> AECEnv:
    """The environment as it is meant to be used: an illegal move loses at once. Options: see `MigratoEnv`."""
    plain = MigratoEnv(**options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(plain, illegal_reward=-1))
    )


class MigratoEnv(AECEnv, EzPickle):
    """The bare environment."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's own attribute
        "name": "migrato_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, render_mode: str | None = None, score_difference: bool = False, **options: Any
    ) -> None:
        """`options`: see `domain.migrato.rules.options`; DomainError "validation-error" names one that is wrong.

        `score_difference`: the reward is the difference in points, else 1, 0 or -1. `render_mode`: None or "ansi".
        """
        EzPickle.__init__(self, render_mode, score_difference, **options)
        super().__init__()
        resolve(options)
        self.render_mode = render_mode
        self._score_difference, self._options = score_difference, options
        self._rng = random.Random()
        self.game = INITIAL
        self.possible_agents = AGENTS[:]
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(len(MOVES)) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (sight.SIZE,), np.float32),
                    "action_mask": spaces.Box(0, 1, (len(MOVES),), np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for both agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Json | None = None) -> None:
        """Deal a new game; with the same seed, the same one. There are no `options`."""
        if seed is not None:
            self._rng = random.Random(seed)
        create = Create("pettingzoo", "", self._options, (Seat("human"),) * SEATS)
        self.game = fold(INITIAL, decide(INITIAL, None, create, _Chance(self._rng)))
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, Json] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._to_act()

    def step(self, action: int | None) -> None:
        """Make a move by its number; DomainError "illegal-move" says what is wrong with it. None once all is over."""
        agent, state = self.agent_selection, self.game
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        events = decide(state, state.to_act, MOVES[action], _Chance(self._rng))
        self.game = fold(state, events)
        if self.game.result is not None:
            self.rewards = dict(zip(AGENTS, self._worth(self.game.result.scores), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
            self._accumulate_rewards()
        self.agent_selection = self._to_act()

    def _to_act(self) -> str:
        return AGENTS[self.game.to_act or 0]

    def _worth(self, scores: Sequence[int]) -> tuple[float, float]:
        lead = scores[0] - scores[1]
        worth = lead if self._score_difference else (lead > 0) - (lead < 0)
        return float(worth), float(-worth)

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Observation and legal actions of the agent; own face-down cards only by the option `memory_aid`."""
        seat, state = AGENTS.index(agent), self.game
        seen = np.zeros(sight.SIZE, np.float32)
        sight.fill(sight.pieces(seen), state, seat, seat, setup_of(state).rules.memory_aid)
        mask = np.zeros(len(MOVES), np.int8)
        if seat == state.to_act:
            mask[[NUMBER_OF[move] for move in legal_moves(state)]] = 1
        return {"observation": seen, "action_mask": mask}

    def render(self) -> str | None:
        """The table in words, as a spectator sees it, with render mode "ansi"."""
        return sight.described(self.game, None, recalls=False) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held open."""


class _Chance:
    """Any order and any seat, by the environment's own generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: object) -> tuple[int, ...]:
        return tuple(self._rng.sample(cards, len(cards)))

    def first_seat(self, seats: int, client_seeds: object) -> int:
        return self._rng.randrange(seats)
