"""Time for which games stood still after each fault, as their clients saw it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from drills.checker.streams import FOLLOW
from drills.checker.told import Told

Json = dict[str, Any]
NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Progress:
    """Times at which the versions of one game became known, and the time at which it was over."""

    points: tuple[tuple[float, int], ...]
    over: float


def progress(told: Sequence[Told]) -> Progress:
    """The game's progress, from what its clients were told; a frame of a stream may have been on its way for long."""
    points, over = [], NEVER
    for one in told:
        version = one.version if one.ok else None
        if version is not None and one.do not in ("create", FOLLOW):
            points.append((one.at, version))
        view = one.view if one.ok else None
        if over == NEVER and view is not None and view["result"] is not None and view["result"]["scored"]:
            over = one.at
    return Progress(tuple(points), over)


def wait_after(game: Progress, fault: Json) -> float | None:
    """Seconds from the end of the fault until the game went on; NEVER if it did not; None if it did not run then."""
    healed = fault["healed"]
    before = [version for at, version in game.points if at <= healed]
    if not before or game.over <= healed:
        return None
    after = [(at, version) for at, version in game.points if at > healed]
    known = after[0][1] if fault["loses"] and after else max(before)  # the versions before may be gone
    if game.over != NEVER and known >= max((version for _, version in after), default=0):
        return None  # its last event was there by then, and told soon after
    return next((at - healed for at, version in after if version > known), NEVER)
