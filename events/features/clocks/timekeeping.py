"""Consequences of time that is up."""

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

NOT_NOW: Final = "conflict"  # the code by which a clock refuses a command that is not due, or was done before


class Timekeeping:
    """The use-cases of time that is up. Each is harmless when it is doubled or late.

    A deadline is only believed after a look at the outages of the store: what they took from the turn is given back
    first. That look is itself a sign that the store answers (`ClockStore.watched`), so the one that comes first after
    an outage finds it, whoever that is.
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
        """Give back what outages took from the turn, or else record that its time is up; None if neither is due.

        Record in one step that time is up, and the consequence. Raises GameNotFound, StoreUnavailable.
        """
        now = self._games.current(game_id)
        return self._credited(now) or self._timed_out(now)

    def give_back(self, game_id: str) -> Played | None:
        """Give back what outages took from the turn; None if that is nothing, or was done before."""
        return self._credited(self._games.current(game_id))

    def may_have_time(self, game_id: str) -> bool:
        """Settle the clock; True if there may be time left now, though there was none, also where another process has
        given it back meanwhile, so that nothing is due any more.
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
        """The outages that were not given back before, in their order."""
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
        """Next consequence of time that is up; None once there is none."""
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
