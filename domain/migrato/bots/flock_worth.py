# compiled into rules
"""Worth that a flock may still have: how soon it lands and with how many points, given the cards to be drawn."""

from typing import Final

from domain.migrato.bots.supply import Supply
from domain.migrato.rules.cards import GOAL

DRAWS: Final = 2.5  # how many new cards a turn is taken to bring (2 after a bird, 3 after an exchange)


class FlockWorth:
    """Expected points and tempo of flocks, both less for every turn that they take; one supply, filled as asked.

    A flock of species `s` is `lacking` so many cards, has `top` birds on its first one and `bottom` on its last. A card
    goes below it, or above it at the cost of a turn more: in a column of its own, to which the flock is moved.
    `patience`: what is left of a worth when it comes one turn later. `counts`: landing is worth its points, else 1.
    """

    def __init__(self, supply: Supply, patience: float, counts: bool) -> None:
        self._supply = supply
        self._patience = patience
        self._counts = counts
        self._waiting: dict[int, float] = {}

    def worth(self, s: int, lacking: int, top: int, bottom: int, held: list[int], start: int = 0) -> float:
        """Worth with the birds `held` in hand from `start` on, most first; some are played, others drawn."""
        best = self._wait(s, lacking, top, bottom)
        if lacking:
            patience = self._patience
            for at in range(start, len(held)):
                birds = held[at]
                if birds <= bottom:
                    first = birds if lacking == GOAL[s] else top
                    worth = patience * self.worth(s, lacking - 1, first, birds, held, at + 1)
                elif birds >= top:
                    worth = patience * patience * self.worth(s, lacking - 1, birds, bottom, held, at + 1)
                else:
                    continue
                if worth > best:
                    best = worth
        return best

    def _wait(self, s: int, lacking: int, top: int, bottom: int) -> float:
        """Worth while every card has yet to be drawn, if the player refuses the cards that it pays to refuse."""
        if not lacking:
            return float(bottom) if self._counts else 1.0
        key = ((s << 4 | lacking) << 4 | top) << 4 | bottom
        known = self._waiting.get(key)
        if known is not None:
            return known
        patience = self._patience
        offers: list[tuple[float, float]] = []
        for birds, _, chance in self._supply[s]:
            if birds <= bottom:
                first = birds if lacking == GOAL[s] else top
                offers.append((self._wait(s, lacking - 1, first, birds), DRAWS * chance))
            elif birds >= top:
                offers.append((patience * self._wait(s, lacking - 1, birds, bottom), DRAWS * chance))
        offers.sort(reverse=True)
        best = 0.0
        gain = 0.0
        taken = 0.0
        for worth, of_one in offers:
            fresh = min(of_one, 1 - taken)
            taken += fresh
            gain += fresh * worth
            best = max(best, patience * gain / (1 - patience * (1 - taken)))
        self._waiting[key] = best
        return best
