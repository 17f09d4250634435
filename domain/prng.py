# compiled into rules
"""Random numbers for bots: small, fast when compiled, and the same for the same seed on every machine, plain or
compiled.

They decide nothing in a game (`domain.chance` does), only the deals and moves that a bot imagines.
"""

from typing import Any, Final, Protocol

_WORD: Final = 2**64
_M1: Final = 2**30 - 35
_M2: Final = 2**29 - 3


class Rng(Protocol):
    """A source of random numbers for bots; `random.Random` fits."""

    def random(self) -> float:
        """A number from 0.0 to below 1.0."""

    def shuffle(self, items: list[Any], /) -> None:
        """Put the items in any order, in place."""


class Prng:
    """Two multiplicative generators combined (L'Ecuyer 1988), with the multipliers of his tables (1999) for moduli
    so small that compiled code need not go beyond machine words. The period is 1.4e17.
    """

    def __init__(self, seed: int) -> None:
        """`seed`: any whole number; neighbouring seeds give unrelated numbers."""
        mixed = seed % _WORD
        for _ in range(2):  # the finalizer of MurmurHash3
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
        """A number from 0 to stop - 1, where `stop` is far below 2**30."""
        return int(self.random() * stop)

    def shuffle(self, items: list[Any], /) -> None:
        """Put the items in any order, in place, as Fisher and Yates do from the end."""
        for j in range(len(items) - 1, 0, -1):
            i = int(self.random() * (j + 1))
            item = items[i]
            items[i] = items[j]
            items[j] = item


class ImaginedChance:
    """The chance of games that are only imagined: fast, and not verifiable (see `domain.chance.Chance`)."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def shuffled(self, _number: int, cards: object, _client_seeds: object) -> tuple[int, ...]:
        """The cards in any order."""
        assert isinstance(cards, tuple)
        order = list(cards)
        self._rng.shuffle(order)
        return tuple(order)

    def first_seat(self, seats: int, _client_seeds: object) -> int:
        """Any seat."""
        return int(self._rng.random() * seats)
