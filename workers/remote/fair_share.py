"""Shares of a worker's calls for one app and for one host, so that there is always room for another app."""

from collections import Counter
from typing import Final

from workers.remote.fair_queue import Lane

CALLS_PER_FREE: Final = (
    3  # calls that one app may have for each free one: an app alone gets three quarters of them
)


class FairShare:
    """Counts the calls of each app and each host among those that a worker makes at the same time.

    The fewer calls are free, the smaller is each share: with N apps that take all they can get, one call in 3 N + 1
    stays free. So an app without calls gets its first one immediately.
    """

    def __init__(self, calls: int) -> None:
        self.free = calls
        self._busy = Counter[str]()

    def begin(self, lane: Lane) -> None:
        """Count a call of the lane."""
        self.free -= 1
        self._busy.update((lane.app, lane.at_host))

    def end(self, lane: Lane) -> None:
        """Stop counting a call of the lane."""
        self.free += 1
        for path in (lane.app, lane.at_host):
            self._busy[path] -= 1
            if not self._busy[path]:
                del self._busy[path]

    def full(self) -> list[str]:
        """The apps, and the hosts of apps, that get no further call now."""
        return [path for path, calls in self._busy.items() if calls >= self._allowed(path)]

    def _allowed(self, path: str) -> int:
        app, _, host = path.partition(" ")
        allowed = CALLS_PER_FREE * self.free
        return allowed - self._busy[app] if host else allowed
