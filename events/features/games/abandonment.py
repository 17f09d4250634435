"""Abandoned games: those that wait for players, or for a person's move, for longer than the operator allows."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.clocks.decide import forfeited
from domain.errors import DomainError
from domain.interventions import SILENT, WAITING
from domain.lifecycle import AbortGame, Adjudicate
from events.engine.command_handler import CommandHandler, Request
from events.engine.repository import GameRepository
from events.errors import EngineError, StoreUnavailable
from events.features.listings.projection import Listings
from events.features.records.signed_heads import SignedHeads
from events.log.snapshot import Snapshot
from events.ports import CommandId
from events.times import milliseconds_of

log = logging.getLogger("migrato.abandonment")

AT_ONCE: Final = 100  # the most games that one look aborts
GRACE: Final = 3_600.0  # seconds after a start in which players may come back; less if the limit is shorter


@dataclass(frozen=True, slots=True)
class Patience:
    """The seconds without an event after which a game is aborted; 0 stands for never."""

    waiting: float = 0.0
    silent: float = 0.0


class Abandonment:
    """The use case of aborting abandoned games; safe to repeat, and in several processes at once.

    The listing finds the games; each game's own state decides. A game is left alone while a clock runs in it, because
    the clock will end it, and while a bot is to act, because that is no player's fault. After a start of the engine
    players get some time to come back, because it may have been away. A clock that jumps ahead ends no games.
    """

    def __init__(
        self,
        games: GameRepository,
        handler: CommandHandler,
        heads: SignedHeads,
        listings: Listings,
        patience: Patience,
        now: Callable[[], datetime],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock`: a monotonic clock."""
        self._games = games
        self._handler = handler
        self._heads = heads
        self._listings = listings
        self._limits = {WAITING: patience.waiting, SILENT: patience.silent}
        self._now = now
        self._clock = clock
        self._began: tuple[float, float] | None = None  # the start, by both clocks
        self._spared = set[tuple[str, int]]()  # games with their versions that were looked at and left alone

    def end(self) -> int:
        """Abort abandoned games, only some of them if there are many. Returns how many. Call it now and then."""
        if not any(self._limits.values()):
            return 0
        wall, steady = self._now().timestamp(), self._clock()
        self._began = began = self._began or (wall, steady)
        up = steady - began[1]
        now, ended, spared = min(wall, began[0] + up), 0, set[tuple[str, int]]()
        for reason, limit in self._limits.items():
            if not limit or up < min(limit, GRACE):
                continue
            until = int((now - limit) * 1000)
            for one in self._listings.stale("waiting" if reason == WAITING else "playing", until):
                if one in self._spared or not self._ended(one[0], reason, until):
                    spared.add(one)
                elif (ended := ended + 1) >= AT_ONCE:
                    self._spared |= spared
                    return ended
        self._spared = spared
        return ended

    def _ended(self, game_id: str, reason: str, until: int) -> bool:
        """Abort the game if it is abandoned; True if it was."""
        try:
            now = self._games.current(game_id)
            if milliseconds_of(now.updated_at) > until:
                self._listings.touch([game_id])  # its listed time of change was out of date
                return False
            if not _is_abandoned(now, reason):
                return False
            command = ending(now, reason)
            request = Request(None, command, CommandId(f"abandoned:{now.version}"))
            self._heads.with_final(self._handler.attempt(now, request).snapshot)
        except StoreUnavailable:
            raise
        except (DomainError, EngineError) as refusal:  # the game has moved on, or cannot be read
            log.info("game %s is not aborted: %s", game_id, refusal.detail, extra={"game_id": game_id})
            return False
        log.info("game %s is ended: %s", game_id, reason, extra={"game_id": game_id})
        return True


def ending(now: Snapshot, reason: str) -> AbortGame | Adjudicate:
    """The command that ends an abandoned game. If the game counts for ratings, the player who was to move loses;
    otherwise there is no result.

    So leaving a lost game alone does not save it.
    """
    app, seat = now.secrets.app, now.status.to_act
    if seat is None or now.status.pairing is None or not now.is_rated:
        return AbortGame(app, reason)
    return Adjudicate(app, forfeited(now.game, now.state, seat), reason)


def _is_abandoned(now: Snapshot, reason: str) -> bool:
    """True if only players could go on with the game, and it has been silent for too long."""
    status = now.status
    if reason == WAITING:
        return status.status == "waiting"
    if status.status != "playing" or (now.clock is not None and now.clock.deadline is not None):
        return False
    return status.to_act is not None and status.seats[status.to_act].kind == "human"
