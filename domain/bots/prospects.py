"""What a flock may still become: how soon it lands and with how many points, reckoned from what may yet be drawn."""

from typing import Final

from domain.bots.outlook import Supply

PATIENCE: Final = 0.88  # what is left of a worth when it comes one turn later
DRAWS: Final = 2.5  # how many new cards a turn is reckoned to bring (2 after a bird, 3 after an exchange)


class Prospects:
    """Expected points and tempo of flocks, both less for every turn that they take; one supply, filled as asked.

    A flock of species `s` is `lacking` so many cards and has `bottom` birds on its last one. Tempo is what one point
    for landing it in whatever quality would be worth: near 1 for a flock about to land, near 0 for a hopeless one.
    """

    def __init__(self, supply: Supply) -> None:
        self._supply = supply
        self._points: dict[int, float] = {}
        self._tempo: dict[int, float] = {}

    def points(self, s: int, lacking: int, bottom: int, held: list[int]) -> float:
        """With the birds `held` in hand, most first, of which some are played and the rest drawn."""
        return self._worth(s, lacking, bottom, held, 0, self._points, counts=True)

    def tempo(self, s: int, lacking: int, bottom: int, held: list[int]) -> float:
        """The same for a landing that counts 1."""
        return self._worth(s, lacking, bottom, held, 0, self._tempo, counts=False)

    def _worth(
        self,
        s: int,
        lacking: int,
        bottom: int,
        held: list[int],
        start: int,
        memo: dict[int, float],
        counts: bool,
    ) -> float:
        best = self._wait(s, lacking, bottom, memo, counts)
        if lacking:
            for at in range(start, len(held)):
                if held[at] <= bottom:
                    worth = PATIENCE * self._worth(s, lacking - 1, held[at], held, at + 1, memo, counts)
                    best = max(best, worth)
        return best

    def _wait(self, s: int, lacking: int, bottom: int, memo: dict[int, float], counts: bool) -> float:
        """When every card has yet to be drawn: as picky as pays."""
        if not lacking:
            return float(bottom) if counts else 1.0
        key = (s * 8 + lacking) * 16 + bottom
        known = memo.get(key)
        if known is not None:
            return known
        offers: list[tuple[float, float]] = []
        for birds, _, chance in self._supply[s]:
            if birds <= bottom:
                offers.append((self._wait(s, lacking - 1, birds, memo, counts), DRAWS * chance))
        offers.sort(reverse=True)
        best = gain = chance = 0.0
        for worth, of_one in offers:
            fresh = min(of_one, 1 - chance)
            chance += fresh
            gain += fresh * worth
            best = max(best, PATIENCE * gain / (1 - PATIENCE * (1 - chance)))
        memo[key] = best
        return best
