"""The port of invites: the questions that its use-cases ask of a store."""

from typing import Protocol

from events.ports import StoredInvite


class InviteStore(Protocol):
    """The invites of games, which are removed once they have expired. Every method may raise StoreUnavailable."""

    def add(self, game_id: str, invite_id: str, seat: int, digest: str, seconds: int) -> int | None:
        """Store an invite for so many seconds. Returns its expiry in ms, or None if the game has the most that it may
        have.
        """

    def invite(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """The game's invite of that id."""

    def keep_join_code(self, digest: str, game_id: str, seat: int, seconds: int) -> bool:
        """Store the game and the seat of a join code, by the digest of its invite's code; False if that join code is in
        use.
        """

    def join_code(self, digest: str) -> tuple[str, int] | None:
        """The game and the seat to which a join code leads."""

    def invites(self, game_id: str) -> list[StoredInvite]:
        """The game's invites, in the order of their expiry."""

    def revoke(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """Remove the invite. Returns it, or None if there was none."""
