"""The queue of questions to bots: its limits, the cost of a question, and a cache of refusals.

A queue holds the work that its living thinkers do in LONGEST_WAIT, by the measured time of an answer. The apps that
wait share it equally. An asker who finds no room is told when there will be room. A question with a key has a
reservation until then: later questions find no room before it. Scripts in the store apply the rules
(`events.features.bots.redis.queue`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from domain.bot import LONGEST, Bot, Budget
from events.errors import QueueFull

LONGEST_WAIT: Final = 6.0  # seconds in the queue; less than an asker waits, because other apps may come
MOST: Final = 1024  # slots in a queue, however fast its thinkers are
OF_APP: Final = MOST // 4
SLOT_BYTES: Final = 131_072  # a longer question takes several slots: a queue is at most 128 MiB
RESERVATIONS: Final = OF_APP  # reservations of an app at a time
GRACE: Final = 3.0  # seconds for which a reservation lasts beyond Retry-After
LONGEST_RETRY: Final = 120  # seconds: the longest Retry-After, for which a reservation lasts
ENTERED: Final = 5.0  # seconds within which a question that found room must be put
SILENT: Final = 20  # seconds without a sign of life after which a thinker does not count
BATCH_LASTS: Final = 3600  # seconds after which a batch, or a long question, is gone, with its answers
REMEMBERED: Final = 1.0  # seconds for which a process caches a refusal
MEMORY: Final = 10_000  # refusals in the cache
LONGEST_THOUGHT: Final = 60.0  # seconds of a long question: for a caller who does not wait
MOST_OF_LONG: Final = 200_000  # iterations of such a search, each of which takes a kilobyte of memory
PER_ITERATION: Final = 0.001  # seconds, for a bot that states no time, until answers are measured
SMOOTHING: Final = 8  # the weight of the earlier mean, against 1 for the last answer


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a question. `kind`: answers are measured by it; `seconds`: the cost until one of the kind is measured.

    `is_long`: it is in the queue of long questions.
    """

    kind: str
    seconds: float
    slots: int = 1
    is_long: bool = False


def is_long(budget: Budget | None) -> bool:
    """True for more time than a bot has while its caller waits."""
    return budget is not None and (budget.milliseconds or 0) > 1000 * LONGEST


def cost_of(game: str, bot: Bot, budget: Budget | None, length: int) -> Cost:
    """Cost of a question; `length` in bytes. Budgets between two powers of two are of one kind."""
    slots = 1 + length // SLOT_BYTES
    if budget is None:
        return Cost(f"{game}/{bot.name}", bot.milliseconds / 1000, slots)
    if budget.milliseconds is not None:
        long, most = (True, LONGEST_THOUGHT) if is_long(budget) else (False, LONGEST)
        kind = f"{game}/{bot.name}/{'long' if long else 'ms'}{budget.milliseconds.bit_length()}"
        return Cost(kind, min(most, budget.milliseconds / 1000), slots, long)
    iterations = budget.iterations or 1
    usual = bot.budget.iterations if bot.budget is not None else None
    each = bot.milliseconds / 1000 / usual if usual else PER_ITERATION
    return Cost(f"{game}/{bot.name}/i{iterations.bit_length()}", min(LONGEST, iterations * each), slots)


class Refusals:
    """Cache of the refusals of the last second: the same asker is refused again without a request to the store."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[str, tuple[float, float, bool]] = {}

    def note(self, name: str, seconds: float, *, reserved: bool) -> None:
        """Add a refusal: an asker of this name was told to come again after so many seconds."""
        if len(self._found) >= MEMORY:
            self._found = {}
        now = self._clock()
        self._found[name] = (now + min(REMEMBERED, seconds), now + seconds, reserved)

    def check(self, name: str) -> None:
        """Raises QueueFull if an asker of this name was refused less than a second ago."""
        found = self._found.get(name)
        if found is None:
            return
        until, again, reserved = found
        now = self._clock()
        if now < until:
            raise QueueFull(again - now, reserved=reserved)
        del self._found[name]
