# compiled into rules
"""Reasons for and against moves, in any game. To weigh a reason, one part of the net's inputs is put back to what it
was before the move. The part's weight is the fall of the probability of winning.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from domain.bot import DENIES, RISKS, WINS, Considered, Move, Reason

MOST_EXPLAINED: Final = 8  # moves that are given reasons, the best of those considered
REASONS: Final = 3  # of one move
LEAST_CHANGE: Final = 0.01  # change of the probability of winning that is worth a sentence


class Sentences:
    """A game's sentences by their codes, with `{name}` and `{points}` in them; `denies`: the codes of those that say
    what a move takes away from others.
    """

    def __init__(self, texts: Mapping[str, str], denies: Sequence[str]) -> None:
        self._texts = texts
        self._denies = denies

    @property
    def codes(self) -> Sequence[str]:
        """Every code that a reason of the game can have."""
        return list(self._texts)

    def reason(
        self, code: str, change: float, about: str | None = None, points: int | None = None, name: str = ""
    ) -> Reason:
        """The reason with its sentence; `change`: that of the probability of winning, below 0 for a risk; `about`: the
        id of the thing that the reason concerns, and `name`: its name in the sentence.
        """
        kind = RISKS if change <= 0 else DENIES if code in self._denies else WINS
        said = f"{points} point" if points == 1 else f"{points} points"
        text = self._texts[code].format(name=name, points=said)
        return Reason(kind, code, about, round(change, 4), points, text)


def strongest(found: Iterable[Reason]) -> tuple[Reason, ...]:
    """The reasons that are worth a sentence, the greatest change first."""
    worth = [reason for reason in found if abs(reason.change) >= LEAST_CHANGE]
    worth.sort(key=_weakness)
    return tuple(worth[:REASONS])


def with_reasons(
    considered: Sequence[Considered], reasons: Callable[[Move], tuple[Reason, ...]]
) -> list[Considered]:
    """The considered moves again, the first MOST_EXPLAINED of them with their reasons."""
    return [
        replace(one, reasons=reasons(one.move)) if at < MOST_EXPLAINED else one
        for at, one in enumerate(considered)
    ]


def _weakness(reason: Reason) -> float:
    return -abs(reason.change)
