"""The line of questions to bots: its measures, and what is known by heart of who finds no room in it.

A line is as long as its thinkers need LONGEST_WAIT for: so it follows from how many of them live, and from the measured
time of an answer. The apps that wait share it equally. Whoever finds no room is told when there will be some, and has
a place until then if the question has a key: later ones find no room before it. The rules themselves are one step in
the store (`events.features.bots.redis.line`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from domain.bot import LONGEST, Bot, Budget
from events.errors import QueueFull

LONGEST_WAIT: Final = (
    6.0  # seconds in line; below the margin for which an asker waits, since other apps may come
)
MOST: Final = 1024  # places in a line, however fast its thinkers are
OF_APP: Final = MOST // 4
PLACE_BYTES: Final = 131_072  # a longer question has several places: a line is at most 128 MiB
KEPT: Final = OF_APP  # places of an app that are kept for those who found no room
GRACE: Final = 3.0  # seconds for which a place is kept beyond the time that its asker was told
LONGEST_RETRY: Final = 120  # seconds, to look in again: the place is kept
ENTERED: Final = 5.0  # seconds in which a question that found room must be put
SILENT: Final = 20  # seconds without a sign after which a thinker does not count
REMEMBERED: Final = 1.0  # seconds for which a process refuses by heart
MEMORY: Final = 10_000  # refusals that it has by heart
PER_ITERATION: Final = 0.001  # seconds, of a bot that states no time, until some were measured
SMOOTHING: Final = 8  # the weight of what was measured before, against the last answer's


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a question: the name of its kind, under which answers are measured, and seconds until one was."""

    kind: str
    seconds: float
    places: int = 1


def cost_of(game: str, bot: Bot, budget: Budget | None, length: int) -> Cost:
    """Cost of a question of so many bytes. Budgets are of one kind with those up to twice as large."""
    places = 1 + length // PLACE_BYTES
    if budget is None:
        return Cost(f"{game}/{bot.name}", bot.milliseconds / 1000, places)
    if budget.milliseconds is not None:
        kind = f"{game}/{bot.name}/ms{budget.milliseconds.bit_length()}"
        return Cost(kind, min(LONGEST, budget.milliseconds / 1000), places)
    iterations = budget.iterations or 1
    usual = bot.budget.iterations if bot.budget is not None else None
    each = bot.milliseconds / 1000 / usual if usual else PER_ITERATION
    return Cost(f"{game}/{bot.name}/i{iterations.bit_length()}", min(LONGEST, iterations * each), places)


class Refusals:
    """Refusals of the last second, by heart: the same asker is refused again without a question to the store."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[str, tuple[float, float, bool]] = {}

    def note(self, name: str, seconds: float, *, kept: bool) -> None:
        """An asker of this name was told to come again after so many seconds."""
        if len(self._found) >= MEMORY:
            self._found = {}
        now = self._clock()
        self._found[name] = (now + min(REMEMBERED, seconds), now + seconds, kept)

    def check(self, name: str) -> None:
        """Raises QueueFull where that was less than a second ago."""
        found = self._found.get(name)
        if found is None:
            return
        until, again, kept = found
        now = self._clock()
        if now < until:
            raise QueueFull(again - now, kept=kept)
        del self._found[name]
