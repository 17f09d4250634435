"""Open seats: what there is to know before taking one, and taking it."""

import secrets as randomness
from collections.abc import Mapping
from dataclasses import replace

from domain.errors import DomainError
from domain.lifecycle import TakeSeat
from events import access
from events.access import Asker
from events.errors import GameNotFound
from events.handling import Clock, Handler, Request, timestamp
from events.loading import LoadedGames
from events.players import Players
from events.state_cache import Snapshot
from events.store import Command


class Seating:
    """The use-cases of open seats."""

    def __init__(
        self,
        games: LoadedGames,
        handler: Handler,
        players: Players,
        app_keys: Mapping[str, str],
        now: Clock,
    ) -> None:
        self._games = games
        self._handler = handler
        self._players = players
        self._app_keys = app_keys
        self._now = now

    def look(self, game_id: str, seat: int, asker: Asker) -> Snapshot:
        """The game for a caller who may take the seat, or may look at the game anyway.

        Raises GameNotFound, and DomainError "not-found" where it has no such seat.
        """
        now = self._for_whoever_may_sit_down(game_id, asker)
        if seat >= len(now.standing.seats):
            raise DomainError("not-found", f"There is no seat {seat}.")
        return now

    def take(
        self, game_id: str, seat: int, player: str, client_seed: str | None, asker: Asker
    ) -> tuple[Snapshot, str]:
        """Sit down on an open seat; the game after it, and the seat's token. Raises DomainError, GameNotFound."""
        before = self._for_whoever_may_sit_down(game_id, asker)
        token = access.new_seat_token(game_id, seat)
        command = TakeSeat(seat, player, client_seed)
        self._handler.check(before, command)  # so that no name is kept of who is refused
        player_id = self._seated(before, seat, player, asker)
        identity = Command(f"seat~{randomness.token_urlsafe(12)}")
        tokens = {seat: access.hash_of(token)}
        request = Request(None, replace(command, player=player_id), identity, tokens=tokens)
        return self._handler.carry_out(before, request).snapshot, token

    def _seated(self, before: Snapshot, seat: int, player: str, asker: Asker) -> str:
        """The id of whoever sits down. A stranger may give any name, and must learn nothing about who has it."""
        app, at = before.secrets.app, timestamp(self._now())
        if access.is_app_of(asker, before.secrets, self._app_keys):
            return self._players.enrol(app, player, at)
        return self._players.guest(app, before.game_id, seat, player, at)

    def _for_whoever_may_sit_down(self, game_id: str, asker: Asker) -> Snapshot:
        now = self._games.current(game_id)
        waiting = now.standing.status == "waiting"
        if not access.may_sit_down(asker, now.secrets, self._app_keys, waiting):
            raise GameNotFound(game_id)
        return now
