"""How fast the pure domain plays: random playouts, legal moves + decide + evolve, one core.

`python -m benchmarks.playouts SEED` measures once with the domain that the process finds, after a round to warm up the
lookup tables, and prints two figures: driven by the loop below, and by the domain's own.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import ROOT, SWITCH, place
from domain.lifecycle import Create, Seat
from domain.migrato.playout import play_on
from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.state import INITIAL, State, evolve, fold
from domain.prng import ImaginedChance, Prng

SEATS = (Seat("human"), Seat("human"))
SECONDS = 1.0  # that a round may take, roughly


class QuickChance:
    """A chance for playouts: fast, not verifiable."""

    def __init__(self, rng: random.Random) -> None:
        """`rng` gives every order."""
        self._rng = rng

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: object) -> tuple[int, ...]:
        """The cards in any order."""
        order = list(cards)
        self._rng.shuffle(order)
        return tuple(order)

    def first_seat(self, seats: int, client_seeds: object) -> int:
        """Any seat."""
        return self._rng.randrange(seats)


class Speeds(NamedTuple):
    """Moves per second of processor time: driven by Python code from outside, and by the domain's own loop."""

    driven: float
    within: float


def _fresh_game(chance: ImaginedChance) -> State:
    return fold(INITIAL, decide(INITIAL, None, Create("bench", "c", {}, SEATS), chance))


def driven(moves: int, seed: int) -> float:
    """Uniformly random games one after another until `moves` moves were made; moves per second of processor time."""
    dice = Prng(seed)
    chance, made = ImaginedChance(dice), 0
    started = time.process_time()
    while made < moves:
        state = _fresh_game(chance)
        while state.to_act is not None and made < moves:
            legal = legal_moves(state)
            move = legal[dice.randrange(len(legal))]
            for event in decide(state, state.to_act, move, chance):
                state = evolve(state, event)
            made += 1
    return moves / (time.process_time() - started)


def within(moves: int, seed: int) -> float:
    """The same with the loop inside of the domain, where it is compiled with the rest."""
    dice = Prng(seed)
    chance, made = ImaginedChance(dice), 0
    started = time.process_time()
    while made < moves:
        made += play_on(_fresh_game(chance), dice, moves - made)[1]
    return moves / (time.process_time() - started)


def measure(seed: int) -> Speeds:
    """Both figures in this process; longer rounds for what is faster."""
    moves = int(SECONDS * within(60_000, 0))
    within(moves, 0)
    return Speeds(driven(moves, seed), within(moves, seed))


def run(rounds: int = 7) -> list[tuple[Speeds, Speeds]]:
    """(plain, compiled) of each round, one right after the other, each in a process of its own.

    Where nothing could be compiled, the second is plain again.
    """
    path = f"{place()}{os.pathsep}{ROOT}"  # the same build for all rounds, even if somebody edits the sources
    compiled_domain = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    return [(_apart(seed, {SWITCH: "0"}), _apart(seed, compiled_domain)) for seed in range(1, rounds + 1)]


def _apart(seed: int, environ: dict[str, str]) -> Speeds:
    command = [sys.executable, "-m", "benchmarks.playouts", str(seed)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return Speeds(*map(float, done.stdout.split()))


if __name__ == "__main__":
    sys.stdout.write("{} {}\n".format(*measure(int(sys.argv[1]))))
