# compiled into rules
"""Number of ways in which a pool's cards can lie on face-down places, each of which can have certain faces only."""

from collections.abc import Sequence
from typing import Final

_MOST_STATES: Final = 20_000


class Assignments:
    """The face-down places of one pool, in the order in which they are dealt.

    `faces`: what can lie on any of them; `counts`: how many cards of each the pool has; `choices`: for each place,
    which of them (as indices into `faces`) it can have. Faces that no place tells apart are of one kind; `step` is what
    a card of a face adds to the number that stands for the kinds of the cards dealt so far.
    """

    def __init__(self, cards: Sequence[int], may_be: Sequence[int]) -> None:
        """`may_be`: for each place, the bit set of its faces."""
        every = 0
        for faces in may_be:
            every |= faces
        self.faces: list[int] = sorted({face for face in cards if every >> face & 1})
        self.counts: list[int] = [cards.count(face) for face in self.faces]
        self.choices: list[list[int]] = [
            [index for index, face in enumerate(self.faces) if faces >> face & 1] for faces in may_be
        ]
        kinds: dict[tuple[bool, ...], int] = {}
        kind_of = [
            kinds.setdefault(tuple([faces >> face & 1 == 1 for faces in may_be]), len(kinds))
            for face in self.faces
        ]
        self._sizes = [0] * len(kinds)
        for index, kind in enumerate(kind_of):
            self._sizes[kind] += self.counts[index]
        self._steps: list[int] = []
        states = 1
        for size in self._sizes:
            self._steps.append(states)
            states *= size + 1
        self.step: list[int] = [self._steps[kind] for kind in kind_of]
        self._kinds = [sorted({kind_of[index] for index in choice}) for choice in self.choices]
        self._counting = states <= _MOST_STATES
        self._known: dict[int, float] = {}
        self.all_ways: float = self.ways(0, 0)

    def ways(self, place: int, dealt: int) -> float:
        """Number of ways to fill the places from `place` on after `dealt`; cards of one face count as different cards.

        With very many kinds and places, the result only says whether there is a way: 1.0 or 0.0.
        """
        if place == len(self._kinds):
            return 1.0
        if dealt in self._known:
            return self._known[dealt]
        total = 0.0
        for kind in self._kinds[place]:
            step, size = self._steps[kind], self._sizes[kind]
            left = size - dealt // step % (size + 1)
            if left:
                total += left * self.ways(place + 1, dealt + step)
                if total and not self._counting:
                    total = 1.0
                    break
        self._known[dealt] = total
        return total

    def likelihood(self, cards: int) -> float:
        """Probability that every place gets a card that it can have, if so many `cards` are dealt blindly."""
        likelihood = self.all_ways
        for place in range(len(self.choices)):
            likelihood /= cards - place
        return likelihood
