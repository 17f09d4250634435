# compiled into rules
"""Tastes of a player beside winning."""

from typing import NamedTuple

from domain.migrato.net.own_side import OwnSide
from domain.migrato.rules.cards import FIRST_DANGER


class Taste(NamedTuple):
    """Logits, in 1 / LOGIT units, that a player adds to the net's judgement of a move.

    `theft`: for a danger card played; `danger`: for each one kept; `landing`: for each landed species; `spread`: for
    each own column; `card`: for each card in the own columns.
    """

    theft: int = 0
    danger: int = 0
    landing: int = 0
    spread: int = 0
    card: int = 0

    def of(self, side: OwnSide, hand: tuple[int, ...]) -> int:
        """Taste's part in the worth of the own side, with that hand kept."""
        dangers = columns = cards = 0
        for face in hand:
            dangers += face >= FIRST_DANGER
        for column in side.columns:
            columns += bool(column)
            cards += len(column)
        landed = side.landed.bit_count()
        return self.danger * dangers + self.landing * landed + self.spread * columns + self.card * cards
