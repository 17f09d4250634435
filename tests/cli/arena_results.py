"""Made-up results of an arena."""

import random
from collections.abc import Mapping
from itertools import combinations

from service.selfplay.arena.fixtures import Record

OPTIONS = '{"rules":"digital"}'


def record(game: int, bots: tuple[str, str], winner: str, ms: float = 1.0) -> Record:
    """A game of no particular length; each side made 10 decisions."""
    times = (ms, 2 * ms, 3 * ms)
    return Record(
        game, *bots, winner, "all_arrived", 50, 7, 5, 10, 10, *times, *times, "1", "1", 0, OPTIONS, "plain"
    )


def tournament(
    elo: Mapping[str, float], games: int, rng: random.Random, draws: float = 0.1, luck: float = 0.0
) -> list[Record]:
    """Games of bots of these strengths: so many for each pair, so many of them drawn.

    `luck`: in Elo, how much a shuffle favours one of the seats at most.
    """
    records = []
    for a, b in combinations(sorted(elo), 2):
        for number in range(games):
            if number % 2 == 0:
                deal = rng.uniform(-luck, luck)
            first, second = (a, b) if number % 2 == 0 else (b, a)
            share = 1 / (1 + 10 ** ((elo[second] - elo[first] - deal) / 400))
            drawn = min(draws, 2 * share, 2 - 2 * share)
            at = rng.random()
            winner = "" if at < drawn else first if at < drawn / 2 + share else second
            records.append(record(number, (first, second), winner))
    return records
