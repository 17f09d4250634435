"""Answers that clients got about one game: each answered request, with its question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """One request of a client and its answer, or a frame of a stream. `asked_at` is its first attempt, `at` the answer.

    `refused_at`: the version at which a move was sent that is not legal.
    """

    by: str
    number: int
    do: str
    seat: int | None
    key: str | None
    body: Json | None
    asked_at: float
    at: float
    status: int
    answer: Json
    refused_at: int | None = None

    @property
    def ok(self) -> bool:
        """True if it succeeded."""
        return self.status < 400

    @property
    def view(self) -> Json | None:
        """The view of the game that it brought, if it brought one."""
        if not self.ok:
            return None
        member = {"move": "game", "follow": "view"}.get(self.do)
        return self.answer if self.do == "look" else None if member is None else self.answer[member]

    @property
    def events(self) -> Sequence[Json]:
        """The events that the answer brought."""
        found: Sequence[Json] = self.answer["events"] if self.ok and self.do in ("events", "move") else ()
        return found

    @property
    def version(self) -> int | None:
        """The version that the game had."""
        if self.do == "hint":  # its version is the bot's
            return None
        if not self.ok and self.refused_at is not None:
            return self.refused_at
        found: int | None = (self.view or self.answer).get("version")
        return found


@dataclass(frozen=True, slots=True)
class Loss:
    """A fault that may have destroyed what was on the disk: what was told before `until` may be gone after it."""

    began: float
    until: float


def answered(entries: Iterable[Json]) -> list[Told]:
    """The answered requests and the frames of streams, in the order of their answers."""
    asked: dict[tuple[str, int], Json] = {}
    found = []
    for entry in entries:
        if entry["is"] == "invoke":
            asked.setdefault((entry["by"], entry["n"]), entry)
        elif entry["is"] in ("ok", "fail", "frame"):
            first = asked[entry["by"], entry["n"]]
            found.append(
                Told(
                    by=entry["by"],
                    number=entry["n"],
                    do=first["do"],
                    seat=first["seat"],
                    key=first["key"],
                    body=first["body"],
                    asked_at=first["at"],
                    at=entry["at"],
                    status=entry.get("status", 200),
                    answer=entry["answer"],
                    refused_at=first.get("version"),
                )
            )
    return found


def losses_of(drill: Iterable[Json]) -> list[Loss]:
    """The faults of a drill that may have lost what was acknowledged."""
    return [
        Loss(entry["began"], entry["until"]) for entry in drill if entry["is"] == "fault" and entry["loses"]
    ]


def epoch_of(at: float, losses: Sequence[Loss]) -> int:
    """Number of losses that were over by then: within an epoch nothing that was told may be gone."""
    return sum(loss.until <= at for loss in losses)
