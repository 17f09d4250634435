# compiled into rules
"""The net in a compiled build: the layers after the first by loops over machine words.

The numbers are the same as those of `domain.net.network`, which is faster in plain Python.
"""

from collections.abc import Sequence
from typing import Final

from librt.strings import read_i32_le
from librt.vecs import vec
from mypy_extensions import i64

from domain.net.network import FIRST_SHIFT, HALF, LANE, SECOND_SHIFT, Network

_LANE: Final[i64] = LANE
_HALF: Final[i64] = HALF
_FIRST_SHIFT: Final[i64] = FIRST_SHIFT
_SECOND_SHIFT: Final[i64] = SECOND_SHIFT


class NativeNetwork(Network):
    """Two numbers of the second layer share a word. The first is the low half; if it is below zero, it borrows from the
    second.
    """

    def _keep(
        self, second: Sequence[Sequence[int]], second_bias: Sequence[int], last: Sequence[int], last_bias: int
    ) -> None:
        self._rows: vec[i64] = vec[i64]([word for row in second for word in _in_pairs(row)])
        self._pairs_bias: vec[i64] = vec[i64](_in_pairs(second_bias))
        self._of_last: vec[i64] = vec[i64](last)
        self._bias_of_last: i64 = last_bias
        self._width: i64 = len(second)
        self._cap: i64 = self.most

    def logit(self, total: int) -> int:
        """Output for the first layer's sums, `bias` included: the logit of winning, in units of 1 / LOGIT."""
        words = total.to_bytes(self.bytes, "little")
        sums = self._pairs_bias[:]
        pairs: i64 = len(sums)
        rows, cap = self._rows, self._cap
        row: i64 = 0
        for at in range(self._width):
            word = i64(read_i32_le(words, at * 4))
            if word < 0:  # the highest bit is set: the sum is not below zero
                activation = (word + _HALF) >> _FIRST_SHIFT
                if activation > cap:
                    activation = cap
                if activation:
                    for pair in range(pairs):
                        sums[pair] += rows[row + pair] * activation
            row += pairs
        result = self._bias_of_last
        last = self._of_last
        for pair in range(pairs):
            both = sums[pair]
            low = ((both + _HALF) & (2 * _HALF - 1)) - _HALF
            high = (both - low) >> _LANE
            if low > 0:
                result += last[2 * pair] * (low >> _SECOND_SHIFT)
            if high > 0:
                result += last[2 * pair + 1] * (high >> _SECOND_SHIFT)
        return result


def _in_pairs(numbers: Sequence[int]) -> list[int]:
    return [low + (high << LANE) for low, high in zip(numbers[::2], numbers[1::2], strict=True)]
