"""The port of own data: the questions that its use-cases ask of a store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from events.features.own_data.records import Record


@dataclass(frozen=True, slots=True)
class Kept:
    """A record as the store has it: `raw` are its bytes, `record` is None if something else has written there."""

    raw: bytes
    record: Record | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a change: "done", "changed" (by others), or "taken" (the external id, by another game of the app).

    `kept` is the record that is there now: of the game, or of the other one, `game_id`, of that age in milliseconds.
    """

    kind: str
    kept: Kept | None
    game_id: str
    age: int = 0


class OwnDataStore(Protocol):
    """Own data of apps about their games. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def kept(self, app: str, game_ids: Sequence[str]) -> list[Kept | None]:
        """The records of these games of the app; None for a game without one."""

    def put(self, app: str, game_id: str, known: Kept | None, record: Record | None) -> Outcome:
        """Replace what is `known` of the game by a record, None for no record; the index of the app's games follows.

        Unless it is "done" nothing is done.
        """
