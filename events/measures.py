"""Counts of a working engine, as a port: `events.runtime.metrics` keeps them."""

from typing import Final, Protocol

OTHER: Final = "other"  # in place of names that the metrics do not tell apart


class CacheMeasures(Protocol):
    """Counts of one cache."""

    def looked(self, hit: bool) -> None:
        """Somebody looked for something, which was there (a `hit`) or not."""

    def evicted(self) -> None:
        """Something had to go to make room."""

    def holds(self, size: float, entries: int) -> None:
        """Note how many bytes and how many things are kept now."""


class Measures(Protocol):
    """Counts of a process."""

    def cache(self, kind: str) -> CacheMeasures:
        """The measures of the cache of that name, one out of `events.caching.SHARES`."""

    def thought(self, bot: str, seconds: float) -> None:
        """A bot has thought about a move, a hint or a position for so long."""

    def fell_back(self, reason: str) -> None:
        """A cheap move was made in place of a bot's: it "failed", "overran", or was remote (see `PlayBotMove`)."""

    def asked(self, bot: str, outcome: str, seconds: float) -> None:
        """An app's bot was asked for a move: it "answered" after so long, or a fallback moved for that reason."""


class FirstNames:
    """Names that the metrics of a process tell apart: the first so many; those that come later are one, `other`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._names = set[str]()

    def label(self, name: str) -> str:
        """The name itself, or `other`."""
        if name not in self._names:
            if len(self._names) >= self._most:
                return OTHER
            self._names.add(name)
        return name


class _Uncounted:
    """Counts nothing."""

    def cache(self, kind: str) -> CacheMeasures:
        return self

    def thought(self, bot: str, seconds: float) -> None: ...
    def fell_back(self, reason: str) -> None: ...
    def asked(self, bot: str, outcome: str, seconds: float) -> None: ...
    def looked(self, hit: bool) -> None: ...
    def evicted(self) -> None: ...
    def holds(self, size: float, entries: int) -> None: ...


UNCOUNTED: Measures = _Uncounted()
