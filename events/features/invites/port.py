"""The port of invites: the questions that its use-cases ask of a store."""

from typing import Protocol

from events.ports import StoredInvite


class InviteStore(Protocol):
    """The invites of games, which are gone once they have expired. Every method may raise StoreUnavailable."""

    def add(self, game_id: str, invite_id: str, seat: int, digest: str, seconds: int) -> int | None:
        """Keep an invite for so many seconds; until when that is, in ms. None if the game has as many as it can."""

    def invite(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """The game's invite of that id."""

    def keep_join_code(self, digest: str, game_id: str, seat: int, seconds: int) -> bool:
        """Keep the seat to which a join code leads, by the digest of its invite; False if there is such a
        code already.
        """

    def join_code(self, digest: str) -> tuple[str, int] | None:
        """The game and the seat to which a join code leads."""

    def invites(self, game_id: str) -> list[StoredInvite]:
        """The game's invites, those that expire first before the others."""

    def revoke(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """Destroy the invite; which one it was, None if there was none."""
