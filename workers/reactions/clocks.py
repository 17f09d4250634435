"""The clock watch: it finds turns whose time is up, and after an outage gives every turn its lost time back."""

import logging
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from events.errors import StoreUnavailable
from events.features.clocks.port import ClockStore
from events.features.clocks.timekeeping import Timekeeping
from events.warning_throttle import WarningThrottle

log = logging.getLogger("migrato.clocks")

AT_ONCE: Final = 100  # games that get time back between two looks, because the next look must not be late


class ClockWatch:
    """Looks at the index of deadlines again and again; several watches at the same time do no harm.

    If no time runs, it looks only at the index. If a watch dies, the next one finds its work: deadlines stay in the
    index until they are handled, and none counts before a look for outages.
    """

    def __init__(self, store: ClockStore, timekeeping: Timekeeping) -> None:
        self._store = store
        self._timekeeping = timekeeping
        self._told: int | None = None  # outages that ended before this time are handled
        self._was_idle = False
        self._credited: Iterator[str] = iter(())
        self._warnings = WarningThrottle(log)

    @property
    def is_needed(self) -> bool:
        """True if time ran in any game at the last look."""
        return not self._was_idle

    def look(self) -> None:
        """Record all turns whose time is up. Raises StoreUnavailable."""
        if not self._store.is_running():
            self._was_idle = True
            return
        watched = self._store.watched(self._told or 0)
        told = watched.now - 1 if self._told is None else self._told
        if self._was_idle:  # no look was needed meanwhile, so there was no outage
            told, self._was_idle = watched.now, False
        new = [outage for outage in watched.outages if outage[1] > told]
        if new:
            lasted = sum(ended - began for began, ended in new) / 1000
            log.warning("nobody could look at the clocks for %.1f s: turns get that time back", lasted)
            self._credited = self._store.running()
        self._told = watched.now
        for game_id in islice(self._credited, AT_ONCE):
            self._safely(self._timekeeping.give_back, game_id)
        for game_id in self._store.up(watched.now)[:AT_ONCE]:
            self._safely(self._timekeeping.settle, game_id)

    def _safely(self, act: Callable[[str], object], game_id: str) -> None:
        try:
            act(game_id)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 -- one broken game must not stop the others
            self._warnings.exception("the clock of game %s cannot be kept", game_id, error=error)
