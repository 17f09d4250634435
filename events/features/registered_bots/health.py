"""Health of an app's bots: how their calls went today and yesterday, and how long their answers took."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from math import ceil
from typing import Final

from domain.lifecycle import Json
from events.measures import FirstNames, Measures

ANSWERED: Final = "answered"
# Milliseconds: upper bounds of the classes of answers' times.
BOUNDS: Final = (
    *(10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750),
    *(1000, 1500, 2000, 2500, 3000, 4000, 5000, 7500, 10_000, 15_000, 30_000, 60_000),
)
DAY: Final = 86_400
DAYS: Final = 2  # days of which the health tells
MOST_NAMES: Final = 50  # bots that a process's metrics distinguish


class BotMeasures:
    """A process's metrics about bots."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._names = FirstNames(MOST_NAMES)

    def asked(self, name: str, outcome: str, seconds: float) -> None:
        """Count a call of a bot with that outcome."""
        self._measures.asked(self._names.label(name), outcome, seconds)


def day_of(at: datetime) -> int:
    """The number of days since 1970."""
    return int(at.astimezone(UTC).timestamp()) // DAY


def counts_of(named: str, outcome: str, seconds: float) -> dict[str, int]:
    """Counts of one call of a bot's version, such as my-bot@3."""
    counts = {f"{named} {outcome}": 1}
    if outcome == ANSWERED:
        at = min(bisect_left(BOUNDS, ceil(1000 * seconds)), len(BOUNDS) - 1)
        counts[f"{named} ms {BOUNDS[at]}"] = 1
    return counts


def by_version(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """The counts of each version, such as my-bot@3."""
    found = defaultdict[str, dict[str, int]](dict)
    for name, number in counts.items():
        named, _, what = name.partition(" ")
        found[named][what] = number
    return found


def health_of(its: Mapping[str, int]) -> Json:
    """The health of a version from its counts; times are upper bounds, null without an answer."""
    times = [(bound, its[f"ms {bound}"]) for bound in BOUNDS if f"ms {bound}" in its]
    fallbacks = {name: number for name, number in sorted(its.items()) if name != ANSWERED and " " not in name}
    return {
        "answered": its.get(ANSWERED, 0),
        "p50_ms": _quantile(times, 0.5),
        "p95_ms": _quantile(times, 0.95),
        "fallbacks": fallbacks,
    }


def _quantile(times: list[tuple[int, int]], part: float) -> int | None:
    left = part * sum(number for _, number in times)
    for bound, number in times:
        left -= number
        if left <= 0:
            return bound
    return None
