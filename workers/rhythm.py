"""Pauses that end together: a process that waits for many things wakes once for all, and asks the store once."""

import time


def pause(seconds: float) -> float:
    """Seconds until the machine's monotonic time is the next multiple of `seconds`: at most as many, and never none."""
    return seconds - time.monotonic() % seconds
