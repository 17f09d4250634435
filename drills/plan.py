"""The plan: which faults, in which order, after which rests. It follows from its seed alone."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

REST: Final = (0.0, 1.5)  # seconds of play before a fault


@dataclass(frozen=True, slots=True)
class Step:
    """One fault to come, `rest` seconds after all games went on; `seed` is what its own chance follows from."""

    number: int
    fault: str
    rest: float
    seed: int


def steps(seed: int, faults: Sequence[str]) -> Iterator[Step]:
    """The plan of this seed, without an end: every fault once in each round, the rounds in an order by chance.

    So a drill that is long enough meets every fault, and a kill hits a game at any moment.
    """
    rng = random.Random(seed)
    number = 0
    while True:
        for fault in rng.sample(list(faults), len(faults)):
            number += 1
            yield Step(number, fault, rng.uniform(*REST), rng.getrandbits(53))
