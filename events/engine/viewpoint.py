"""Viewpoints: a version of a game, and its viewer. A running game hides more than a finished one."""

from dataclasses import dataclass

from domain.errors import invalid
from domain.lifecycle import Viewer
from events.engine.access import Caller
from events.errors import Forbidden
from events.log.snapshot import Snapshot

ALL = "all"  # a viewpoint with nothing hidden, for games that are over


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A game as it was at the end of `then`, as `viewer` sees it; `whole`: with nothing hidden."""

    then: Snapshot
    viewer: Viewer
    whole: bool = False

    @property
    def is_for_all(self) -> bool:
        """True if every caller who may look at the game may see the same: a spectator's view, or a finished game."""
        return self.viewer is None or self.then.status.status == "finished"

    @property
    def label(self) -> str:
        """The viewer's part of an entity tag: two viewpoints of one version that show different things have different
        labels.
        """
        return ALL if self.whole else "" if self.viewer is None else f"seat-{self.viewer}"


def viewpoint_of(current: Snapshot, then: Snapshot, caller: Caller, seat: int | str | None) -> Viewpoint:
    """`then` as the caller sees it: as itself, or as a `seat`, or as ALL, once the game is over.

    `current` is the present game: only when it is over may a caller see more of `then` than at that time. Raises
    Forbidden, and DomainError "validation-error" for a seat that does not exist.
    """
    if seat is None:
        return Viewpoint(then, caller.viewer)
    over = current.status.status == "finished"
    if isinstance(seat, str):
        if not over:
            raise Forbidden("While a game runs, nobody sees everything; ask again when it is over.")
        return Viewpoint(then, None, whole=True)
    if seat >= len(current.status.seats):
        raise invalid("seat", f"There is no seat {seat}; the last one is {len(current.status.seats) - 1}.")
    if not over and caller.seat != seat:
        raise Forbidden(
            f"While the game runs, only seat {seat} itself sees its view; ask again when it is over."
        )
    return Viewpoint(then, seat)
