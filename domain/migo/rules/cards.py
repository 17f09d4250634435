# compiled into migo
"""The expedition cards as data (rules 1): 25 cards of two faces, of which 4 have a sherpa on the back.

A card is its number, 0 for E01. A face is twice that number, plus 1 for the back: an int that tells the card and which
of its sides is up. "E07a" is card E07 with its front up, "E07b" with its back up. A `CardTable` says what the faces
show; an option of the game may replace it.
"""

from collections.abc import Iterable
from typing import Final

from domain.value import Value

KINDS: Final = ("rope", "crampons", "ice_axe", "carabiner", "hat", "bottle", "sherpa")
GEAR: Final = 4  # kinds 0 to 3 have a majority
HAT: Final = KINDS.index("hat")
BOTTLE: Final = KINDS.index("bottle")
SHERPA: Final = KINDS.index("sherpa")
CARDS: Final = 25
MOST_PIECES: Final = 9  # on a face of a table that replaces the standard one

IDS: Final = tuple(f"E{number + 1:02}" for number in range(CARDS))
NUMBER: Final = {card: number for number, card in enumerate(IDS)}
SIDES: Final = ("a", "b")
NAME: Final = tuple(card + side for card in IDS for side in SIDES)  # by face
FACE: Final = {name: face for face, name in enumerate(NAME)}


class CardTable(Value):
    """Pictures of the faces: `kinds`, and how many pieces of it (`counts`, 0 for a sherpa)."""

    __match_args__ = ("kinds", "counts")

    def __init__(self, kinds: tuple[int, ...], counts: tuple[int, ...]) -> None:
        self.kinds = kinds
        self.counts = counts

    def may_be_turned(self, face: int) -> bool:
        """True if the card may be flipped: its other face is no sherpa (rules 3)."""
        return self.kinds[face ^ 1] != SHERPA


# The reconstructed table: the front and the back of E01, E02, ...
_STANDARD: Final = (
    ("rope 1", "crampons 1"), ("rope 2", "ice_axe 1"), ("rope 1", "ice_axe 2"), ("rope 1", "carabiner 1"),
    ("carabiner 2", "rope 1"), ("crampons 2", "ice_axe 1"), ("crampons 1", "ice_axe 1"),
    ("carabiner 1", "crampons 2"), ("crampons 1", "carabiner 1"), ("ice_axe 2", "carabiner 1"),
    ("ice_axe 1", "carabiner 2"),
    ("hat 1", "rope 2"), ("rope 1", "hat 1"), ("hat 1", "crampons 1"), ("crampons 1", "hat 1"),
    ("hat 1", "ice_axe 1"), ("carabiner 1", "hat 1"), ("hat 1", "ice_axe 2"),
    ("bottle 1", "rope 2"), ("crampons 2", "bottle 1"), ("bottle 1", "carabiner 2"),
    ("rope 1", "sherpa 0"), ("crampons 1", "sherpa 0"), ("ice_axe 1", "sherpa 0"), ("carabiner 1", "sherpa 0"),
)  # fmt: skip


def _table(cards: Iterable[tuple[str, str]]) -> CardTable:
    faces = [face.split() for card in cards for face in card]
    return CardTable(tuple([KINDS.index(kind) for kind, _ in faces]), tuple([int(n) for _, n in faces]))


CARD_TABLES: Final = {"standard": _table(_STANDARD)}


def names(faces: Iterable[int]) -> list[str]:
    """The faces as they are written."""
    return [NAME[face] for face in faces]


def faces_of(written: Iterable[str]) -> tuple[int, ...]:
    """The faces that the names mean; KeyError for another name."""
    return tuple([FACE[name] for name in written])
