"""Shares of a worker's calls for one app and for one host, so that there is always room for somebody else."""

from collections import Counter
from typing import Final

from workers.remote.fair_queue import Lane

CALLS_PER_FREE: Final = (
    3  # calls that one app may have for each that is still free: alone it gets three quarters of them
)


class FairShare:
    """Number of calls that each app and host has of those that a worker makes at once.

    The share of each becomes the smaller, the fewer are left: with N apps that want all they can get, one call in
    3 N + 1 stays free, so an app that has none gets its first at once.
    """

    def __init__(self, calls: int) -> None:
        self.free = calls
        self._busy = Counter[str]()

    def begin(self, lane: Lane) -> None:
        """A call of this lane's begins."""
        self.free -= 1
        self._busy.update((lane.app, lane.at_host))

    def end(self, lane: Lane) -> None:
        """Note that a call of the lane has ended."""
        self.free += 1
        for path in (lane.app, lane.at_host):
            self._busy[path] -= 1
            if not self._busy[path]:
                del self._busy[path]

    def full(self) -> list[str]:
        """The apps, and the hosts of apps, that get no further call for now."""
        return [path for path, calls in self._busy.items() if calls >= self._allowed(path)]

    def _allowed(self, path: str) -> int:
        app, _, host = path.partition(" ")
        allowed = CALLS_PER_FREE * self.free
        return allowed - self._busy[app] if host else allowed
