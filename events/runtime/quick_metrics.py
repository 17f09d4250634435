# compiled into serving
"""Metrics that change with every request: written here with little work, read and shown by prometheus_client.

Those of several processes are in files of the library's own format. The library asks for the process's id before every
value, to notice a fork; here the fork tells.
"""

# ruff: noqa: SLF001 -- it stands in for the library, and so knows its parts

import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from prometheus_client import Counter, Histogram
from prometheus_client.mmap_dict import MmapedDict, mmap_key

# Bytes of a value, which begins at a multiple of that and is written in one step, and of its time.
_DOUBLE: Final = 8


class SharedValues:
    """The values of this process, and the files that they are in."""

    def __init__(self, place: Callable[[], int]) -> None:
        """`place`: the number in the names of this process's files, which no other living process has."""
        self._place = place
        self._files: dict[str, Any] = {}
        self._values: list[SharedValue] = []
        os.register_at_fork(after_in_child=self._forked)

    def value(
        self,
        typ: str,
        metric_name: str,
        name: str,
        labelnames: Sequence[str],
        labelvalues: Sequence[str],
        help_text: str,
        multiprocess_mode: str = "",
    ) -> "SharedValue":
        """One value, in the place of the library's `ValueClass`."""
        kind = f"{typ}_{multiprocess_mode}" if typ == "gauge" else typ
        key = mmap_key(metric_name, name, list(labelnames), list(labelvalues), help_text)
        value = SharedValue(self, kind, key)
        self._values.append(value)
        return value

    def file(self, kind: str) -> Any:
        """The file of the values of a kind."""
        if kind not in self._files:
            name = f"{kind}_{self._place()}.db"
            path = os.path.join(os.environ["PROMETHEUS_MULTIPROC_DIR"], name)  # noqa: PTH118 -- as the library does
            self._files[kind] = MmapedDict(path)  # type: ignore[no-untyped-call]
        return self._files[kind]

    def _forked(self) -> None:
        """Forget the parent's files after a fork; the child opens its own when it has something to note."""
        self._files = {}
        for value in self._values:
            value.close()


class SharedValue:
    """One value; it continues the value of an earlier process in the same place.

    Safe among threads without a lock: from reading the value to writing it nothing is called, and only at calls and
    loops does Python let another thread go on.
    """

    def __init__(self, shared: SharedValues, kind: str, key: str) -> None:
        self._shared = shared
        self._kind = kind
        self._key = key
        self._mapped: Any = None  # the doubles of the file
        self._at = 0
        self._value = 0.0
        self._open()

    def inc(self, amount: float) -> None:
        """Add the amount to the value."""
        if self._mapped is None:
            self._open()
        self._value += amount
        self._mapped[self._at] = self._value

    def set(self, value: float, timestamp: float | None = None) -> None:
        """Note the value as it is now."""
        if self._mapped is None:
            self._open()
        self._value = value
        self._mapped[self._at] = value
        self._mapped[self._at + 1] = timestamp or 0.0

    def get(self) -> float:
        """The value."""
        if self._mapped is None:
            self._open()
        return self._value

    def set_exemplar(self, exemplar: Any) -> None:
        """Do nothing: these values have no exemplars."""

    def get_exemplar(self) -> None:
        """None: these values have no exemplars."""

    def close(self) -> None:
        """Release the file, which another process may then use."""
        self._mapped = None

    def _open(self) -> None:
        file = self._shared.file(self._kind)
        self._value = float(file.read_value(self._key)[0])
        self._at = file._positions[self._key] // _DOUBLE
        self._mapped = memoryview(file._m).cast("d")  # it stays good when the file grows and is mapped anew


class QuickCounter:
    """A counter without the library's checks: for labels and amounts that are known to be in order."""

    def __init__(self, counter: Counter) -> None:
        self._value = _value_of(counter._value)

    def inc(self) -> None:
        """Add one to the count."""
        self._value.inc(1.0)


class QuickHistogram:
    """A histogram without the library's checks: for labels and amounts that are known to be in order."""

    def __init__(self, histogram: Histogram) -> None:
        self._bounds: list[float] = histogram._upper_bounds
        self._buckets = [_value_of(bucket) for bucket in histogram._buckets]
        self._sum = _value_of(histogram._sum)

    def observe(self, amount: float) -> None:
        """Count an amount in its bucket."""
        self._sum.inc(amount)
        at = 0
        while amount > self._bounds[at]:  # the last is infinity
            at += 1
        self._buckets[at].inc(1.0)


class _OwnValue(SharedValue):
    """The library's own value of a process that shares none, seen as one that is shared."""

    def __init__(self, value: Any) -> None:
        self._library: Any = value

    def inc(self, amount: float) -> None:
        self._library.inc(amount)


def _value_of(value: Any) -> SharedValue:
    """The value behind a value of the library's, so that compiled code can add to it directly."""
    return value if isinstance(value, SharedValue) else _OwnValue(value)
