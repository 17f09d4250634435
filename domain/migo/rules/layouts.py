# compiled into migo
"""Layouts of the cards (rules 2): places, numbered from 0, and the places that each covers.

Ropes are columns, each numbered from the covered end to the end that can be taken. An inverted pyramid is numbered row
by row from the widest, left to right; several pyramids one after the other.
"""

from collections.abc import Sequence
from typing import Final

from domain.value import Value

ROPES: Final = "ropes"
PYRAMID: Final = "pyramid"
PYRAMIDS: Final = "pyramids"
LAYOUTS: Final = (ROPES, PYRAMID, PYRAMIDS)
SMALL: Final = "small"  # for two players
LARGE: Final = "large"  # for three and four, or for two with `layout_size`


class Layout(Value):
    """A layout of `size` places: `covers[place]` are the places whose cards lie over it.

    `over` is the same as bit sets, for speed; `above` are also those that lie on them. `start`: the places that can be
    taken at the start. `groups`: how many places there are by row of each pyramid, or by column, for drawing.
    """

    __match_args__ = ("name", "size", "covers", "over", "start", "groups")

    def __init__(
        self,
        name: str,
        size: int,
        covers: tuple[tuple[int, ...], ...],
        over: tuple[int, ...],
        start: tuple[int, ...],
        groups: tuple[tuple[int, ...], ...],
    ) -> None:
        self.name = name
        self.size = size
        self.covers = covers
        self.over = over
        self.start = start
        self.groups = groups
        self.above: tuple[int, ...] = _above(over)
        self._free: dict[int, tuple[int, ...]] = {}

    def free(self, lying: int) -> tuple[int, ...]:
        """The places that nothing covers while cards lie at those of the bit set, in ascending order.

        Each answer is worked out once: in play the cards of a layout lie in at most 23 534 ways (`pyramids`, LARGE).
        """
        free = self._free.get(lying)
        if free is None:
            free = tuple(
                [place for place, over in enumerate(self.over) if lying >> place & 1 and not lying & over]
            )
            self._free[lying] = free
        return free


def _above(over: tuple[int, ...]) -> tuple[int, ...]:
    """The places over each place, directly or on other cards: a place that covers another has a higher number."""
    above = list(over)
    for place in range(len(over) - 1, -1, -1):
        for covering in range(place + 1, len(over)):
            if over[place] >> covering & 1:
                above[place] |= above[covering]
    return tuple(above)


def _layout(name: str, groups: Sequence[Sequence[int]], covers: Sequence[tuple[int, ...]]) -> Layout:
    start = tuple([place for place, over in enumerate(covers) if not over])
    masks = tuple([sum([1 << place for place in covering]) for covering in covers])
    return Layout(name, len(covers), tuple(covers), masks, start, tuple([tuple(group) for group in groups]))


def _ropes(columns: Sequence[int]) -> Layout:
    covers: list[tuple[int, ...]] = []
    for length in columns:
        first = len(covers)
        covers += [(first + at + 1,) for at in range(length - 1)]
        covers.append(())
    return _layout(ROPES, [columns], covers)


def _pyramids(name: str, pyramids: Sequence[Sequence[int]]) -> Layout:
    """Card j of a row lies over the gap between the cards j and j + 1 of the row above."""
    covers: list[tuple[int, ...]] = []
    for rows in pyramids:
        for row, width in enumerate(rows):
            below = len(covers) + width  # the first place of the next row
            narrower = rows[row + 1] if row + 1 < len(rows) else 0
            covers += [
                tuple([below + over for over in (at - 1, at) if 0 <= over < narrower]) for at in range(width)
            ]
    return _layout(name, pyramids, covers)


_SHAPES: Final = {
    (ROPES, SMALL): _ropes((6, 5, 4, 3)),
    (ROPES, LARGE): _ropes((7, 6, 5, 4, 3)),
    (PYRAMID, SMALL): _pyramids(PYRAMID, [(6, 5, 4, 3)]),
    (PYRAMID, LARGE): _pyramids(PYRAMID, [(7, 6, 5, 4, 3)]),
    (PYRAMIDS, SMALL): _pyramids(PYRAMIDS, [(3, 2, 1)] * 3),
    (PYRAMIDS, LARGE): _pyramids(PYRAMIDS, [(4, 3, 2), (3, 2, 1), (4, 3, 2)]),
}


def layout_of(name: str, size: str) -> Layout:
    """The layout of that name for two players (SMALL) or more (LARGE)."""
    return _SHAPES[name, size]
