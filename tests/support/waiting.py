"""Waiting for something to come true, instead of sleeping and hoping."""

import time
from collections.abc import Callable

LIMIT = 300.0  # seconds; generous, because only a failure takes so long
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.05  # seconds between two looks, which become fewer


def until(
    condition: Callable[[], object], seconds: float = LIMIT, otherwise: Callable[[], str] = lambda: ""
) -> None:
    """Return as soon as the condition holds; fail after so many seconds, with what `otherwise` tells then."""
    deadline, pause = time.monotonic() + seconds, FIRST_PAUSE
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s. {otherwise()}"
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, 1.5 * pause)
