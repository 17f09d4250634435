"""How much memory a thing takes: an estimate, by its parts."""

from sys import getsizeof
from typing import Any, Final

_SHARED: Final = frozenset(range(-5, 257))  # these, and strings of one letter, are there once for all


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
