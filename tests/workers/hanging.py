"""Jobs that hang: where no signal reaches them, and where no other greenlet gets its turn."""

import itertools
from typing import NoReturn


def hang() -> None:
    """Never come back to Python."""
    sum(itertools.count())


def spin(game_id: str, version: int) -> NoReturn:
    """Never give way, though a signal would reach it."""
    while True:
        pass
