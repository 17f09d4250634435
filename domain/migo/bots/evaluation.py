# compiled into migo
"""Prospects of each seat in a running round: its points, and its chances of the majorities.

A majority counts as shared, by the size of a seat's lead: gradually while many pieces of the kind are still on the
table, and sharply when few are.
"""

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final

from domain.adding import added
from domain.migo.rules.cards import BOTTLE, GEAR, HAT, SHERPA, CardTable
from domain.migo.rules.legal import free_places
from domain.migo.rules.scoring import EMPTY_POINTS, HAT_POINTS, MAJORITY
from domain.migo.rules.state import State, setup_of

SHARPEST: Final = 0.35  # pieces: how much of a lead is worth nothing when nothing of the kind is left
SOFTER: Final = 0.45  # more of it for the square root of the pieces that are left
TOKEN: Final = 0.3  # points for a full token
FLIP: Final = 1.0  # points that turning a card over is estimated to bring
NEXT: Final = 0.8  # the part of what the seat to act can take that counts as taken


def promises(state: State) -> list[float]:
    """The points that each seat may expect of the round as the cards lie; resigned seats expect no majority."""
    return Outlook(state).expected()


class Outlook:
    """The pieces of every seat, and what follows from them."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._table = setup_of(state).options.card_table
        left = _left(state, self._table)
        self._widths = [SHARPEST + SOFTER * sqrt(left[kind]) for kind in range(GEAR)]
        self._points: list[float] = []
        self._pieces: list[list[int]] = [[] for _ in range(GEAR)]  # by kind, then by seat
        for player in state.players:
            mine, own = float(EMPTY_POINTS * player.empty) + TOKEN * player.full, [0] * GEAR
            for face in player.cards:
                kind, count = self._table.kinds[face], self._table.counts[face]
                if kind < GEAR:
                    own[kind] += count
                    mine += count
                elif kind == HAT:
                    mine += HAT_POINTS * count
            self._points.append(mine)
            for kind in range(GEAR):
                self._pieces[kind].append(own[kind])

    def expected(self) -> list[float]:
        """The points that each seat has, and its chances of the majorities."""
        points = list(self._points)
        for kind in range(GEAR):
            for seat, share in enumerate(self._shares(kind, self._pieces[kind])):
                points[seat] += share
        return points

    def expected_after_next(self) -> list[float]:
        """The expected points, where the part NEXT of the best take of the seat to act counts as taken."""
        points, seat = self.expected(), self._state.to_act
        if seat is None or not self._state.lying:
            return points
        best, most = points, -1e9
        for place in free_places(self._state):
            after = self._with(points, seat, self._state.dealt[place])
            worth = after[seat] - max([after[other] for other in range(len(after)) if other != seat])
            if worth > most:
                best, most = after, worth
        return [now + NEXT * (then - now) for now, then in zip(points, best, strict=True)]

    def _with(self, points: list[float], seat: int, face: int) -> list[float]:
        """The expected points after the seat takes that face; the value of a sherpa is an estimate."""
        kind, count = self._table.kinds[face], self._table.counts[face]
        after = list(points)
        if kind < GEAR:
            pieces = list(self._pieces[kind])
            before = self._shares(kind, pieces)
            pieces[seat] += count
            for other, share in enumerate(self._shares(kind, pieces)):
                after[other] += share - before[other]
            after[seat] += count
        elif kind == HAT:
            after[seat] += HAT_POINTS * count
        else:
            after[seat] += TOKEN if kind == BOTTLE else FLIP
        return after

    def _shares(self, kind: int, pieces: Sequence[int]) -> list[float]:
        """Expected points of each seat from the majority of a kind."""
        most, width, resigned = max(pieces), self._widths[kind], self._state.resigned
        weights = [
            0.0 if seat in resigned else exp((count - most) / width) for seat, count in enumerate(pieces)
        ]
        total = added(weights)
        return [MAJORITY * weight / total for weight in weights]


def _left(state: State, table: CardTable) -> list[float]:
    """The pieces of each kind that are still on the table."""
    left = [0.0] * (SHERPA + 1)
    for place, face in enumerate(state.dealt):
        if state.lying >> place & 1:
            left[table.kinds[face]] += table.counts[face]
    return left[:GEAR]


def lead(promised: Sequence[float], seat: int, resigned: tuple[int, ...]) -> float:
    """Lead of the seat over the best of the other seats that still play."""
    others = [points for at, points in enumerate(promised) if at != seat and at not in resigned]
    return promised[seat] - max(others)
