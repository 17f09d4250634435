"""The port of players: the questions that its use-cases ask of a store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player: the name in the words of its app, the app, and the time (RFC 3339 UTC) since when it is known.

    `display_name` is the name that people are shown, if that is another one.
    """

    name: str
    app: str
    created_at: str
    display_name: str | None = None


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player's record, opened, and its key in the index."""

    record: PlayerRecord
    digest: bytes


class PlayerStore(Protocol):
    """The players of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def known(self, app: str, names: Sequence[str]) -> list[str | None]:
        """The ids of the app's players of these names; None for one that is not there."""

    def enrol(self, record: PlayerRecord, place: str = "", seconds: int | None = None) -> str:
        """The id of the app's player of that name, or of its guest at a `place`, who is made where there is none.

        `seconds`: for how long, if nobody keeps the player meanwhile; whoever is there for good stays so.
        """

    def keep(self, player_id: str, seconds: int | None = None) -> bool:
        """Keep the player for good, or a player without a game for so many seconds more. Returns whether there is such
        a player.
        """

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids; None for one that is not there (any more)."""

    def rename(self, player_id: str, display_name: str | None) -> bool:
        """Change the name that people are shown. Returns whether there is such a player."""

    def erase(self, player_id: str, digest: bytes, *, at_once: bool = True) -> bool:
        """Destroy everything that is kept of the player, in one step. Returns whether there was anything.

        `at_once`: out of the store's files as well (`settle_erasures`), and not only when these are made anew.
        """

    def settle_erasures(self) -> None:
        """Have erased players leave the store's files, too; to be called now and then."""
