"""Migo against its naive model: whole games, with everything that can be seen compared after every move."""

import os
from collections import Counter

import pytest

from tests.model.migo_play import Lockstep

GAMES = int(os.environ.get("MIGO_MODEL_GAMES", "40"))
FIRST_SEED = int(os.environ.get("MIGO_MODEL_SEED", "2"))
ENOUGH_GAMES = 40  # for every way to end to have been met


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_games(seats: int) -> None:
    """Over many random games engine and model agree at every step; every layout and every end is met."""
    met: Counter[str] = Counter()
    for seed in range(FIRST_SEED, FIRST_SEED + GAMES):
        model = Lockstep(seed, seats).play()
        assert model.result is not None
        met[model.result["reason"]] += 1
        met[model.layout] += 1
    ends = ["two_flags", "turn_limit", "resigned", *["round_four"] * (seats == 4)]
    if GAMES >= ENOUGH_GAMES:
        assert not {*ends, "ropes", "pyramid", "pyramids"} - set(met)
