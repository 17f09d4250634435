"""The port of players: the questions that its use-cases ask of a store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player: the app's name for the player, the app, and the time (RFC 3339 UTC) since which the player exists.

    `display_name` is the name that people see, if that is another one.
    """

    name: str
    app: str
    created_at: str
    display_name: str | None = None


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player's record, decrypted, and its key in the index."""

    record: PlayerRecord
    digest: bytes


class PlayerStore(Protocol):
    """The players of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def known(self, app: str, names: Sequence[str]) -> list[str | None]:
        """The ids of the app's players of these names; None for a name without a player."""

    def enrol(self, record: PlayerRecord, place: str = "", seconds: int | None = None) -> str:
        """The id of the app's player of that name, or of its guest at a `place`; created if there is none.

        `seconds`: the life of a new player, unless `keep` prolongs it. A player who is kept for good stays so.
        """

    def keep(self, player_id: str, seconds: int | None = None) -> bool:
        """Keep the player for good, or a player without a game for so many seconds more. Returns True if the player
        exists.
        """

    def read(self, player_ids: Sequence[str]) -> list[StoredPlayer | None]:
        """The players of these ids; None for one who does not exist or was erased."""

    def rename(self, player_id: str, display_name: str | None) -> bool:
        """Change the display name. Returns True if the player exists."""

    def erase(self, player_id: str, digest: bytes, *, at_once: bool = True) -> bool:
        """Destroy all stored data of the player, in one step. Returns True if there were any.

        `at_once`: the data are also removed from the store's files (`settle_erasures`), not only when these are
        rewritten by themselves.
        """

    def settle_erasures(self) -> None:
        """Remove erased players from the store's files, too. Call it now and then."""
