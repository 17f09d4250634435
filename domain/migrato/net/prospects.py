# compiled into rules
"""Time and points with which a flock may still land, given the cards to be drawn; in whole numbers."""

from typing import Final

from domain.migrato.rules.cards import GOAL

Supply = list[list[tuple[int, int]]]  # by species: birds, chance that a draw is such a card; most birds first
WORTH: Final = 4096  # a worth of 1.0
CHANCE: Final = 65536  # a probability of 1.0
PATIENCE: Final = 225  # of 256: the part of a worth that remains if it comes one turn later
HASTE: Final = 192  # the same, when only what comes soon counts


class Prospects:
    """Prospects of a flock that lacks so many cards, with `top` birds on its first card and `bottom` on its last one.

    A card goes below it, or above it at the cost of a turn more. `points`: a landing is worth its points, not 1.
    """

    def __init__(self, supply: Supply, patience: int, points: bool) -> None:
        self._supply = supply
        self._patience = patience
        self._points = points
        self._known: dict[int, int] = {}

    def worth(self, s: int, lacking: int, top: int, bottom: int, held: list[int], start: int = 0) -> int:
        """Worth with the birds `held` in hand from `start` on, most first; some are played, others drawn."""
        best = self.wait(s, lacking, top, bottom)
        if lacking:
            patience = self._patience
            for at in range(start, len(held)):
                birds = held[at]
                if birds <= bottom:
                    first = birds if lacking == GOAL[s] else top
                    worth = patience * self.worth(s, lacking - 1, first, birds, held, at + 1) // 256
                elif birds >= top:
                    worth = patience * self.worth(s, lacking - 1, birds, bottom, held, at + 1) // 256
                    worth = patience * worth // 256
                else:
                    continue
                if worth > best:
                    best = worth
        return best

    def wait(self, s: int, lacking: int, top: int, bottom: int) -> int:
        """Prospects while every card has yet to be drawn, if the player refuses the cards that it pays to refuse."""
        if not lacking:
            return bottom * WORTH if self._points else WORTH
        key = ((s << 4 | lacking) << 4 | top) << 4 | bottom
        if key in self._known:
            return self._known[key]
        patience = self._patience
        offers: list[tuple[int, int]] = []
        for birds, chance in self._supply[s]:
            if birds <= bottom:
                first = birds if lacking == GOAL[s] else top
                offers.append((self.wait(s, lacking - 1, first, birds), 5 * chance // 2))  # 2.5 draws a turn
            elif birds >= top:
                offers.append((patience * self.wait(s, lacking - 1, birds, bottom) // 256, 5 * chance // 2))
        offers.sort(reverse=True)
        gain, of, left = 0, (256 - patience) * CHANCE, CHANCE
        for worth, rate in offers:
            if worth * of <= gain:  # worth no more than the wait for better ones: gain / of
                break
            fresh = min(rate, left)
            left -= fresh
            gain += patience * fresh * worth
            of += patience * fresh
        best = self._known[key] = gain // of
        return best
