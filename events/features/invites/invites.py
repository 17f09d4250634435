"""Invites: codes by which a caller without other rights takes an open seat.

A code is for one seat of one game, and valid until it expires, is revoked, or the seat is taken. No seat is taken
twice, so no code is used twice: nothing has to be marked as used. The store keeps only the hash of a code. The append
that seats the player checks the invite again in the same step, so a code that was revoked before that does not work.

A join code is short enough to be read aloud. The code of its invite is derived from it, so neither has to be stored.
"""

import re
import secrets as randomness
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from domain.errors import DomainError
from domain.lifecycle import check_open_seat
from events.engine import access
from events.engine.access import Caller
from events.engine.repository import GameRepository
from events.errors import Forbidden, GameNotFound, InviteNotFound, StoreUnavailable
from events.features.apps.keys import AppKeys
from events.features.invites.port import InviteStore
from events.log.snapshot import Snapshot
from events.ports import StoredInvite
from events.times import time_of

DAY: Final = 86_400
USUAL: Final = DAY  # seconds for which an invite is valid by default
LONGEST: Final = 30 * DAY
LONGEST_JOIN_CODE: Final = DAY
LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # of join codes: base 32 without I, L, O, U
JOIN_CODE: Final = re.compile(f"[{LETTERS}]{{8}}")
_MISREAD: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})
INVITE: Final = re.compile(r"mi_(?P<id>[0-9a-f]{16})_[0-9A-Za-z_-]{32}")


@dataclass(frozen=True, slots=True)
class Invite:
    """An invite to a seat; `expires_at` is RFC 3339 UTC. `code` is known only when the invite is made, or found by its
    join code.
    """

    id: str
    seat: int
    expires_at: str
    code: str | None = field(default=None, repr=False)
    join_code: str | None = field(default=None, repr=False)


class Invites:
    """The use cases of invites. All raise GameNotFound, Unauthorized, Forbidden, StoreUnavailable."""

    def __init__(self, store: InviteStore | None, games: GameRepository, app_keys: AppKeys) -> None:
        self._store = store or NoInvites()
        self._games = games
        self._app_keys = app_keys

    def create(self, game_id: str, seat: int, caller: Caller, seconds: int, *, short: bool = False) -> Invite:
        """A new invite to an open seat, for a caller who hosts the game (`access.require_host_of`); `short`: with a
        join code.
        """
        current = self._hosted(game_id, caller)
        check_open_seat(current.status.seats, seat, current.status.result)
        if current.secrets.joining == access.BY_APP:
            raise Forbidden("Only the game's own app seats people in this game: it has no invites.")
        join_code = self._new_join_code(game_id, seat, seconds) if short else None
        code = _code_of(randomness.token_bytes(32)) if join_code is None else _code_behind(join_code)
        invite_id = _id_of(code)
        until = self._store.add(game_id, invite_id, seat, access.hash_of(code), seconds)
        if until is None:
            raise DomainError(
                "too-many-invites", "The game has as many invites as it can: revoke some, or wait."
            )
        return Invite(invite_id, seat, time_of(until), code, join_code)

    def find(self, typed: str) -> tuple[str, Invite]:
        """The game, and the invite to its open seat, of a join code as a person typed it."""
        join_code = typed.upper().translate(_MISREAD)
        if JOIN_CODE.fullmatch(join_code) is None:
            raise InviteNotFound
        code = _code_behind(join_code)
        found = self._store.join_code(access.hash_of(code))
        # The same requests are sent whatever is wrong, so that they take as long; without a valid code, about a game
        # that does not exist.
        game_id, seat = found or (access.new_game_id(), 0)
        good, is_open = good_invite(self._store, game_id, seat, code), self._is_open(game_id, seat)
        if good is None or not is_open:
            raise InviteNotFound
        return game_id, Invite(good.id, seat, time_of(good.until), code, join_code)

    def _new_join_code(self, game_id: str, seat: int, seconds: int) -> str:
        while True:
            join_code = "".join(randomness.choice(LETTERS) for _ in range(8))
            digest = access.hash_of(_code_behind(join_code))
            if self._store.keep_join_code(digest, game_id, seat, seconds):
                return join_code

    def _is_open(self, game_id: str, seat: int) -> bool:
        try:
            status = self._games.current(game_id).status
        except GameNotFound:
            return False
        return status.status == "waiting" and status.seats[seat].kind == "open"

    def listed(self, game_id: str, caller: Caller) -> list[Invite]:
        """The invites that are still valid, in the order of their expiry."""
        status = self._hosted(game_id, caller).status
        return [
            Invite(one.id, one.seat, time_of(one.until))
            for one in self._store.invites(game_id)
            if status.status == "waiting" and status.seats[one.seat].kind == "open"
        ]

    def revoke(self, game_id: str, invite_id: str, caller: Caller) -> None:
        """Void an invite. Raises InviteNotFound; DomainError "seat-taken" if it is too late."""
        self._hosted(game_id, caller)
        revoked = self._store.revoke(game_id, invite_id)
        if revoked is None:
            raise InviteNotFound
        if self._games.current(game_id).status.seats[revoked.seat].kind != "open":
            raise DomainError("seat-taken", "The seat is taken: there is nothing left to revoke.")

    def _hosted(self, game_id: str, caller: Caller) -> Snapshot:
        current = self._games.current_for(game_id, caller)
        access.require_host_of(caller, game_id, current.secrets, self._app_keys)
        return current


class NoInvites:
    """Store of invites that keeps none."""

    def add(self, *_: object) -> int | None:
        """Raises StoreUnavailable."""
        raise StoreUnavailable("there is no store for invites")

    def invite(self, *_: object) -> StoredInvite | None:
        """None."""
        return None

    def keep_join_code(self, *_: object) -> bool:
        """Raises StoreUnavailable."""
        raise StoreUnavailable("there is no store for invites")

    def join_code(self, _: str) -> tuple[str, int] | None:
        """None."""
        return None

    def invites(self, _: str) -> list[StoredInvite]:
        """None of them."""
        return []

    def revoke(self, *_: object) -> StoredInvite | None:
        """None."""
        return None


def good_invite(store: InviteStore, game_id: str, seat: int, code: str) -> StoredInvite | None:
    """The invite of that code, if it is for this seat and has not expired; it may have been revoked meanwhile."""
    match = INVITE.fullmatch(code)
    found = None if match is None else store.invite(game_id, match["id"])
    if found is None or found.seat != seat or not compare_digest(found.digest, access.hash_of(code)):
        return None
    return found


def _code_of(random: bytes) -> str:
    """The code of an invite, made of 32 bytes: 8 for its id, 24 that nobody can guess."""
    return f"mi_{random[:8].hex()}_{urlsafe_b64encode(random[8:]).decode()}"


def _code_behind(join_code: str) -> str:
    """The code of the invite that a join code stands for."""
    return _code_of(sha256(f"join code {join_code}".encode()).digest())


def _id_of(code: str) -> str:
    return code.split("_", 2)[1]
