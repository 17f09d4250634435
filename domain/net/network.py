"""The net: three layers in whole numbers, of which any machine and any build makes the same.

The numbers of a layer stand side by side in one big int, 32 bits each: Python adds and scales such ints by machine
words, so that a whole row of weights costs little more than one number. A number below zero borrows from the one above
it; `_lanes` gives that back.
"""

from base64 import b85decode
from collections.abc import Sequence
from hashlib import sha256
from struct import Struct
from typing import Final
from zlib import decompress

HIDDEN: Final = 64  # numbers in the first layer
SECOND: Final = 32  # and in the second
ONE: Final = 64  # an input of 1.0
LOGIT: Final = 1 << 14  # a logit of 1.0
FIRST_WEIGHT: Final = 512  # a first weight of 1.0
WEIGHT: Final = 128  # any other weight, and an activation, of 1.0
_FIRST_SHIFT: Final = 8  # ONE * FIRST_WEIGHT / WEIGHT, as bits
_SECOND_SHIFT: Final = 7
_MOST: Final = 1 << 14  # an activation: 64 of them times weights below 1024 are no more than 30 bits
_LANE: Final = 32
_HALF: Final = 1 << (_LANE - 1)
_WORDS: Final = Struct(f"<{HIDDEN}I")
_SECOND_WORDS: Final = Struct(f"<{SECOND}I")


def _packed(numbers: Sequence[int]) -> int:
    """The numbers side by side, the first one lowest."""
    total = 0
    for number in reversed(numbers):
        total = (total << _LANE) + number
    return total


_HALVES: Final = _packed([_HALF] * HIDDEN)
_SECOND_HALVES: Final = _packed([_HALF] * SECOND)


class Network:
    """What was learnt: `rows` are the first layer's weights by input, `shown` the same for an input of 1.0."""

    def __init__(
        self,
        first: Sequence[Sequence[int]],
        first_bias: Sequence[int],
        second: Sequence[Sequence[int]],
        second_bias: Sequence[int],
        last: Sequence[int],
        last_bias: int,
    ) -> None:
        """`second` is by the first layer's numbers; biases are in units of what they are added to."""
        self.rows: list[int] = [_packed(row) for row in first]
        self.shown: list[int] = [row * ONE for row in self.rows]
        self.bias: int = _packed(first_bias)
        self._second: list[int] = [_packed(row) for row in second]
        self._second_bias: int = _packed(second_bias) + _SECOND_HALVES
        self._last: list[int] = list(last)
        self._last_bias: int = last_bias

    def add(self, total: int, inputs: Sequence[tuple[int, int]]) -> int:
        """The first layer's sums with these inputs (number, value) added."""
        for at, value in inputs:
            total += self.shown[at] if value == ONE else self.rows[at] * value
        return total

    def logit(self, total: int) -> int:
        """What follows from the first layer's sums: the logit of winning, in units of 1 / LOGIT."""
        sums = self._second_bias
        second = self._second
        for at, number in enumerate(_WORDS.unpack((total + _HALVES).to_bytes(HIDDEN * 4, "little"))):
            if number > _HALF:
                activation = (number - _HALF) >> _FIRST_SHIFT
                sums += second[at] * (min(_MOST, activation))
        result = self._last_bias
        for at, number in enumerate(_SECOND_WORDS.unpack(sums.to_bytes(SECOND * 4, "little"))):
            if number > _HALF:
                result += self._last[at] * ((number - _HALF) >> _SECOND_SHIFT)
        return result


def fingerprint(written: str) -> str:
    """What tells nets apart: the first 8 digits of the hash of what is written."""
    return sha256(written.encode()).hexdigest()[:8]


def read_network(written: str, inputs: int) -> Network:
    """The net of so many inputs that `research.training` has written: base 85 of compressed 16-bit numbers, the biases
    in 32 bits; ValueError if it is not of that size.
    """
    data = decompress(b85decode(written))
    weights = (inputs + SECOND) * HIDDEN + SECOND
    biases = HIDDEN + SECOND + 1
    numbers = Struct(f"<{weights}h{biases}i").unpack(data) if len(data) == 2 * weights + 4 * biases else ()
    if not numbers:
        raise ValueError(f"{len(data)} bytes are no net of {inputs} inputs")
    first = [numbers[at * HIDDEN : (at + 1) * HIDDEN] for at in range(inputs)]
    start = inputs * HIDDEN
    second = [numbers[start + at * SECOND : start + (at + 1) * SECOND] for at in range(HIDDEN)]
    start += HIDDEN * SECOND
    last = numbers[start : start + SECOND]
    start += SECOND
    return Network(
        first,
        numbers[start : start + HIDDEN],
        second,
        numbers[start + HIDDEN : start + HIDDEN + SECOND],
        last,
        numbers[-1],
    )
