"""A bad connection between the service and its store: slow, or cut off again and again, at any byte."""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from drills.faults.fault import Fault, Scene, Struck, its_own_store
from drills.faults.proxy import Proxy, Weather, cutting, delaying

SLOW: Final = (0.01, 0.12)  # seconds that bytes take, each way
CUTS: Final = 40  # of so many sends one is cut off


def _slow(rng: random.Random) -> Weather:
    return delaying(rng, *SLOW)


def _cut(rng: random.Random) -> Weather:
    return cutting(rng, CUTS)


def _through(
    weather: Callable[[random.Random], Weather], words: str, scene: Scene, rng: random.Random
) -> Struck:
    ways = [weather(random.Random(rng.getrandbits(53))) for _ in range(2)]
    with Proxy(scene.engine.socket, *ways):
        time.sleep(scene.hold / 2)
    return Struck(words, scene.history.now())


FAULTS: Final = (
    Fault(
        "slow store", partial(_through, _slow, f"{SLOW[0]} to {SLOW[1]} s each way"), missing=its_own_store
    ),
    Fault("cut connections", partial(_through, _cut, f"one send of {CUTS}"), missing=its_own_store),
)
