"""Made-up results of an arena."""

import random
from collections.abc import Mapping
from itertools import combinations

from domain.lifecycle import places_by, places_in_duel
from service.cli.selfplay.arena.fixtures import Record, Side

OPTIONS = '{"rules":"digital"}'
STRENGTHS = {"random": 0.0, "easy": 250.0, "middle": 400.0, "strong": 520.0}


def record(game: int, bots: tuple[str, str], winner: str, ms: float = 1.0) -> Record:
    """A game of two of no particular length; each side made 10 decisions."""
    return placed(game, bots, places_in_duel(bots.index(winner) if winner else None), ms)


def placed(game: int, bots: tuple[str, ...], places: tuple[int, ...], ms: float = 1.0) -> Record:
    """The same with places, for any number of seats."""
    sides = [
        Side(bot, place, 8 - place, 10, ms, 2 * ms, 3 * ms, "1")
        for bot, place in zip(bots, places, strict=True)
    ]
    return Record(game, tuple(sides), "all_arrived", 50, 0, OPTIONS, "plain")


def changed(game: Record, seat: int = 0, **members: object) -> Record:
    """The record with other members of a seat's side."""
    sides = list(game.sides)
    sides[seat] = sides[seat]._replace(**members)  # type: ignore[arg-type]
    return game._replace(sides=tuple(sides))


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


def tournament_of(
    seats: int, elo: Mapping[str, float], games: int, rng: random.Random, ties: float = 0.0, luck: float = 0.0
) -> list[Record]:
    """Games of more seats after the Plackett-Luce model, in each line-up so many; `ties`: the share of shared places.

    `luck`: in Elo, how much a shuffle favours a seat at most.
    """
    records = []
    for line_up in combinations(sorted(elo), seats):
        for number in range(games):
            if number % seats == 0:
                deal = [rng.uniform(-luck, luck) for _ in range(seats)]
            at = number % seats
            order = (*line_up[at:], *line_up[:at])
            arrival = [
                rng.expovariate(10 ** ((elo[bot] + favour) / 400))
                for bot, favour in zip(order, deal, strict=True)
            ]
            places = places_by([-time for time in arrival])
            if rng.random() < ties:
                level = rng.randrange(1, seats)  # these two share the better place
                places = tuple([level if place == level + 1 else place for place in places])
            records.append(placed(number, order, places))
    return records
