"""Time that is up in games, and its consequences."""

from typing import Any, Final

from domain.clocks.clock import Clock, Outage, lost
from domain.clocks.decide import CreditTime, RunOut
from domain.clocks.options import BOT, REPLACE
from domain.common_events.clocks import CREDIT, INSTEAD
from domain.errors import DomainError
from domain.lifecycle import PlayBotMove, ReplacePlayer
from events.engine import access
from events.engine.bot_decision import think
from events.engine.command_handler import CommandHandler, Played, Request
from events.engine.repository import GameRepository
from events.errors import VersionConflict
from events.features.clocks.port import ClockStore
from events.log.seeds import move_seed
from events.log.snapshot import Snapshot
from events.measures import UNCOUNTED, Measures
from events.ports import CommandId
from events.times import time_of

# the code of the refusal if a command of the clock is not due, or was carried out before
NOT_NOW: Final = "conflict"


class Timekeeping:
    """The use cases of clocks. Each is safe to repeat, and harmless when it comes late.

    A deadline is enforced only after a look at the store's outages: the time that they took from the turn is given back
    first. The look is also a sign that the store answers (`ClockStore.watched`), so the first process that looks after
    an outage records it.
    """

    def __init__(
        self,
        games: GameRepository,
        handler: CommandHandler,
        store: ClockStore,
        measures: Measures = UNCOUNTED,
    ) -> None:
        self._games = games
        self._handler = handler
        self._store = store
        self._measures = measures

    def settle(self, game_id: str) -> Played | None:
        """Give back the time that outages took from the turn, or else record that its time is up; None if neither is
        due.

        The end of the time and its consequence are recorded in one step. Raises GameNotFound, StoreUnavailable.
        """
        now = self._games.current(game_id)
        return self._credited(now) or self._timed_out(now)

    def give_back(self, game_id: str) -> Played | None:
        """Give back the time that outages took from the turn; None if there is none, or it was given back before."""
        return self._credited(self._games.current(game_id))

    def may_have_time(self, game_id: str) -> bool:
        """Settle the clock. Returns True if time may be left now although there was none; also if another process has
        given some back meanwhile, so that nothing is due any more.
        """
        played = self.settle(game_id)
        return played is None or played.events[0].type == CREDIT

    def _credited(self, now: Snapshot) -> Played | None:
        clock = now.clock
        if clock is None or clock.deadline is None:
            return None
        outages = self._outages(clock)
        milliseconds = lost(clock, outages)
        if not milliseconds:
            return None
        command = CreditTime(milliseconds, time_of(outages[-1][1]))
        return self._attempt(now, Request(clock.running, command, CommandId(f"credit:{now.version}")))

    def _outages(self, clock: Clock) -> list[Outage]:
        """The outages whose time was not given back yet, in their order."""
        outages = self._store.watched(clock.since).outages
        return [outage for outage in outages if time_of(outage[1]) > clock.credited_until]

    def _timed_out(self, now: Snapshot) -> Played | None:
        clock = now.clock
        if clock is None or clock.deadline is None or clock.running is None:
            return None
        seat = clock.running
        tokens = {seat: access.NO_TOKEN} if clock.options.when_up == REPLACE else None
        command = RunOut(time_of(clock.deadline))
        return self._attempt(now, Request(seat, command, CommandId(f"time:{now.version}"), tokens=tokens))

    def _attempt(self, now: Snapshot, request: Request) -> Played | None:
        try:
            return self._handler.attempt(now, request, self._consequence)
        except VersionConflict:
            return None  # the game has moved on
        except DomainError as refusal:
            if refusal.code != NOT_NOW:
                raise
            return None

    def _consequence(self, after: Snapshot) -> Any:
        """The next consequence of the time that is up; None if there is none left."""
        clock, seat = after.clock, after.status.to_act
        if clock is None or seat is None or not clock.is_up:
            return None
        bot = after.game.bot(str(clock.options.bot))
        if clock.options.when_up == REPLACE:
            return ReplacePlayer(after.secrets.app, seat, bot.name)
        assert clock.options.when_up == BOT, "a game that is forfeited is over"
        return self._move_instead(after, seat, bot.name)

    def _move_instead(self, after: Snapshot, seat: int, bot: str) -> PlayBotMove:
        observation = self._games.observation(after, seat, after.game.bot(bot))
        seed = move_seed(after.secrets.seed, after.game_id, after.version)
        chosen = think(after.game, observation, bot, seed, measures=self._measures).chosen()
        return chosen._replace(fallback=INSTEAD, replaces=after.status.seats[seat].kind)
