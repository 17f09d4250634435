# compiled into rules
"""A sum of floats for bots' decisions that is the same in every version of Python.

The built-in `sum` rounds less from Python 3.12 on. A weight that differs in its last digit can make a bot choose
another move.
"""


def added(values: list[float]) -> float:
    """The values, added one after the other."""
    total = 0.0
    for value in values:
        total += value
    return total
