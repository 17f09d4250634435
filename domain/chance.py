# compiled into recording
"""The one port through which chance enters a game, and its verifiable implementation.

A shuffle is a function of the game's secret server seed, the game's id, the shuffle's number and the seats' client
seeds. So anybody can recompute it once the server seed is revealed:

1. message = the lines "migrato-chance/1", purpose, game id, number (decimal) and, a line a seat, the lower-case hex
   SHA-256 of the seat's client seed in UTF-8, or "-" where it gave none; joined by line feeds.
2. block k (k = 0, 1, 2 ...) = HMAC-SHA256(server seed, message, a line feed and k in decimal); the stream is
   the blocks in order, read as big-endian unsigned 32-bit words.
3. a number below n: the next word w with w < 2^32 - (2^32 mod n), others are skipped; the number is w mod n.
4. a shuffle is Fisher-Yates from the end: for j = n-1 ... 1 swap item j with item (number below j + 1).
"""

import hashlib
from collections.abc import Sequence
from struct import Struct
from typing import Final, Protocol

from domain.keyed_hash import KeyedHash

ClientSeeds = Sequence[str | None]

LONGEST_CLIENT_SEED: Final = 128  # characters
WORDS: Final = 2**32
_WORDS_OF: Final = Struct(">8I")  # one HMAC block as eight 32-bit words


def is_client_seed(text: str) -> bool:
    """True for a text that may be a client seed."""
    return 0 < len(text) <= LONGEST_CLIENT_SEED


class Chance(Protocol):
    """Questions of a game to chance; the event that follows records the answer."""

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: ClientSeeds) -> tuple[int, ...]:
        """The cards in the order of shuffle `number` (0 is the first of the game)."""

    def first_seat(self, seats: int, client_seeds: ClientSeeds) -> int:
        """The seat that starts, drawn fairly from 0 ... seats - 1."""


class SeededChance:
    """The verifiable chance of one game (steps 1 to 4 above)."""

    def __init__(self, seed: bytes, game_id: str) -> None:
        """`seed`: the game's 32 secret bytes."""
        self._seed = seed  # hashed when it is first needed: most moves need no chance
        self._game_id = game_id
        self._last: tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], tuple[int, ...]] | None = None

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: ClientSeeds) -> tuple[int, ...]:
        """The order by steps 1 to 4 with purpose "shuffle". The last order is kept, because an audit asks for it
        several times.
        """
        asked, last = (number, tuple(cards), tuple(client_seeds)), self._last
        if last is not None and last[0] == asked:
            return last[1]
        order = list(cards)
        numbers = self._numbers("shuffle", number, client_seeds)
        for j in range(len(order) - 1, 0, -1):
            i = numbers.below(j + 1)
            item = order[i]
            order[i] = order[j]
            order[j] = item
        shuffled = tuple(order)
        self._last = asked, shuffled
        return shuffled

    def first_seat(self, seats: int, client_seeds: ClientSeeds) -> int:
        """The seat by steps 1 to 3 with purpose "first_seat" and number 0."""
        return self._numbers("first_seat", 0, client_seeds).below(seats)

    def _numbers(self, purpose: str, number: int, client_seeds: ClientSeeds) -> "_Numbers":
        thrown_in = ["-" if s is None else hashlib.sha256(s.encode()).hexdigest() for s in client_seeds]
        message = "\n".join(["migrato-chance/1", purpose, self._game_id, str(number), *thrown_in])
        return _Numbers(KeyedHash(self._seed), message)


class _Numbers:
    """The numbers that follow from one message (steps 2 and 3)."""

    def __init__(self, keyed: KeyedHash, message: str) -> None:
        self._keyed = keyed
        self._message = message
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._next = 0

    def below(self, n: int) -> int:
        """The next number below n."""
        limit = WORDS - WORDS % n
        while True:
            if self._next == len(self._words):
                self._words = _WORDS_OF.unpack(self._keyed.digest(f"{self._message}\n{self._block}".encode()))
                self._block += 1
                self._next = 0
            word = self._words[self._next]
            self._next += 1
            if word < limit:
                return word % n


class UnknownOrder:
    """The chance for moves that are only previewed: their events are wanted, but the order of the cards
    is not known.
    """

    def shuffled(self, number: int, cards: Sequence[int], client_seeds: ClientSeeds) -> tuple[int, ...]:
        """The cards as they are."""
        return tuple(cards)

    def first_seat(self, seats: int, client_seeds: ClientSeeds) -> int:
        """Raise an error: no move draws the first seat."""
        raise AssertionError


def commitment_of(seed: bytes) -> str:
    """Commitment to a server seed, published before play: its SHA-256, in hex."""
    return hashlib.sha256(seed).hexdigest()
