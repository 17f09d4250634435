"""Values that are there, as a test knows and a type does not say."""

from typing import TypeVar

T = TypeVar("T")


def sure(value: T | None) -> T:
    """The value itself; the test fails if it is None."""
    assert value is not None
    return value
