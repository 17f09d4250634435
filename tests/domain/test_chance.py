"""Chance: the verifiable shuffle (published vectors, written out a second time, fairness), and the dice of bots."""

import hashlib
import hmac
from collections import Counter

from domain.chance import SeededChance, commitment_of
from domain.prng import Prng

SEED = bytes(range(32))


def _again(
    seed: bytes, game_id: str, number: int, client_seeds: list[str | None], items: list[int]
) -> list[int]:
    """The module's four steps, written from its text by somebody else."""
    lines = ["migrato-chance/1", "shuffle", game_id, str(number)]
    lines += ["-" if s is None else hashlib.sha256(s.encode()).hexdigest() for s in client_seeds]
    stream, k, items = b"", 0, list(items)
    for j in range(len(items) - 1, 0, -1):
        while True:
            if not stream:
                stream = hmac.new(seed, "\n".join([*lines, str(k)]).encode(), "sha256").digest()
                k += 1
            word, stream = int.from_bytes(stream[:4], "big"), stream[4:]
            if word < 2**32 - 2**32 % (j + 1):
                break
        i = word % (j + 1)
        items[i], items[j] = items[j], items[i]
    return items


def test_the_shuffle_can_be_written_again_from_its_description() -> None:
    """Same seed, game, number and client seeds: same order; another of any of them: another order."""
    chance = SeededChance(SEED, "abc")
    order = chance.shuffled(0, range(54), ["x", None])
    assert list(order) == _again(SEED, "abc", 0, ["x", None], list(range(54)))
    others = [
        SeededChance(bytes(32), "abc").shuffled(0, range(54), ["x", None]),
        SeededChance(SEED, "abd").shuffled(0, range(54), ["x", None]),
        chance.shuffled(1, range(54), ["x", None]),
        chance.shuffled(0, range(54), [None, "x"]),
        chance.shuffled(0, range(54), [None, None]),
    ]
    assert len({order, *others}) == 6


def test_vector() -> None:
    """A published vector: seed 00 01 ... 1f, game "abc", shuffle 0, client seeds "x" and none, ten items."""
    assert SeededChance(SEED, "abc").shuffled(0, range(10), ["x", None]) == (0, 7, 3, 4, 8, 9, 5, 2, 6, 1)
    assert commitment_of(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_every_order_is_as_likely() -> None:
    """Chi-square over the 24 orders of four items, 12,000 shuffles: below the 99.99 % quantile of 23 degrees."""
    chance = SeededChance(SEED, "fair")
    seen = Counter(chance.shuffled(n, range(4), [None, None]) for n in range(12_000))
    assert len(seen) == 24
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 58.6


def test_dice_are_the_same_for_the_same_seed() -> None:
    """Fixed numbers, for recorded moves are found again by their seeds."""
    dice = Prng(2026)
    assert [dice.randrange(1000) for _ in range(5)] == [380, 58, 8, 287, 898]
