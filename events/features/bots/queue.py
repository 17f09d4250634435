"""The queue of questions to bots: its limits, the cost of a question, and a cache of refusals.

A queue holds as much work as its living thinkers do in LONGEST_WAIT, estimated from the measured times of answers. The
apps with waiting questions share it equally. A caller that finds no room is told when there will be room. A question
with a key gets a reservation until then, and later questions cannot take its room. Scripts in the store enforce these
rules (`events.features.bots.redis.queue`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from domain.bot import LONGEST, Bot, Budget
from events.errors import QueueFull

# seconds in the queue; less than a caller waits, because questions of other apps may come in between
LONGEST_WAIT: Final = 6.0
MOST: Final = 1024  # slots of a queue, however fast its thinkers are
OF_APP: Final = MOST // 4
SLOT_BYTES: Final = 131_072  # a longer question takes several slots: a queue is at most 128 MiB
RESERVATIONS: Final = OF_APP  # reservations of an app at a time
GRACE: Final = 3.0  # seconds for which a reservation lasts after its Retry-After
LONGEST_RETRY: Final = 120  # seconds: the longest Retry-After, for which a reservation lasts
ENTERED: Final = 5.0  # seconds within which a question must be put after it found room
SILENT: Final = 20  # seconds without a sign of life after which a thinker no longer counts
BATCH_LASTS: Final = 3600  # seconds after which a batch, or a long question, is gone, with its answers
REMEMBERED: Final = 1.0  # seconds for which a process caches a refusal
MEMORY: Final = 10_000  # refusals in the cache
LONGEST_THOUGHT: Final = 60.0  # seconds that a bot may think about a long question, for which no caller waits
MOST_OF_LONG: Final = 200_000  # iterations of such a search; each takes a kilobyte of memory
# seconds per iteration of a bot without a stated time, until answers are measured
PER_ITERATION: Final = 0.001
SMOOTHING: Final = 8  # the weight of the earlier mean, against 1 for the last answer


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a question. `kind`: the group whose answers are measured together; `seconds`: the cost until one is
    measured.

    `is_long`: the question goes into the queue of long questions.
    """

    kind: str
    seconds: float
    slots: int = 1
    is_long: bool = False


def is_long(budget: Budget | None) -> bool:
    """True if the budget takes longer than a bot may think while its caller waits."""
    return budget is not None and (budget.milliseconds or 0) > 1000 * LONGEST


def cost_of(game: str, bot: Bot, budget: Budget | None, length: int) -> Cost:
    """Cost of a question; `length` in bytes. Budgets between the same two powers of two are of one kind."""
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
    """Cache of the refusals of the last second, from which a caller is refused again without a request to the store."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[str, tuple[float, float, bool]] = {}

    def note(self, name: str, seconds: float, *, reserved: bool) -> None:
        """Add a refusal of the question or app of this name, with the seconds of its Retry-After."""
        if len(self._found) >= MEMORY:
            self._found = {}
        now = self._clock()
        self._found[name] = (now + min(REMEMBERED, seconds), now + seconds, reserved)

    def check(self, name: str) -> None:
        """Raise QueueFull if the question or app of this name was refused less than a second ago."""
        found = self._found.get(name)
        if found is None:
            return
        until, again, reserved = found
        now = self._clock()
        if now < until:
            raise QueueFull(again - now, reserved=reserved)
        del self._found[name]
