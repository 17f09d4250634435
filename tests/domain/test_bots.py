"""The bots: legal, repeatable, sensible; and heuristic beats greedy."""

import random

import pytest

from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.rules.decide import decide
from domain.migrato.rules.state import State, fold
from tests.domain.playing import OPTIONS, chance_of, start


def _play(seed: int, bots: tuple[str, str], options: dict[str, object]) -> State:
    state, _ = start(seed, options)
    rng, chance = random.Random(seed), chance_of(seed)
    while state.to_act is not None:
        move = BOTS[bots[state.to_act]].think(observe(state, state.to_act), rng).move
        state = fold(state, decide(state, state.to_act, move, chance))
    return state


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("bot", ["greedy", "heuristic"])
def test_sensible_bots_finish_within_150_turns(bot: str, options: dict[str, object]) -> None:
    """Nearly all games: here every one of 15."""
    turns = sorted(_play(seed, (bot, bot), options).turn for seed in range(15))
    assert turns[-2] <= 150


def test_the_random_bot_finishes_too() -> None:
    """However long it takes."""
    assert _play(1, ("random", "random"), {}).result is not None


def test_heuristic_beats_greedy() -> None:
    """120 games with fixed seeds, seats changed: about four of five decided games; asserted is well below that."""
    lead = 0
    for seed in range(120):
        bots = ("heuristic", "greedy") if seed % 2 else ("greedy", "heuristic")
        result = _play(seed, bots, {"first_seat": seed // 2 % 2}).result
        assert result is not None
        if result.winner is not None:
            lead += 1 if bots[result.winner] == "heuristic" else -1
    assert lead >= 48  # as 84 to 36, more than 4 standard deviations from even
