# compiled into serving
"""Callers, with the rights that their bearer tokens give them."""

from functools import lru_cache
from typing import Final

from events.engine import access
from events.engine.access import Caller
from events.engine.repository import GameRepository
from events.errors import Forbidden, GameNotFound, GamePruned, Unauthorized
from events.features.apps.keys import AppKeys
from events.features.apps.records import Limits
from events.log.snapshot import Snapshot

_kept_hash_of: Final = lru_cache(maxsize=4096)(access.hash_of)  # a seat sends its token with each move


class Callers:
    """The use cases of tokens: they find the caller that a token stands for."""

    def __init__(self, games: GameRepository, app_keys: AppKeys) -> None:
        """`app_keys`: the apps' keys; while there are none, every caller is the app ANONYMOUS."""
        self._games = games
        self._app_keys = app_keys

    def who_asks(
        self, token: str | None, game_id: str | None = None, known: Snapshot | None = None
    ) -> Caller:
        """The caller that a bearer token stands for; without a token a spectator. Raises Unauthorized, Forbidden.

        `known`: the game of that id as this process last saw it; None if the caller does not have it.
        """
        if token is None:
            return access.STRANGER
        recognised = self.recognised(token, game_id, known)  # finds nearly every token
        if recognised is not None:
            return recognised
        claim = access.read_seat_token(token)
        if claim is None:
            return access.app_with_key(token, self._app_keys)
        if game_id is not None and claim.game_id != game_id:
            raise Forbidden("This token is for another game.")
        try:
            self._games.held(self._games.known(claim.game_id), claim.seat, claim.secret_hash)
        except GamePruned:
            raise
        except GameNotFound:
            raise Unauthorized("This token is not known.") from None
        return Caller("seat", None, claim.seat, claim.game_id, claim.secret_hash)

    def recognised(
        self, token: str, game_id: str | None = None, known: Snapshot | None = None
    ) -> Caller | None:
        """The seat that the token plays in that game, if the games in memory can tell; otherwise None."""
        if known is None and game_id is not None:
            known = self._games.seen(game_id)
        if known is None:
            return None
        token_hash = _kept_hash_of(token)
        seat = access.seat_of(known.secrets, token_hash)
        return None if seat is None else Caller("seat", None, seat, game_id, token_hash)

    def has_key_at_hand(self, token: str) -> bool:
        """True if this process can tell without the store that the token is an app's key. False for a short token."""
        return self._app_keys.is_at_hand(token)

    def app_at_hand(self, token: str) -> str | None:
        """The app whose key the token was when this process last checked it."""
        return self._app_keys.app_at_hand(token)

    def limits_at_hand(self, app: str) -> Limits:
        """The app's own limits, as of the last lookup of its key for the request."""
        return self._app_keys.limits_at_hand(app)

    def acting_app(self, caller: Caller) -> str:
        """The app that creates or lists games for this caller. Raises Unauthorized, Forbidden."""
        return access.acting_app(caller, self._app_keys)

    def are_there_keys(self) -> bool:
        """True if apps need a key; otherwise every caller is one and the same app. Raises StoreUnavailable."""
        return self._app_keys.exist()

    def require_keys(self) -> None:
        """From now on, refuse every app without a key, even if no keys exist."""
        self._app_keys.require()

    def is_gone(self, app: str, since: int) -> bool:
        """True if no key of the app is valid any more, or if the app was deleted after `since`, in milliseconds."""
        is_revoked = self._app_keys.is_revoked(app, is_everybody=app == access.ANONYMOUS)
        return is_revoked or self._app_keys.was_deleted(app, since)

    def confirm(self, caller: Caller) -> None:
        """Raise Unauthorized if a caller who was admitted a while ago has lost its right: an app whose key is not valid
        any more, or a seat whose token was replaced. Raises StoreUnavailable.
        """
        if caller.key_id is not None and caller.token_hash is not None:
            self._app_keys.confirm(caller.key_id, caller.token_hash)
        if caller.kind == "seat" and caller.game_id is not None:
            self._games.current_for(caller.game_id, caller)
