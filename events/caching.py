# compiled into serving
"""Caches of a process: things that may be asked for again, with a limit in bytes for each kind."""

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
    "games": 0.43,  # latest states
    "past": 0.15,  # past states
    "knowledge": 0.05,  # knowledge of seats, for bots that remember
    "exports": 0.18,
    "reports": 0.02,  # reports of checks
    "remotes": 0.02,  # addresses of remote bots
    "archive": 0.07,  # games of the archive
    "indexes": 0.03,  # of the archive's files
    "streams": 0.05,  # pages that were sent to streams
}
# Python has each of these, and each string of one letter, only once
_SHARED: Final = frozenset(range(-5, 257))


class ByteCache(Generic[K, V]):
    """The most recently used things of a kind, up to a limit in bytes; safe among threads and greenlets.

    A look takes no lock: the thing that it finds may be evicted before it is marked as used, and is valid nevertheless.
    """

    def __init__(self, most: float, size_of: Callable[[V], int], measures: CacheMeasures) -> None:
        """`most` is in bytes, and so is the result of `size_of`."""
        self._most = most
        self._size_of = size_of
        self._measures = measures
        self._things = OrderedDict[K, V]()  # in the order of use, the last one last
        self._sizes = dict[K, int]()
        self._held = 0
        self._lock = Lock()
        measures.holds(0, 0)

    def get(self, key: K) -> V | None:
        """The thing, if it is kept; it then counts as used."""
        found = self._things.get(key)
        if found is not None:
            try:  # noqa: SIM105 (`suppress` costs more than the look)
                self._things.move_to_end(key)
            except KeyError:
                pass  # it has just been evicted
        self._measures.looked(found is not None)
        return found

    def put(self, key: K, thing: V, unless: Callable[[V, V], bool] | None = None) -> V:
        """Keep the thing, `unless` the kept one is at least as good; a thing larger than the whole limit
        is not kept.
        """
        size = self._size_of(thing)
        with self._lock:
            known = self._things.get(key)
            if known is not None:
                self._things.move_to_end(key)
                if unless is not None and unless(known, thing):
                    return thing
                if self._sizes[key] == size:  # usual: the same game, one move later
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
        """Remove the thing, if `this` accepts the kept one."""
        with self._lock:
            known = self._things.get(key)
            if known is not None and this(known):
                self._remove(key)
                self._measures.holds(self._held, len(self._things))

    def peek(self, key: K) -> V | None:
        """The thing, if it is kept, without counting as used; for the cache's own work."""
        return self._things.get(key)

    @property
    def bytes(self) -> int:
        """The bytes of all things that are kept."""
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
    """The bytes that a process may use for caches, divided among them by SHARES."""

    def __init__(self, most: float, measures: Measures = UNCOUNTED) -> None:
        self._most = most
        self._measures = measures

    def cache(self, kind: str, size_of: Callable[[V], int]) -> ByteCache[Any, V]:
        """The cache of a kind, empty; `size_of` tells bytes."""
        return ByteCache(self._most * SHARES[kind], size_of, self._measures.cache(kind))


def retained(thing: Any) -> int:
    """The bytes of a value and of its own parts: tuples, lists, dicts, sets, text, numbers, and objects whose
    `__match_args__` name their parts (dataclasses, the domain's values).

    Other objects (a game's rules as code, a table for all games) are shared, and count as 0.
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
