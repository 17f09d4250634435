"""What a round promises each seat while it runs: the points that it has, and its chances of the majorities.

A majority is thought of as shared by how far ahead a seat is: softly while many pieces of the kind still lie on the
table, and sharply when few do.
"""

from collections.abc import Sequence
from math import exp, sqrt
from typing import Final

from domain.migo.rules.cards import GEAR, HAT, SHERPA, CardTable
from domain.migo.rules.options import Options
from domain.migo.rules.scoring import EMPTY_POINTS, HAT_POINTS, MAJORITY
from domain.migo.rules.state import GONE, State, setup_of

SHARPEST: Final = 0.35  # pieces: how much of a lead is worth nothing when nothing of the kind is left
SOFTER: Final = 0.45  # more of it for the square root of the pieces that are left
TOKEN: Final = 0.3  # points that a full token is worth
BACK: Final = 0.5  # how much pieces on the hidden side of a card that lies count of those that are up


def promises(state: State) -> list[float]:
    """The points that each seat may expect of the round; resigned seats expect nothing."""
    table = setup_of(state).options.card_table
    left = _left(state, table)
    points: list[float] = []
    pieces: list[list[int]] = []
    for player in state.players:
        mine, own = float(EMPTY_POINTS * player.empty) + TOKEN * player.full, [0] * GEAR
        for face in player.cards:
            kind, count = table.kinds[face], table.counts[face]
            if kind < GEAR:
                own[kind] += count
                mine += count
            elif kind == HAT:
                mine += HAT_POINTS * count
        points.append(mine)
        pieces.append(own)
    for kind in range(GEAR):
        width = SHARPEST + SOFTER * sqrt(left[kind])
        _add_chances(points, [own[kind] for own in pieces], width, state.resigned)
    return points


def _left(state: State, table: CardTable) -> list[float]:
    """The pieces of each kind that still lie on the table."""
    left = [0.0] * (SHERPA + 1)
    for face in state.table:
        if face != GONE:
            left[table.kinds[face]] += table.counts[face]
    return left[:GEAR]


def _add_chances(points: list[float], pieces: Sequence[int], width: float, resigned: tuple[int, ...]) -> None:
    most = max(pieces)
    weights = [0.0 if seat in resigned else exp((count - most) / width) for seat, count in enumerate(pieces)]
    total = sum(weights)
    for seat, weight in enumerate(weights):
        points[seat] += MAJORITY * weight / total


def lead(promised: Sequence[float], seat: int, resigned: tuple[int, ...]) -> float:
    """How far the seat is ahead of the best of the others that play."""
    others = [points for at, points in enumerate(promised) if at != seat and at not in resigned]
    return promised[seat] - max(others)


def takes_left(state: State, options: Options) -> int:
    """The takes until the round, or the game, is over."""
    limit = options.turn_limit
    return state.left if limit is None else min(state.left, limit - state.takes)
