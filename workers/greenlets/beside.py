"""Several acts at the same time in a process of greenlets: each act has a greenlet, and their link sends their requests
in few exchanges.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from gevent.pool import Pool  # type: ignore[import-untyped]

from events.store.connections.batching import BATCH

T = TypeVar("T")

AT_ONCE: Final = BATCH


class Beside:
    """Runs acts in greenlets of their own; takes the place of `Together`, which is for processes of one thread."""

    def run(self, acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Result of each act, or its Exception."""
        return list(Pool(AT_ONCE).imap(_outcome, acts))


def _outcome(act: Callable[[], T]) -> T | Exception:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 -- the error of this act alone
        return error
