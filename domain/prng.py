"""Chance for bots: small, fast when compiled, and the same for the same seed wherever and however it runs.

It decides nothing that happens in a game (that is `domain.chance`), only what a bot imagines and tries.
"""

from typing import Final

_WORD: Final = 2**64
_M1: Final = 2**30 - 35
_M2: Final = 2**29 - 3


class Prng:
    """Two multiplicative generators combined (L'Ecuyer 1988), with the multipliers of his tables (1999) for moduli
    so small that compiled code need not go beyond machine words. The period is 1.4e17.
    """

    def __init__(self, seed: int) -> None:
        """Any whole number; neighbouring seeds have nothing in common."""
        mixed = seed % _WORD
        for _ in range(2):  # as MurmurHash3 finishes
            mixed = (mixed ^ mixed >> 33) * 0xFF51AFD7ED558CCD % _WORD
        mixed ^= mixed >> 33
        self._one = mixed % (_M1 - 1) + 1
        self._two = mixed // _M1 % (_M2 - 1) + 1

    def random(self) -> float:
        """A number from 0.0 to below 1.0."""
        self._one = self._one * 771645345 % _M1
        self._two = self._two * 520332806 % _M2
        return ((self._one - self._two) % (_M1 - 1) + 1) / _M1

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to stop - 1; `stop` is small against 2**30."""
        return int(self.random() * stop)
