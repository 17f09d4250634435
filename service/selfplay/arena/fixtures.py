"""Who plays whom, in which order, and a game's record.

Each pair of entrants plays its games two by two: the same shuffles, with the seats swapped. So the luck of the deal
falls to both, and what is left tells more about the bots. A game follows from the tournament's seed, the two names and
its number alone: not from the other entrants, nor from how many games there are, nor from the processes.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from domain.lifecycle import Json
from domain.migrato.bots import BOTS
from service.selfplay.match import Entrant, play


@dataclass(frozen=True, slots=True)
class Tournament:
    """A round robin; `games` is the (even) number for each pair of entrants, `options` the game's."""

    entrants: tuple[Entrant, ...]
    games: int
    options: Json
    seed: int
    build: str


class Fixture(NamedTuple):
    """Game `number` of two entrants; `first` sits in seat 0 and starts, unless the options say otherwise."""

    first: Entrant
    second: Entrant
    number: int


class Record(NamedTuple):
    """A game that was played: a line of the results. Suffixes are seats; `winner` is a name, "" a draw.

    `moves_*` counts decisions; `ms_*` is the processor time of one in milliseconds: mean, 95 % quantile and maximum of
    the game's. `options` is JSON.
    """

    game: int
    bot_0: str
    bot_1: str
    winner: str
    reason: str
    turns: int
    score_0: int
    score_1: int
    moves_0: int
    moves_1: int
    ms_mean_0: float
    ms_p95_0: float
    ms_max_0: float
    ms_mean_1: float
    ms_p95_1: float
    ms_max_1: float
    version_0: str
    version_1: str
    seed: int
    options: str
    build: str


Key = tuple[str, str, int]


def key_of(game: Fixture | Record) -> Key:
    """Who sits where and the number of the game: what tells a tournament's games apart."""
    if isinstance(game, Fixture):
        return game.first.name, game.second.name, game.number
    return game.bot_0, game.bot_1, game.game


def fixtures(tournament: Tournament) -> Iterator[Fixture]:
    """Every game, round by round: wherever it is interrupted, all pairs are about equally far."""
    pairs = [sorted(pair, key=lambda entrant: entrant.name) for pair in combinations(tournament.entrants, 2)]
    for number in range(0, tournament.games, 2):
        for one, other in pairs:
            yield Fixture(one, other, number)
            yield Fixture(other, one, number + 1)


def play_fixture(tournament: Tournament, fixture: Fixture) -> Record:
    """Play it."""
    first, second, number = fixture
    names = sorted((first.name, second.name))
    what = json.dumps([tournament.seed, *names, number // 2])
    seed = hashlib.sha256(what.encode()).digest()
    winner, reason, turns, scores, thinking = play((first, second), tournament.options, seed, "arena")
    return Record(
        number,
        first.name,
        second.name,
        "" if winner is None else (first, second)[winner].name,
        reason,
        turns,
        scores[0],
        scores[1],
        len(thinking[0]),
        len(thinking[1]),
        *_milliseconds(thinking[0]),
        *_milliseconds(thinking[1]),
        version_of(first),
        version_of(second),
        tournament.seed,
        options_text(tournament.options),
        tournament.build,
    )


def version_of(entrant: Entrant) -> str:
    """The version of the bot as it is here."""
    return BOTS[entrant.bot].version


def options_text(options: Json) -> str:
    """The options as they stand in a record."""
    return json.dumps(options, sort_keys=True, separators=(",", ":"))


def _milliseconds(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Mean, 95 % quantile (nearest rank) and maximum of at least no decision, to the microsecond."""
    if not seconds:
        return 0.0, 0.0, 0.0
    ordered = sorted(second * 1000 for second in seconds)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return round(sum(ordered) / len(ordered), 3), round(p95, 3), round(ordered[-1], 3)
