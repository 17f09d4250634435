"""Sums that bots decide by."""

from domain.adding import added


def test_a_sum_is_the_same_in_every_version_of_python() -> None:
    """The built-in one is 1.0 here from Python 3.12 on; every addition of its own loses it."""
    assert added([1e16, 1.0, -1e16]) == 0.0
    assert added([]) == 0.0
