"""What a process keeps in memory because it may be asked for again: so many bytes of each kind, and no more."""

from collections.abc import Callable
from sys import getsizeof
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from cachetools import Cache, LRUCache

from events.measures import UNCOUNTED, CacheMeasures, Measures

K = TypeVar("K")
V = TypeVar("V")

MIB: Final = 2**20
SHARES: Final = {
    "games": 0.43,  # as they are
    "past": 0.15,  # as they were
    "knowledge": 0.05,  # what seats know of them, for bots that remember
    "exports": 0.18,
    "reports": 0.02,  # of checks
    "remotes": 0.02,  # where remote bots are
    "archive": 0.07,  # games of the archive
    "indexes": 0.03,  # of the archive's files
    "streams": 0.05,  # pages that were sent to streams
}
_SHARED: Final = frozenset(range(-5, 257))  # these, and strings of one letter, are there once for all


class ByteCache(Generic[K, V]):
    """The most recently used of some things, at most so many bytes of them; safe among threads and greenlets."""

    def __init__(self, most: float, size_of: Callable[[V], int], measures: CacheMeasures) -> None:
        """`most` and `size_of` tell bytes."""
        self._measures = measures
        self._things: LRUCache[K, V] = _Counting(most, size_of, measures)
        self._lock = Lock()
        self._changed()

    def get(self, key: K) -> V | None:
        """The thing, if it is kept; to be asked for is to be used."""
        with self._lock:
            found = self._things.get(key)
        self._measures.looked(hit=found is not None)
        return found

    def put(self, key: K, thing: V, unless: Callable[[V], bool] = lambda _: False) -> V:
        """Keep the thing, `unless` the one that is kept will do better; what alone is too large is not kept."""
        with self._lock:
            known = self._things.get(key)
            if known is not None and unless(known):
                return thing
            try:
                self._things[key] = thing
            except ValueError:
                self._things.pop(key, None)
            self._changed()
        return thing

    def drop(self, key: K, this: Callable[[V], bool]) -> None:
        """Forget the thing, if what is kept is this one."""
        with self._lock:
            known = self._things.get(key)
            if known is not None and this(known):
                del self._things[key]
                self._changed()

    def peek(self, key: K) -> V | None:
        """The thing, if it is kept; for the cache's own work, which is no use of it."""
        with self._lock:
            try:
                return Cache.__getitem__(self._things, key)  # unlike the LRU cache's own, this moves nothing
            except KeyError:
                return None

    @property
    def bytes(self) -> int:
        """The bytes of all that is kept."""
        return int(self._things.currsize)

    @property
    def most(self) -> float:
        """The bytes that may be kept."""
        return float(self._things.maxsize)

    def __len__(self) -> int:
        return len(self._things)

    def _changed(self) -> None:
        self._measures.holds(self._things.currsize, len(self._things))


class _Counting(LRUCache[Any, Any]):
    """Tells how often something had to go."""

    def __init__(self, most: float, size_of: Callable[[Any], int], measures: CacheMeasures) -> None:
        super().__init__(most, size_of)
        self._measures = measures

    def popitem(self) -> tuple[Any, Any]:
        self._measures.evicted()
        return super().popitem()


class Memory:
    """The bytes that a process may keep, shared out among its caches by SHARES."""

    def __init__(self, most: float, measures: Measures = UNCOUNTED) -> None:
        self._most = most
        self._measures = measures

    def cache(self, kind: str, size_of: Callable[[V], int]) -> ByteCache[Any, V]:
        """The cache of a kind, empty; `size_of` tells bytes."""
        return ByteCache(self._most * SHARES[kind], size_of, self._measures.cache(kind))


def retained(thing: Any) -> int:
    """The bytes of a value and of all that it alone is made of: tuples, lists, dicts, sets, text, numbers, and
    objects whose `__match_args__` name their parts (dataclasses, the domain's values).

    What is none of these (a game's rules as code, a table for all) is somebody else's and counts nothing.
    """
    total, waiting, seen = 0, [thing], set[int]()
    while waiting:
        part = waiting.pop()
        if part is None or part is True or part is False or id(part) in seen:
            continue
        kind = type(part)
        if kind is int:
            total += 0 if part in _SHARED else getsizeof(part)
            continue
        seen.add(id(part))
        if kind is str or kind is bytes:
            total += getsizeof(part) if len(part) > 1 else 0
        elif isinstance(part, dict):
            total += getsizeof(part)
            waiting += part.keys()
            waiting += part.values()
        elif isinstance(part, tuple | list | set | frozenset):
            total += getsizeof(part) if part else 0
            waiting += part
        elif (names := getattr(kind, "__match_args__", None)) is not None:
            total += getsizeof(part)
            waiting += [getattr(part, name) for name in names]
    return total
