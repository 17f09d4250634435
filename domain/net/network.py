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

SECOND: Final = 32  # numbers in the second layer; the first is as wide as the net says
ONE: Final = 64  # an input of 1.0
LOGIT: Final = 1 << 14  # a logit of 1.0
FIRST_WEIGHT: Final = 512  # a first weight of 1.0
WEIGHT: Final = 128  # any other weight, and an activation, of 1.0
_FIRST_SHIFT: Final = 8  # ONE * FIRST_WEIGHT / WEIGHT, as bits
_SECOND_SHIFT: Final = 7
_MOST: Final = 1 << 20  # all activations together: times weights below 1024 they are no more than 30 bits
_LANE: Final = 32
_HALF: Final = 1 << (_LANE - 1)
_SECOND_WORDS: Final = Struct(f"<{SECOND}I")


def _packed(numbers: Sequence[int]) -> int:
    """The numbers side by side, the first one lowest."""
    total = 0
    for number in reversed(numbers):
        total = (total << _LANE) + number
    return total


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
        width = len(first_bias)
        self._halves: int = _packed([_HALF] * width)
        self._shown: int = _packed([_HALF - 1 >> _FIRST_SHIFT] * width)  # the bits of activations
        self._bytes: int = width * _LANE // 8
        self._words: Struct = Struct(f"<{width}I")
        self._most: int = _MOST // width
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
        most = self._most
        total += self._halves
        positive = total & self._halves  # the highest bit of each number that is not below zero
        total = (total & (positive - (positive >> (_LANE - 1)))) >> _FIRST_SHIFT & self._shown
        for at, activation in enumerate(self._words.unpack(total.to_bytes(self._bytes, "little"))):
            if activation:
                sums += second[at] * (min(most, activation))
        result = self._last_bias
        for at, number in enumerate(_SECOND_WORDS.unpack(sums.to_bytes(SECOND * 4, "little"))):
            if number > _HALF:
                result += self._last[at] * ((number - _HALF) >> _SECOND_SHIFT)
        return result


def fingerprint(written: str) -> str:
    """What tells nets apart: the first 8 digits of the hash of what is written."""
    return sha256(written.encode()).hexdigest()[:8]


def width_of(size: int, inputs: int) -> int:
    """How wide the first layer is of a net of so many bytes; ValueError if no net of so many inputs has that size."""
    width, rest = divmod(size - 6 * SECOND - 4, 2 * (inputs + SECOND) + 4)
    if width <= 0 or rest:
        raise ValueError(f"{size} bytes are no net of {inputs} inputs")
    return width


def read_network(written: str, inputs: int) -> Network:
    """The net of so many inputs that `research.training` has written: base 85 of compressed 16-bit numbers, the biases
    in 32 bits; ValueError if it is not of such a size.
    """
    data = decompress(b85decode(written))
    width = width_of(len(data), inputs)
    weights = (inputs + SECOND) * width + SECOND
    numbers = Struct(f"<{weights}h{width + SECOND + 1}i").unpack(data)
    first = [numbers[at * width : (at + 1) * width] for at in range(inputs)]
    start = inputs * width
    second = [numbers[start + at * SECOND : start + (at + 1) * SECOND] for at in range(width)]
    last = numbers[weights - SECOND : weights]
    first_bias = numbers[weights : weights + width]
    return Network(first, first_bias, second, numbers[weights + width : -1], last, numbers[-1])
