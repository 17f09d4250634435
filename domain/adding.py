# compiled into rules
"""The sum of floats that bots decide by, the same in every version of Python.

The built-in `sum` rounds less from 3.12 on than before, and by the last digit of a weight a bot chooses another move.
"""


def added(values: list[float]) -> float:
    """The values, added one after the other."""
    total = 0.0
    for value in values:
        total += value
    return total
