"""A job that hangs where no signal reaches it."""

import itertools


def hang() -> None:
    """Never come back to Python."""
    sum(itertools.count())
