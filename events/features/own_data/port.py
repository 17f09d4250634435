"""The port of own data: the questions that its use-cases ask of a store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from events.features.own_data.records import Record


@dataclass(frozen=True, slots=True)
class Kept:
    """A record as it is stored: `raw` are its bytes; `record` is None if they are foreign data."""

    raw: bytes
    record: Record | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a change: "done", "changed" (by others), or "taken" (the external id, by another game of the app).

    `kept` is the stored record: that of the game, or, if the id is taken, that of `game_id`, written so many
    milliseconds ago.
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
        """Replace the `known` record of the game by another one (None for no record), and update the index of the app's
        games.

        Nothing is done unless the outcome is "done".
        """
