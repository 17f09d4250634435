"""Attendance: messages to apps about seats of their games that were connected or disconnected."""

import logging
import random
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from events.engine.repository import GameRepository
from events.errors import Busy, EngineError, StoreUnavailable
from events.features.presence.port import GRACE, PresenceStore
from events.features.webhooks.app_logs import AppLogs
from events.features.webhooks.event_types import CONNECTED, DISCONNECTED, Message, attended
from events.times import timestamp

log = logging.getLogger("migrato.webhooks")

# messages to an app in a PERIOD; further changes wait, and may be undone before they are sent
MOST: Final = 600
PERIOD: Final = 60.0  # seconds

Place = tuple[str, int]  # a game and a seat
Heard = Mapping[str, Mapping[int, float]]  # seats by game, in the form that the store of presence gives


class Attendance:
    """The use case of attendance, for the process that fills apps' logs.

    It compares the connected seats with those in the log, and logs the difference. So each change is logged once,
    whatever process dies, and a seat that was connected only in between is not logged at all.
    """

    def __init__(
        self,
        games: GameRepository,
        logs: AppLogs,
        presence: PresenceStore | None,
        now: Callable[[], datetime],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._games = games
        self._logs = logs
        self._presence = presence
        self._now = now
        self._steady = steady
        # by app: the beginning of its period, and the messages in it
        self._spent = dict[str, tuple[float, int]]()
        self._unknown = dict[Place, float]()  # by seat of which the store knows nothing: since when

    def step(self) -> list[str]:
        """Log connections and disconnections for the apps that ask for them. Returns the apps whose logs have grown."""
        if self._presence is None or not (asked := self._logs.attendance.asked()):
            return []
        said = {app: self._logs.attendance.attendees(app) for app in asked}
        games = {*self._presence.told(), *(game for places in said.values() for game, _ in places)}
        owners = self._logs.owners_of(games)
        heard = self._presence.hear([game for game in games if owners[game] in said])
        self._note_unknown(heard, {place for places in said.values() for place in places})
        return [app for app in asked if self._tell(app, said[app], self._here(app, owners, heard))]

    def _note_unknown(self, heard: Heard, said: set[Place]) -> None:
        """Note since when nothing is known of seats that logs call connected: a store may have lost its data."""
        now = self._steady()
        unknown = {(game, seat) for game, seat in said if seat not in heard.get(game, {})}
        self._unknown = {place: self._unknown.get(place, now) for place in unknown}

    def _here(self, app: str, owners: Mapping[str, str], heard: Heard) -> set[Place]:
        """The connected seats of the app's games. A seat of which nothing is known any more counts as connected for the
        grace.
        """
        now = self._steady()
        waiting = {(game, seat) for (game, seat), since in self._unknown.items() if now - since < GRACE}
        here = {(game, seat) for game, seats in heard.items() for seat, left in seats.items() if left > 0}
        return {(game, seat) for game, seat in here | waiting if owners[game] == app}

    def _tell(self, app: str, said: set[Place], here: set[Place]) -> bool:
        """Log as many changes as the period allows. Returns True if the log has grown."""
        changes = list(said ^ here)
        random.shuffle(changes)  # in any order, so that no seat always waits longest
        grown = False
        for game_id, seat in changes[: self._left(app)]:
            is_connected = (game_id, seat) in here
            message = self._message(game_id, seat, is_connected=is_connected)
            done = self._logs.attendance.attend(app, game_id, seat, message, is_connected=is_connected)
            if done and message is not None:
                began, spent = self._spent[app]
                self._spent[app] = began, spent + 1
                grown = True
        return grown

    def _left(self, app: str) -> int:
        """The number of messages that the app may get in this period."""
        now = self._steady()
        began, spent = self._spent.get(app, (now, 0))
        if now - began >= PERIOD:
            began, spent = now, 0
        self._spent[app] = began, spent
        return MOST - spent

    def _message(self, game_id: str, seat: int, *, is_connected: bool) -> Message | None:
        kind = CONNECTED if is_connected else DISCONNECTED
        try:
            return attended(kind, timestamp(self._now()), self._games.current(game_id), seat)
        except (StoreUnavailable, Busy):
            raise
        except EngineError as error:
            log.warning(
                "%s: nobody is told who is connected", error.detail, extra={"game_id": game_id, "seat": seat}
            )
            return None
