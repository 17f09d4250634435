"""Values that are there, as a test knows and a type does not say."""

from typing import TypeVar

T = TypeVar("T")


def sure(value: T | None) -> T:
    """The value; the test fails where there is none."""
    assert value is not None
    return value
