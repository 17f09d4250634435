"""Pauses that end together: a process that waits for many things wakes once for all, and asks the store once."""

import time
from math import ceil


def pause(seconds: float) -> float:
    """Seconds until the machine's monotonic time is the next multiple of `seconds`: at most as many, and never none."""
    return seconds - time.monotonic() % seconds


def block(seconds: float) -> float:
    """Seconds for which a server may hold an answer back until then, in whole milliseconds, as servers count.

    It counts from its last millisecond, so one more lets it not end too early. That is never 0, which means for ever.
    """
    return (ceil(1000 * pause(seconds)) + 1) / 1000
