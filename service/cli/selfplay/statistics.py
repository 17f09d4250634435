"""Statistics of a series of games: win rates with their uncertainty, and lengths of games."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from service.cli.selfplay.match import Match, Outcome

Z_95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of games and its 95 % confidence interval."""

    count: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BotResult:
    """Result of one bot of a match.

    `wins`: first places that it had to itself, in all games and `in_order`: as the starter, as the one after, ...;
    `shared`: first places that it shared; `places`: how often it came first, second, ..., alone or not.
    """

    bot: str
    wins: Rate
    in_order: tuple[Rate, ...]
    shared: Rate
    places: tuple[int, ...]
    mean_score: float


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Result of the starter, or of the one so many seats after; members as in `BotResult`."""

    wins: Rate
    shared: Rate
    places: tuple[int, ...]
    mean_score: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """The distribution of the games' lengths, in turns."""

    minimum: int
    quartiles: tuple[int, int, int]
    p95: int
    p99: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A series of games in figures.

    `seats`: from the starter on; `draws`: games whose first place was shared; `reasons` counts how games ended.
    """

    games: int
    bots: tuple[BotResult, ...]
    seats: tuple[SeatResult, ...]
    draws: Rate
    lengths: Lengths
    reasons: dict[str, int]


def summarize(match: Match, outcomes: Sequence[Outcome]) -> Summary:
    """The figures of at least one game."""
    turns = sorted(outcome.turns for outcome in outcomes)
    reasons = sorted({outcome.reason for outcome in outcomes})
    return Summary(
        games=len(outcomes),
        bots=tuple(_bot_result(match, outcomes, index) for index in range(len(match.bots))),
        seats=tuple(_seat_result(match, outcomes, order) for order in range(len(match.bots))),
        draws=rate(sum(outcome.winner is None for outcome in outcomes), len(outcomes)),
        lengths=Lengths(
            minimum=turns[0],
            quartiles=(quantile(turns, 0.25), quantile(turns, 0.5), quantile(turns, 0.75)),
            p95=quantile(turns, 0.95),
            p99=quantile(turns, 0.99),
            maximum=turns[-1],
        ),
        reasons={reason: sum(outcome.reason == reason for outcome in outcomes) for reason in reasons},
    )


def rate(count: int, of: int) -> Rate:
    """The share `count / of` with its Wilson score interval (E. B. Wilson, 1927), sound at 0 and 1 too."""
    if of == 0:
        return Rate(0, 0, 0.0, 0.0, 1.0)
    share = count / of
    z2 = Z_95 * Z_95
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return Rate(count, of, share, max(0.0, centre - half), min(1.0, centre + half))


def quantile(ordered: Sequence[int], share: float) -> int:
    """The smallest of the ordered numbers that at least `share` of them do not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _bot_result(match: Match, outcomes: Sequence[Outcome], index: int) -> BotResult:
    seats = len(match.bots)
    starting = [[outcome for outcome in outcomes if outcome.starter == starter] for starter in range(seats)]
    return BotResult(
        bot=match.bots[index],
        wins=_wins(outcomes, index),
        in_order=tuple([_wins(starting[(index - order) % seats], index) for order in range(seats)]),
        shared=_shared([outcome.places for outcome in outcomes], [index] * len(outcomes)),
        places=_counted([outcome.places[index] for outcome in outcomes], seats),
        mean_score=sum(outcome.scores[index] for outcome in outcomes) / len(outcomes),
    )


def _seat_result(match: Match, outcomes: Sequence[Outcome], order: int) -> SeatResult:
    seats = len(match.bots)
    who = [(outcome.starter + order) % seats for outcome in outcomes]
    return SeatResult(
        wins=rate(sum(o.winner == bot for o, bot in zip(outcomes, who, strict=True)), len(outcomes)),
        shared=_shared([outcome.places for outcome in outcomes], who),
        places=_counted([o.places[bot] for o, bot in zip(outcomes, who, strict=True)], seats),
        mean_score=sum(o.scores[bot] for o, bot in zip(outcomes, who, strict=True)) / len(outcomes),
    )


def _wins(outcomes: Sequence[Outcome], index: int) -> Rate:
    return rate(sum(outcome.winner == index for outcome in outcomes), len(outcomes))


def _shared(places: Sequence[tuple[int, ...]], who: Sequence[int]) -> Rate:
    """Number of games in which the one of `who` shared the first place."""
    shared = [at[bot] == 1 and at.count(1) > 1 for at, bot in zip(places, who, strict=True)]
    return rate(sum(shared), len(shared))


def _counted(places: Sequence[int], seats: int) -> tuple[int, ...]:
    return tuple([places.count(place) for place in range(1, seats + 1)])


def mean_place(places: Sequence[int]) -> float:
    """The mean of the places that are counted from the first on."""
    return sum(place * count for place, count in enumerate(places, 1)) / sum(places)
