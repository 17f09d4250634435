# compiled into serving
"""Caches of a process: documents that may be asked for again, up to a number of bytes of each kind."""

from collections import OrderedDict
from collections.abc import Callable
from sys import getsizeof
from threading import Lock
from typing import Any, Final, Generic, TypeVar

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
    """The most recently used of some things, at most so many bytes of them; safe among threads and greenlets.

    A look takes no lock: what is found may be evicted before it is marked as used, and is good all the same.
    """

    def __init__(self, most: float, size_of: Callable[[V], int], measures: CacheMeasures) -> None:
        """`most` and `size_of` tell bytes."""
        self._most = most
        self._size_of = size_of
        self._measures = measures
        self._things = OrderedDict[K, V]()  # what was used last comes last
        self._sizes = dict[K, int]()
        self._held = 0
        self._lock = Lock()
        measures.holds(0, 0)

    def get(self, key: K) -> V | None:
        """The thing, if it is kept; to be asked for is to be used."""
        found = self._things.get(key)
        if found is not None:
            try:  # noqa: SIM105 (`suppress` costs more than the look)
                self._things.move_to_end(key)
            except KeyError:
                pass  # it has just been evicted
        self._measures.looked(found is not None)
        return found

    def put(self, key: K, thing: V, unless: Callable[[V, V], bool] | None = None) -> V:
        """Keep the thing, `unless` the one that is kept will do better than it; what alone is too large is not kept."""
        size = self._size_of(thing)
        with self._lock:
            known = self._things.get(key)
            if known is not None:
                self._things.move_to_end(key)
                if unless is not None and unless(known, thing):
                    return thing
                if self._sizes[key] == size:  # as a rule: it is the same game, one move later
                    self._things[key] = thing
                    return thing
                self._remove(key)
            if size <= self._most:
                while self._held + size > self._most:
                    evicted, _ = self._things.popitem(last=False)  # one step: looks take no lock
                    self._held -= self._sizes.pop(evicted)
                    self._measures.evicted()
                self._things[key] = thing
                self._sizes[key] = size
                self._held += size
            self._measures.holds(self._held, len(self._things))
        return thing

    def drop(self, key: K, this: Callable[[V], bool]) -> None:
        """Forget the thing, if what is kept is this one."""
        with self._lock:
            known = self._things.get(key)
            if known is not None and this(known):
                self._remove(key)
                self._measures.holds(self._held, len(self._things))

    def peek(self, key: K) -> V | None:
        """The thing, if it is kept; for the cache's own work, which is no use of it."""
        return self._things.get(key)

    @property
    def bytes(self) -> int:
        """The bytes of all that is kept."""
        return self._held

    @property
    def most(self) -> float:
        """The bytes that may be kept."""
        return self._most

    def __len__(self) -> int:
        return len(self._things)

    def _remove(self, key: K) -> None:
        del self._things[key]
        self._held -= self._sizes.pop(key)


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
