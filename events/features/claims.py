"""Claims of a win: a player claims it from another who is to act and has been away for as long as the game allows."""

import secrets as randomness
from collections.abc import Callable
from datetime import datetime
from math import ceil
from typing import Final

from domain.interventions import can_be_claimed
from domain.lifecycle import ClaimWin, Json
from domain.options import CLAIM_AFTER
from events.engine.access import Caller
from events.engine.command_handler import CommandHandler, Played, Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.repository import GameRepository
from events.errors import VersionConflict
from events.features.presence.presence import Presence, Standing, away_for
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore
from events.times import milliseconds_of, time_of

ATTEMPTS: Final = 8  # attempts while the game keeps changing
SECOND: Final = 1000  # milliseconds


class Claims:
    """The use cases of claims. Only time while the absent seat is to act and nothing happens in the game counts."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        presence: Presence,
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._presence = presence
        self._now = now

    def claim(self, game_id: str, seat: int, caller: Caller, sent: KeyedRequest | None = None) -> Played:
        """Claim the win for the seat: the game is over, and the seat that is away has lost.

        Raises GameNotFound, Unauthorized, CommandMismatch, VersionConflict, StoreUnavailable, and DomainError
        "game-not-started", "game-over", "time-is-up", "nothing-to-claim".
        """
        now = self._games.current_for(game_id, caller)
        identity = self._identity(game_id, seat, sent)
        for _ in range(ATTEMPTS):
            # The claim is made after the game was read, because the same request may have ended it meanwhile.
            if sent is not None and (done := self._store.recorded(game_id, identity)) is not None:
                return self._handler.as_answered(game_id, done)
            try:
                request = Request(seat, self._command(now, seat), identity, holder=caller.token_hash)
                return self._handler.attempt(now, request)
            except VersionConflict:
                now = self._games.held(self._games.refreshed(now), seat, caller.token_hash)
        raise VersionConflict(now.version)

    def _command(self, now: Snapshot, seat: int) -> ClaimWin:
        """The claim, with what this process knows of the seat to act; the rules refuse it if that is not enough."""
        absent, at = now.status.to_act, self._milliseconds()
        since = None
        if absent is not None and can_be_claimed(now.status) is not None:
            since = self._since(now, self._presence.heard(now.game_id), absent, at)
        since = at if since is None else since
        return ClaimWin(seat, -1 if absent is None else absent, time_of(since), at - since)

    def show(self, view: Json, now: Snapshot, standing: Standing | None = None) -> None:
        """Add to the view the time at which the win can be claimed; null if it cannot, as things stand.

        `standing`: what is known of the seats' presence; by default what this process knows.
        """
        if CLAIM_AFTER.name not in now.status.options or view["status"] == "finished":
            return
        after, absent = can_be_claimed(now.status), now.status.to_act
        since = None
        if after is not None and absent is not None:
            if standing is None:
                standing = self._presence.known(now.game_id) or {}
            since = self._since(now, standing, absent, self._milliseconds())
        claimable = None if after is None or since is None else since + after
        view["claimable_at"] = None if claimable is None else time_of(ceil(claimable / SECOND) * SECOND)

    def _since(self, now: Snapshot, standing: Standing, absent: int, at: int) -> int | None:
        """The time since which the seat has been away and nothing has happened, in milliseconds; None if it is not
        away.
        """
        away = away_for(standing, absent)
        return None if away is None else max(at - int(away * SECOND), milliseconds_of(now.updated_at))

    def _milliseconds(self) -> int:
        return int(self._now().timestamp() * SECOND)

    def _identity(self, game_id: str, seat: int, sent: KeyedRequest | None) -> CommandId:
        """The identity of the request: from its key if it has one, otherwise drawn for it alone."""
        if sent is None:
            return CommandId(f"claim~{randomness.token_urlsafe(12)}")
        return KeyedCommand(self._store.requests_secret(), f"claim:{seat}:{game_id}", sent).command("claim")
