"""Fixtures of a tournament in their order, and a game's record.

Every line-up, as many of the entrants as a game has seats, plays its games in shuffles: the same shuffle as often as
there are seats, the line-up moved on by a seat each time. So all bots get the same luck of the deal, and the results
tell more about the bots. With two seats, these are two games with the seats swapped. With more, the order round the
table changes from shuffle to shuffle, so that who follows whom favours nobody either. A game follows from the
tournament's seed, the names of its line-up and its number alone: not from the other entrants, nor from how many games
there are, nor from the processes.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from typing import NamedTuple

from domain.lifecycle import Json
from domain.registry import DEFAULT_GAME, game_named
from service.cli.selfplay.match import Contestant, play


@dataclass(frozen=True, slots=True)
class Tournament:
    """`games`: for each line-up, a multiple of `seats`; `options`: the game's."""

    entrants: tuple[Contestant, ...]
    games: int
    options: Json
    seed: int
    build: str
    game: str = DEFAULT_GAME
    seats: int = 2

    @property
    def has_external_bots(self) -> bool:
        """True if external bots take part, in whose place another bot may have to move."""
        return any(entrant.is_external for entrant in self.entrants)


class Fixture(NamedTuple):
    """Game `number` of a line-up, whose entrants sit in this order; seat 0 starts, unless the options say otherwise."""

    entrants: tuple[Contestant, ...]
    number: int


class Side(NamedTuple):
    """Result of a game for a seat. `place`: 1 is the best, ties share one.

    `moves` counts decisions; `ms_*` is the time of one in milliseconds: mean, 95 % quantile and maximum. It is
    processor time, but for a bot on a server the time until its answer. `fallbacks`: decisions in which another bot
    moved in the place of an external bot.
    """

    bot: str
    place: int
    score: int
    moves: int
    ms_mean: float
    ms_p95: float
    ms_max: float
    version: str
    fallbacks: int = 0


class Record(NamedTuple):
    """A game that was played: `number` of its line-up, `sides` by seat; `options` is JSON."""

    number: int
    sides: tuple[Side, ...]
    reason: str
    turns: int
    seed: int
    options: str
    build: str
    game: str = DEFAULT_GAME

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots by seat."""
        return tuple([side.bot for side in self.sides])

    @property
    def winner(self) -> str:
        """The bot that is first alone; "" if the place is shared."""
        first = [side.bot for side in self.sides if side.place == 1]
        return first[0] if len(first) == 1 else ""


Key = tuple[str | int, ...]


def key_of(game: Fixture | Record) -> Key:
    """Key that tells a tournament's games apart: the bots by seat, then the number of the game."""
    if isinstance(game, Fixture):
        return (*[entrant.name for entrant in game.entrants], game.number)
    return (*game.bots, game.number)


def fixtures(tournament: Tournament) -> Iterator[Fixture]:
    """Every game, shuffle by shuffle: wherever it is interrupted, all line-ups are about equally far."""
    seats = tournament.seats
    entrants = {entrant.name: entrant for entrant in tournament.entrants}
    line_ups = list(combinations(entrants, seats))
    for number in range(0, tournament.games, seats):
        for line_up in line_ups:
            for step in range(seats):
                names = seated(line_up, number + step)
                yield Fixture(tuple([entrants[name] for name in names]), number + step)


def seated(line_up: Sequence[str], number: int) -> tuple[str, ...]:
    """The names by seat in game `number` of the line-up. The order round the table is another one in each shuffle: all
    that are not mere rotations of each other come in turn.
    """
    shuffle, step = divmod(number, len(line_up))
    first, *others = sorted(line_up)
    at = shuffle % math.factorial(len(others))
    order = (first, *next(islice(permutations(others), at, None)))
    return (*order[step:], *order[:step])


def play_fixture(tournament: Tournament, fixture: Fixture) -> Record:
    """Play the fixture, and return the record of it."""
    entrants, number = fixture
    game = game_named(tournament.game)
    names = sorted(entrant.name for entrant in entrants)
    what = json.dumps([tournament.seed, *names, number // tournament.seats])
    seed = hashlib.sha256(what.encode()).digest()
    places, reason, turns, scores, thinking, fallbacks = play(
        game, entrants, tournament.options, seed, "arena"
    )
    sides = [
        Side(entrant.name, place, score, len(times), *_milliseconds(times), entrant.version(game), fallen)
        for entrant, place, score, times, fallen in zip(
            entrants, places, scores, thinking, fallbacks, strict=True
        )
    ]
    options = options_text(tournament.options)
    return Record(
        number, tuple(sides), reason, turns, tournament.seed, options, tournament.build, tournament.game
    )


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
