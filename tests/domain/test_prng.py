"""The chance that bots are given: repeatable, and fair enough."""

from collections import Counter

from domain.prng import Prng


def test_dice_are_the_same_for_the_same_seed() -> None:
    """Fixed numbers, for recorded moves are found again by their seeds."""
    dice = Prng(2026)
    assert [dice.randrange(1000) for _ in range(5)] == [380, 58, 8, 287, 898]


def test_dice_show_every_number_as_often() -> None:
    """Within 5 standard deviations: one after the other, in pairs, and first of many neighbouring seeds."""
    dice = Prng(1)
    counts = Counter(dice.randrange(6) for _ in range(36_000))
    assert all(abs(counts[number] - 6_000) < 354 for number in range(6))
    pairs = Counter((dice.randrange(6), dice.randrange(6)) for _ in range(36_000))
    assert all(abs(pairs[one, two] - 1_000) < 156 for one in range(6) for two in range(6))
    firsts = Counter(Prng(seed).randrange(6) for seed in range(36_000))
    assert all(abs(firsts[number] - 6_000) < 354 for number in range(6))
