"""The figures of a tournament."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from domain.lifecycle import Json
from service.cli.selfplay.arena.fixtures import Record
from service.cli.selfplay.arena.scores import (
    DRAWS,
    Encounter,
    Estimate,
    Shuffle,
    draw_shares,
    encounters,
    estimate,
    shuffles,
)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Milliseconds of processor time of a decision: mean and maximum of all, and the mean of the games' `p95`."""

    mean: float
    p95: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Placings:
    """Numbers of first, second, ... places, alone or not, and of places that were `shared`."""

    places: tuple[int, ...]
    shared: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing of a bot. `step` is its lead in Elo over the next below; `score` its share of the points.

    `fallbacks`: its decisions that another bot made in its place, because it gave no legal move in time.
    """

    bot: str
    version: str
    elo: Estimate | None
    step: Estimate | None
    games: int
    score: float
    placings: Placings
    thinking: Thinking
    fallbacks: int


@dataclass(frozen=True, slots=True)
class Duel:
    """An encounter seen by the better bot; `expected` is the share that the ratings promise."""

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate
    expected: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """The figures of the whole tournament; the best bot first. `anchor`: the bot with the fixed rating, None without
    ratings.

    `boundless`: bots that took every point or none, so that nothing bounds their distance to the others; `placings`: by
    seat, over all bots on it.
    """

    game: str
    seats: int

    bots: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    games: int
    unpaired: int
    seeds: tuple[int, ...]
    options: Json
    build: str
    anchor: str | None
    boundless: tuple[str, ...]
    placings: tuple[Placings, ...]


def can_fit() -> bool:
    """True if the library that ratings need is installed."""
    return find_spec("choix") is not None


def standings(records: Sequence[Record], anchor: tuple[str, float] | None = None) -> Standings:
    """The figures of at least one game. `anchor` is a bot and the rating it is given.

    By default that is `random` at 0 or, if it did not play, the weakest bot.
    """
    results = [result for result in encounters(records) if result.games]
    whole, waiting = shuffles(records)
    names = list(dict.fromkeys(name for record in records for name in record.bots))
    rng = random.Random(0)  # noqa: S311 (the same results, the same intervals)
    drawn = draw_shares(results, whole, rng)
    ratings = _ratings(names, results, drawn) if can_fit() and _linked(names, results) else {}
    scores = {name: _score(name, results) for name in names}
    order = sorted(
        names, key=lambda name: (ratings[name][0] if ratings else scores[name], name), reverse=True
    )
    if ratings:
        anchor = anchor or (("random" if "random" in names else order[-1]), 0.0)
        ratings = _anchored(ratings, *anchor)
    bots = [
        _standing(name, below, ratings, scores[name], records, whole)
        for name, below in zip(order, [*order[1:], None], strict=True)
    ]
    duels = [_duel(result, shares, order, ratings) for result, shares in zip(results, drawn, strict=True)]
    return Standings(
        game=records[0].game,
        seats=len(records[0].sides),
        bots=tuple(bots),
        duels=tuple(sorted(duels, key=lambda duel: (order.index(duel.a), order.index(duel.b)))),
        games=len(records),
        unpaired=len(waiting),
        seeds=tuple(sorted({record.seed for record in records})),
        options=json.loads(records[0].options),
        build=records[0].build,
        anchor=anchor[0] if ratings and anchor else None,
        boundless=tuple(name for name in order if scores[name] in (0.0, 1.0)),
        placings=tuple([_placings(whole, seat=seat) for seat in range(len(records[0].sides))]),
    )


def _linked(names: Sequence[str], results: Sequence[Encounter]) -> bool:
    """True if every bot has met every other, if only through third ones: without that nothing compares them."""
    met = set(names[:1])
    for _ in names:
        met.update(name for result in results for name in (result.a, result.b) if met & {result.a, result.b})
    return met == set(names)


Ratings = dict[str, list[float]]  # a bot's rating, then one for each draw


def _ratings(names: Sequence[str], results: Sequence[Encounter], drawn: Sequence[Sequence[float]]) -> Ratings:
    from service.cli.selfplay.arena.elo import fit

    fits = [fit(names, results, [result.smoothed for result in results])]
    fits += [fit(names, results, [shares[draw] for shares in drawn]) for draw in range(DRAWS)]
    return {name: [ratings[place] for ratings in fits] for place, name in enumerate(names)}


def _anchored(ratings: Ratings, anchor: str, at: float) -> Ratings:
    """The ratings with the anchor's at a given number, in every draw."""
    base = ratings[anchor]
    return {name: [r - b + at for r, b in zip(own, base, strict=True)] for name, own in ratings.items()}


def _standing(
    name: str,
    below: str | None,
    ratings: Ratings,
    score: float,
    records: Sequence[Record],
    whole: Sequence[Shuffle],
) -> Standing:
    elo = step = None
    if ratings:
        elo = estimate(ratings[name][0], ratings[name][1:])
    if ratings and below is not None:
        lead = [own - other for own, other in zip(ratings[name], ratings[below], strict=True)]
        step = estimate(lead[0], lead[1:])
    version = next(side.version for record in records for side in record.sides if side.bot == name)
    placings = _placings(whole, bot=name)
    games = sum(placings.places)
    fallbacks = sum(side.fallbacks for record in records for side in record.sides if side.bot == name)
    return Standing(name, version, elo, step, games, score, placings, _thinking(name, records), fallbacks)


def _placings(whole: Sequence[Shuffle], bot: str | None = None, seat: int | None = None) -> Placings:
    """Placings of one bot or one seat, in the games that count."""
    reached = [
        (side.place, [other.place for other in record.sides].count(side.place) > 1)
        for games in whole
        for record in games
        for at, side in enumerate(record.sides)
        if bot == side.bot or seat == at
    ]
    seats = len(whole[0]) if whole else 0
    places = tuple([sum(place == at for at, _ in reached) for place in range(1, seats + 1)])
    return Placings(places, sum(shared for _, shared in reached))


def _score(name: str, results: Sequence[Encounter]) -> float:
    """The bot's share of the points of its games, 0 to 1."""
    points = [result.share * result.games for result in results if result.a == name]
    points += [(1 - result.share) * result.games for result in results if result.b == name]
    games = sum(result.games for result in results if name in (result.a, result.b))
    return sum(points) / games if games else 0.0


def _thinking(name: str, records: Sequence[Record]) -> Thinking:
    sides = [side for record in records for side in record.sides if side.bot == name]
    decisions = sum(side.moves for side in sides) or 1
    return Thinking(
        mean=sum(side.moves * side.ms_mean for side in sides) / decisions,
        p95=sum(side.ms_p95 for side in sides) / len(sides),
        maximum=max(side.ms_max for side in sides),
    )


def _duel(result: Encounter, shares: Sequence[float], order: Sequence[str], ratings: Ratings) -> Duel:
    score = estimate(result.share, shares)
    a, b, wins, losses = result.a, result.b, result.wins, result.losses
    if order.index(a) > order.index(b):
        a, b, wins, losses = b, a, losses, wins
        score = Estimate(1 - score.value, 1 - score.high, 1 - score.low)
    promised = None
    if ratings:
        from service.cli.selfplay.arena.elo import expected

        promised = expected(ratings[a][0] - ratings[b][0])
    return Duel(a, b, result.games, wins, result.draws, losses, score, promised)
