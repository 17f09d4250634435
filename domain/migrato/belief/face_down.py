# compiled into rules
"""Memory of a seat about the opponent's face-down cards, beside its columns."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FaceDownCard:
    """An opposing card that was put face down at a `turn`; `may_be` is the bit set of the faces it can have."""

    turn: int
    may_be: int


FaceDownColumn = tuple[FaceDownCard | None, ...]  # None for cards that lie face up
FaceDownColumns = Sequence[FaceDownColumn]  # by slot
