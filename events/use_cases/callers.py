"""Who calls: what a bearer token stands for."""

from collections.abc import Mapping

from events.errors import Forbidden, GameNotFound, Unauthorized
from events.games import access
from events.games.access import Caller
from events.games.repository import GameRepository
from events.log.snapshot import Snapshot


class Callers:
    """The use-cases of tokens: which caller one stands for."""

    def __init__(self, games: GameRepository, app_keys: Mapping[str, str]) -> None:
        """`app_keys`: by app, the SHA-256 of its key in hex; without any, everybody is the one app there is."""
        self._games = games
        self._app_keys = app_keys

    def who_asks(
        self, token: str | None, game_id: str | None = None, known: Snapshot | None = None
    ) -> Caller:
        """The caller that a bearer token stands for; no token is a spectator. Raises Unauthorized, Forbidden.

        `known`: the game of that id as it was last seen here, if that is at hand.
        """
        if token is None:
            return access.STRANGER
        if known is None and game_id is not None:
            known = self._games.seen(game_id)
        if known is not None:  # nearly always it is the token of one of the game's seats
            token_hash = access.hash_of(token)
            seat = access.seat_of(known.secrets, token_hash)
            if seat is not None:
                return Caller("seat", None, seat, game_id, token_hash)
        claim = access.read_seat_token(token)
        if claim is None:
            return access.app_with_key(token, self._app_keys)
        if game_id is not None and claim.game_id != game_id:
            raise Forbidden("This token is for another game.")
        try:
            self._games.held(self._games.known(claim.game_id), claim.seat, claim.secret_hash)
        except GameNotFound:
            raise Unauthorized("This token is not known.") from None
        return Caller("seat", None, claim.seat, claim.game_id, claim.secret_hash)

    def acting_app(self, caller: Caller) -> str:
        """The app that creates or lists games for this caller. Raises Unauthorized, Forbidden."""
        return access.acting_app(caller, self._app_keys)
