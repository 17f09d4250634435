"""The use case of presence: the connected seats that this process knows, reported to all others and read from them."""

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from domain.lifecycle import Json
from events.errors import StoreUnavailable
from events.features.presence.port import GRACE, WATCHED, PresenceStore
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.presence")

PACE: Final = (
    # seconds between two reports: after a process was killed, its seats count for GRACE from the last one
    4.0
)
SILENT: Final = "the store does not hear who is connected: %s"
PEOPLE: Final = ("human", "open")  # kinds of seats at which somebody may be connected

# by seat: the time until which it counts as connected, by this process's clock
Connected = Mapping[int, float]
Standing = Mapping[int, float]  # by seat: the seconds for which it counts


@dataclass(slots=True)
class _Table:
    """A game with an open stream or long poll in this process, or with one that has just been closed."""

    open: int = 0
    here: Counter[int] = field(default_factory=Counter)
    until: dict[int, float] = field(default_factory=dict)  # by seat whose last stream here is closed
    heard: Connected | None = None  # None before the first answer

    def standing(self, now: float, grace: float) -> dict[int, float]:
        """By seat, the seconds for which it still counts as connected; 0 or less for a seat that does not, which says
        since when.
        """
        heard = {seat: until - now for seat, until in (self.heard or {}).items()}
        return heard | dict.fromkeys(self.here, grace)


class Presence:
    """The connected seats, as far as this process knows. Safe among threads, greenlets and forks.

    A process reports its games to the store every PACE seconds, and reads the reports of others. So nothing has to be
    undone when a process dies, and a move needs no request.
    """

    def __init__(
        self,
        store: PresenceStore | None,
        steady: Callable[[], float] = time.monotonic,
        *,
        grace: float = GRACE,
        in_background: bool = True,
    ) -> None:
        """`store`: None if no seat is ever reported. `grace`: GRACE, or less."""
        self._store = store
        self._steady = steady
        self._grace = grace
        self._in_background = in_background
        self._warnings = WarningThrottle(log)
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._tables: dict[str, _Table] = {}
        self._tells = False

    def enter(self, game_id: str, seat: int | None) -> Callable[[], None]:
        """Count one more stream or long poll of a game, held by the seat or by a spectator. Call the returned function
        at its end.
        """
        if self._store is None:
            return _nothing
        if self._pid != os.getpid():
            self._begin()
        with self._lock:
            table = self._tables.setdefault(game_id, _Table())
            table.open += 1
            news = table.heard is None
            if seat is not None:
                news = news or seat not in connected(table.standing(self._steady(), self._grace))
                table.here[seat] += 1
                table.until.pop(seat, None)
            begins = self._in_background and not self._tells
            self._tells = self._tells or begins
        if begins:
            threading.Thread(target=self._keep_telling, name="presence", daemon=True).start()
        leave = _Once(lambda: self._leave(game_id, seat)).call
        if news:
            try:
                self._tell([game_id])
            except BaseException:
                leave()
                raise
        return leave

    def _leave(self, game_id: str, seat: int | None) -> None:
        with self._lock:
            table = self._tables.get(game_id)
            if table is None:
                return  # it belonged to the process from which this one was forked
            table.open -= 1
            if seat is not None:
                table.here[seat] -= 1
                if table.here[seat] <= 0:
                    del table.here[seat]
                    table.until[seat] = self._steady() + self._grace

    def of(self, game_id: str) -> list[int] | None:
        """The connected seats of a game, in order; None if this process does not know them."""
        known = self.known(game_id)
        return None if known is None else connected(known)

    def look(self, game_id: str) -> Standing:
        """The standing of a game's seats (see `PresenceStore.tell`).

        The store is asked if this process does not know it. The result is empty while the store does not answer.
        """
        known = self.known(game_id)
        if known is None:
            with self._minding():
                known = self.heard(game_id)
        return known or {}

    def known(self, game_id: str) -> Standing | None:
        """The standing of a game's seats as this process knows it; None if it does not."""
        with self._lock:
            table = self._tables.get(game_id)
            if table is None or table.heard is None:
                return None
            return table.standing(self._steady(), self._grace)

    def heard(self, game_id: str) -> Standing:
        """The standing of a game's seats in the store. Raises StoreUnavailable."""
        return {} if self._store is None else self._store.hear([game_id])[game_id]

    def tell(self) -> None:
        """Report all games to the store, and read what others reported; forget games that nobody here
        watches any more.
        """
        with self._lock:
            now = self._steady()
            games = list(self._tables)
            for game_id, table in list(self._tables.items()):
                table.until = {seat: until for seat, until in table.until.items() if until > now}
                if not table.open and not table.until:
                    del self._tables[game_id]
        self._tell(games)

    def _tell(self, games: list[str]) -> None:
        with self._lock:
            now = self._steady()
            present = {
                game_id: dict.fromkeys(table.here, self._grace)
                | {seat: until - now for seat, until in table.until.items() if until > now}
                for game_id in games
                if (table := self._tables.get(game_id)) is not None
            }
        heard = self._heard(present)
        with self._lock:
            for game_id, seats in heard.items():
                if game_id in self._tables:
                    self._tables[game_id].heard = {seat: now + left for seat, left in seats.items()}

    def _heard(self, present: Mapping[str, Mapping[int, float]]) -> Mapping[str, Mapping[int, float]]:
        if self._store is not None and present:
            with self._minding():
                return self._store.tell(present)
        return {}

    @contextmanager
    def _minding(self) -> Iterator[None]:
        """Ask the store in this block. A store that does not answer is only logged, because no caller depends on it."""
        try:
            yield
        except StoreUnavailable as error:
            self._warnings.warning(SILENT, error.reason)
        else:
            self._warnings.over(SILENT, "the store hears who is connected again")

    def _keep_telling(self) -> None:
        while True:
            time.sleep(PACE)
            try:
                self.tell()
            except Exception:  # no error may end this: only this thread reports the seats of this process
                log.exception("who is connected is not told")
            with self._lock:
                if not self._tables:
                    self._tells = False
                    return


class _Once:
    """A function that is carried out once, however often it is called."""

    def __init__(self, done: Callable[[], None]) -> None:
        self._done: Callable[[], None] | None = done

    def call(self) -> None:
        """Carry it out, unless that was done."""
        done, self._done = self._done, None
        if done is not None:
            done()


def _nothing() -> None:
    """Do nothing: no stream was counted."""


def connected(standing: Standing) -> list[int]:
    """The seats that count as connected, in order."""
    return sorted(seat for seat, left in standing.items() if left > 0)


def away_for(standing: Standing, seat: int) -> float | None:
    """The seconds for which the seat has been away while another seat was connected; None if it is not away."""
    if WATCHED not in standing or not connected(standing) or standing.get(seat, 0.0) > 0:
        return None
    return -max(standing[WATCHED], standing.get(seat, standing[WATCHED]))


def show_connected(view: Json, connected: Collection[int]) -> None:
    """Add to the view of a game which seats are connected, unless the game is over."""
    if view["status"] == "finished":
        return
    for seat in view["seats"]:
        if seat["kind"] in PEOPLE:
            seat["connected"] = seat["seat"] in connected
