"""What a process keeps in memory because it may be asked for again: so many bytes of each kind, and no more."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from cachetools import Cache, LRUCache

from events.runtime import metrics

K = TypeVar("K")
V = TypeVar("V")

MIB: Final = 2**20


class ByteCache(Generic[K, V]):
    """The most recently used of some things, at most so many bytes of them; safe among threads and greenlets."""

    def __init__(self, kind: str, most: float, size_of: Callable[[V], int]) -> None:
        """`kind` is the label in the metrics, `most` and `size_of` tell bytes."""
        self._kind = kind
        self._things: LRUCache[K, V] = _Counting(kind, most, size_of)
        self._lock = Lock()
        self._bytes = metrics.CACHE_BYTES.labels(kind)
        self._entries = metrics.CACHE_ENTRIES.labels(kind)
        self._told()

    def get(self, key: K) -> V | None:
        """The thing, if it is kept; to be asked for is to be used."""
        with self._lock:
            found = self._things.get(key)
        metrics.cache_looks(self._kind, "miss" if found is None else "hit").inc()
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
            self._told()
        return thing

    def drop(self, key: K, this: Callable[[V], bool]) -> None:
        """Forget the thing, if what is kept is this one."""
        with self._lock:
            known = self._things.get(key)
            if known is not None and this(known):
                del self._things[key]
                self._told()

    def peek(self, key: K) -> V | None:
        """The thing, if it is kept; for the cache's own work, which is no use of it."""
        with self._lock:
            try:
                return Cache.__getitem__(
                    self._things, key
                )  # which, unlike the LRU cache's own, moves nothing
            except KeyError:
                return None

    @property
    def bytes(self) -> int:
        """The bytes of all that is kept."""
        return int(self._things.currsize)

    def __len__(self) -> int:
        return len(self._things)

    def _told(self) -> None:
        self._bytes.set(self._things.currsize)
        self._entries.set(len(self._things))


class _Counting(LRUCache[Any, Any]):
    """Tells how often something had to go."""

    def __init__(self, kind: str, most: float, size_of: Callable[[Any], int]) -> None:
        super().__init__(most, size_of)
        self._kind = kind

    def popitem(self) -> tuple[Any, Any]:
        metrics.CACHE_EVICTIONS.labels(self._kind).inc()
        return super().popitem()
