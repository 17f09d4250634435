"""Signed heads of games: any head on request, and the final head once, to be kept with the game."""

import logging
from collections.abc import Callable
from dataclasses import replace

from domain.lifecycle import Json
from events.engine.repository import GameRepository
from events.errors import GameNotFound
from events.log.export import Signature
from events.log.signing import Keyring, SignedHead
from events.log.snapshot import Snapshot
from events.ports import EventStore

log = logging.getLogger("migrato.signed_heads")


class SignedHeads:
    """The use cases of signatures; without a key nothing is signed, and everything else works."""

    def __init__(self, store: EventStore, games: GameRepository, keyring: Callable[[], Keyring]) -> None:
        self._store = store
        self._games = games
        self._keyring = keyring

    def published(self) -> Json:
        """Every public key, as a JWK set."""
        return self._keyring().jwk_set()

    def public_key(self, key_id: str) -> Json | None:
        """The public key of that id as a JWK; None if this installation does not have it."""
        return self._keyring().jwk(key_id)

    def key_id(self) -> str | None:
        """The id of the key that signs now; None without a key."""
        signer = self._keyring().signer
        return None if signer is None else signer.key_id

    def signed(self, snapshot: Snapshot) -> SignedHead | None:
        """The head of the snapshot, signed; a final head has the signature that is kept. None without a key."""
        if snapshot.is_settled and snapshot.secrets.signature is not None:
            return snapshot.secrets.signature
        signer = self._keyring().signer
        return None if signer is None else signer.sign(snapshot.game_id, *snapshot.stream_head)

    def of_export(self, snapshot: Snapshot) -> Signature | None:
        """Signature for an export of the game: the kept one of its final head, with the public key; None
        without one.
        """
        signed = snapshot.secrets.signature if snapshot.is_settled else None
        key = None if signed is None else self.public_key(signed.key_id)
        return None if signed is None or key is None else Signature(signed.signature, key)

    def with_final(self, current: Snapshot) -> Snapshot:
        """The same game; if it is over and scored, with the signature of its final head, which is made now if it is
        missing.

        The worker that scores a game calls this, and so does every look at the game: if a process dies before it signs,
        the next one does. The first signature stays, even if another key signs today. Raises StoreUnavailable.
        """
        if not current.is_settled or current.secrets.signature is not None:
            return current
        signed = self.signed(current)
        if signed is None:
            return current
        try:
            kept = self._store.keep_signature(current.game_id, signed)
        except GameNotFound:  # its secrets are gone from the store
            return current
        if (kept.version, kept.head) != tuple(current.stream_head):
            about = {"game_id": current.game_id}
            log.error("the signed head is not the one that the game's events lead to", extra=about)
        return self._games.keep(current._replace(secrets=replace(current.secrets, signature=kept)))
