"""Speed of the pure domain: random playouts of every game, legal moves + decide + evolve, one core.

`python -m benchmarks.playouts SEED` measures once with the domain that the process finds, after a round to warm up the
lookup tables. It prints a line for each of TABLES with two figures: driven by the loop below, and by the domain's own.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import ROOT, SWITCH, place
from domain.lifecycle import Create, Seat
from domain.prng import ImaginedChance, Prng
from domain.registry import GAMES

SEATS = (Seat("human"), Seat("human"))
TABLES = [(name, seats) for name, game in GAMES.items() for seats in game.seat_counts]
SECONDS = 0.5  # that a round of a table may take, roughly


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


class Playouts:
    """Uniformly random games of one kind, one after another, each set up anew."""

    def __init__(self, game: str, seats: int) -> None:
        """`game`: as it is registered; its rules are found where every game has them."""
        rules = f"domain.{game}.rules"
        self._decide: Any = import_module(f"{rules}.decide").decide
        self._legal_moves: Any = import_module(f"{rules}.legal").legal_moves
        self._state: Any = import_module(f"{rules}.state")
        self._play_on: Any = import_module(f"domain.{game}.playout").play_on
        self._seats = (Seat("human"),) * seats

    def _fresh_game(self, chance: ImaginedChance) -> Any:
        initial = self._state.INITIAL
        return self._state.fold(
            initial, self._decide(initial, None, Create("bench", "c", {}, self._seats), chance)
        )

    def driven(self, moves: int, seed: int) -> float:
        """Play until `moves` moves were made; moves per second of processor time."""
        decide, evolve, legal_moves = self._decide, self._state.evolve, self._legal_moves
        dice = Prng(seed)
        chance, made = ImaginedChance(dice), 0
        started = time.process_time()
        while made < moves:
            state = self._fresh_game(chance)
            while state.to_act is not None and made < moves:
                legal = legal_moves(state)
                move = legal[dice.randrange(len(legal))]
                for event in decide(state, state.to_act, move, chance):
                    state = evolve(state, event)
                made += 1
        return moves / (time.process_time() - started)

    def within(self, moves: int, seed: int) -> float:
        """The same with the loop inside of the domain, where it is compiled with the rest."""
        dice = Prng(seed)
        chance, made = ImaginedChance(dice), 0
        started = time.process_time()
        while made < moves:
            made += self._play_on(self._fresh_game(chance), dice, moves - made)[1]
        return moves / (time.process_time() - started)


def measure(seed: int) -> list[Speeds]:
    """The figures of all tables in this process, one table right after the other; longer rounds for what is faster."""
    playouts = [Playouts(*table) for table in TABLES]
    moves = [int(SECONDS * one.within(60_000, 0)) for one in playouts]
    for one, number in zip(playouts, moves, strict=True):
        one.within(number, 0)
    return [
        Speeds(one.driven(number, seed), one.within(number, seed))
        for one, number in zip(playouts, moves, strict=True)
    ]


def run(rounds: int = 7) -> list[tuple[list[Speeds], list[Speeds]]]:
    """(plain, compiled) of each round, one right after the other, each in a process of its own; by TABLES.

    Where nothing could be compiled, the second is plain again.
    """
    path = f"{place()}{os.pathsep}{ROOT}"  # the same build for all rounds, even if somebody edits the sources
    compiled_domain = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    return [(_apart(seed, {SWITCH: "0"}), _apart(seed, compiled_domain)) for seed in range(1, rounds + 1)]


def _apart(seed: int, environ: dict[str, str]) -> list[Speeds]:
    command = [sys.executable, "-m", "benchmarks.playouts", str(seed)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return [Speeds(*map(float, line.split())) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    for speeds in measure(int(sys.argv[1])):
        sys.stdout.write("{} {}\n".format(*speeds))
