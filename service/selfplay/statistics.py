"""What a series of games says: win rates with their uncertainty, and how long the games were."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from service.selfplay.match import Match, Outcome

LONG_GAME = 150  # turns: sensible bots finish nearly all games within these
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
    """How one side of a match did; `first` and `second` are its wins as the starter and as the other."""

    bot: str
    wins: Rate
    first: Rate
    second: Rate
    mean_score: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """The distribution of the games' lengths, in turns."""

    minimum: int
    quartiles: tuple[int, int, int]
    p95: int
    p99: int
    maximum: int
    over_150: Rate


@dataclass(frozen=True, slots=True)
class Summary:
    """A series of games in figures; `reasons` counts how they ended."""

    games: int
    bots: tuple[BotResult, ...]
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
        draws=rate(sum(outcome.winner is None for outcome in outcomes), len(outcomes)),
        lengths=Lengths(
            minimum=turns[0],
            quartiles=(quantile(turns, 0.25), quantile(turns, 0.5), quantile(turns, 0.75)),
            p95=quantile(turns, 0.95),
            p99=quantile(turns, 0.99),
            maximum=turns[-1],
            over_150=rate(sum(number > LONG_GAME for number in turns), len(turns)),
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
    first = [outcome for outcome in outcomes if outcome.starter == index]
    second = [outcome for outcome in outcomes if outcome.starter != index]
    return BotResult(
        bot=match.bots[index],
        wins=_wins(outcomes, index),
        first=_wins(first, index),
        second=_wins(second, index),
        mean_score=sum(outcome.scores[index] for outcome in outcomes) / len(outcomes),
    )


def _wins(outcomes: Sequence[Outcome], index: int) -> Rate:
    return rate(sum(outcome.winner == index for outcome in outcomes), len(outcomes))
