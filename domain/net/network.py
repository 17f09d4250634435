# compiled into rules
"""The net: three layers in whole numbers. Every machine and every build computes the same.

The numbers of a layer stand side by side in one big int, 32 bits each: Python adds and scales such ints by machine
words, so that a whole row of weights costs little more than one number. A number below zero borrows from the one above
it; sums begin with `HALF` for each, so that nothing is borrowed in the end, and the highest bit says which are not
below zero.
"""

from collections.abc import Sequence
from struct import Struct
from typing import Final

SECOND: Final = 32  # numbers in the second layer; the first is as wide as the net says
ONE: Final = 64  # an input of 1.0
LOGIT: Final = 1 << 14  # a logit of 1.0
FIRST_WEIGHT: Final = 512  # a first weight of 1.0
WEIGHT: Final = 128  # any other weight, and an activation, of 1.0
FIRST_SHIFT: Final = 8  # ONE * FIRST_WEIGHT / WEIGHT, as bits
SECOND_SHIFT: Final = 7
MOST: Final = 1 << 20  # all activations together: times weights below 1024 they are no more than 30 bits
LANE: Final = 32
HALF: Final = 1 << (LANE - 1)
_WORDS_OF_SECOND: Final = Struct(f"<{SECOND}I")


def _packed(numbers: Sequence[int]) -> int:
    """The numbers side by side, the first one lowest."""
    total = 0
    for number in reversed(numbers):
        total = (total << LANE) + number
    return total


_SECOND_HALVES: Final = _packed([HALF] * SECOND)


class Network:
    """Learnt weights. `rows`: the first layer's weights by input; `shown`: the same times ONE, for an input of 1.0;
    `bias`: what its sums begin with; `bytes`: their length; `most`: a cap on each activation.
    """

    def __init__(
        self,
        first: Sequence[Sequence[int]],
        first_bias: Sequence[int],
        second: Sequence[Sequence[int]],
        second_bias: Sequence[int],
        last: Sequence[int],
        last_bias: int,
    ) -> None:
        """`first` has a row for each input, `second` one for each number of the first layer. A bias has the scale of
        the sums that it is added to.
        """
        self.rows: list[int] = [_packed(row) for row in first]
        self.shown: list[int] = [row * ONE for row in self.rows]
        width = len(first_bias)
        self._halves: int = _packed([HALF] * width)
        self.bias: int = _packed(first_bias) + self._halves
        self._shown: int = _packed([HALF - 1 >> FIRST_SHIFT] * width)  # the bits of activations
        self.bytes: int = width * LANE // 8
        self._words: Struct = Struct(f"<{width}I")
        self.most: int = MOST // width
        self._keep(second, second_bias, last, last_bias)

    def _keep(
        self, second: Sequence[Sequence[int]], second_bias: Sequence[int], last: Sequence[int], last_bias: int
    ) -> None:
        """Keep the layers after the first as `logit` needs them."""
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
        """Output for the first layer's sums, `bias` included: the logit of winning, in units of 1 / LOGIT."""
        sums = self._second_bias
        second = self._second
        most = self.most
        positive = total & self._halves  # the highest bit of each number that is not below zero
        total = (total & (positive - (positive >> (LANE - 1)))) >> FIRST_SHIFT & self._shown
        for at, activation in enumerate(self._words.unpack(total.to_bytes(self.bytes, "little"))):
            if activation:
                sums += second[at] * (min(most, activation))
        result = self._last_bias
        for at, number in enumerate(_WORDS_OF_SECOND.unpack(sums.to_bytes(SECOND * 4, "little"))):
            if number > HALF:
                result += self._last[at] * ((number - HALF) >> SECOND_SHIFT)
        return result
