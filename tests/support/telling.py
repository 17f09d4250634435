"""Presence is told by the tests themselves: a thread that outlives its test would tell the next test's store."""

from collections.abc import Callable
from typing import Final

from events.features.presence.presence import Presence

KEEP_TELLING: Final[Callable[[Presence], None]] = Presence._keep_telling


def only_tests_tell() -> None:
    """Have no process of the tests tell in the background; `KEEP_TELLING` is what does so elsewhere."""
    Presence._keep_telling = _do_nothing  # type: ignore[assignment,method-assign]


def _do_nothing(presence: Presence) -> None:
    """End the thread at once."""
