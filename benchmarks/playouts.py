"""How fast the pure domain plays: random playouts, legal moves + decide + evolve, one core."""

import random
import time
from collections.abc import Sequence

from domain.lifecycle import Create, Seat
from domain.migrato.decide import decide
from domain.migrato.legal import legal_moves
from domain.migrato.state import INITIAL, evolve, fold

SEATS = (Seat("human"), Seat("human"))


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


def playout_moves_per_second(moves: int, seed: int) -> float:
    """Uniformly random games one after another until `moves` moves were made; moves per second of processor time."""
    rng = random.Random(seed)
    chance, made = QuickChance(rng), 0
    started = time.process_time()
    while made < moves:
        state = fold(INITIAL, decide(INITIAL, None, Create("bench", "c", {}, SEATS), chance))
        while state.to_act is not None and made < moves:
            legal = legal_moves(state)
            move = legal[int(rng.random() * len(legal))]
            for event in decide(state, state.to_act, move, chance):
                state = evolve(state, event)
            made += 1
    return moves / (time.process_time() - started)


def run(rounds: int = 7, moves: int = 60_000) -> list[float]:
    """The rounds' figures after one round to warm the lookup tables."""
    playout_moves_per_second(moves // 3, seed=0)
    return [playout_moves_per_second(moves, seed) for seed in range(1, rounds + 1)]
