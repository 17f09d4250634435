"""Waiting for something to come true, instead of sleeping and hoping."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Returns as soon as the condition holds; fails if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.005)
