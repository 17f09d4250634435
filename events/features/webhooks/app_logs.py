"""An app's log: messages about all its games, each once, and in order within a game."""

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial
from typing import Final

from domain.common_events.takebacks import REQUESTED
from domain.errors import invalid
from domain.lifecycle import Json
from events.engine.access import ANONYMOUS
from events.engine.repository import GameRepository
from events.errors import CorruptStream, CursorExpired, GameNotFound, StoreUnavailable
from events.features.own_data.own_data import OwnDataOfGames
from events.features.players.players import Players
from events.features.webhooks.event_types import (
    ATTENDANCE,
    RATED,
    USUAL,
    LoggedMessage,
    documents_of,
    messages_of,
    said,
)
from events.features.webhooks.port import AppLogStore, AttendanceStore, LogPage
from events.log.envelope import RecordedEvent
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot
from events.ports import EventStore
from events.times import time_of

FIRST: Final = "0"  # the cursor before the oldest message that is kept
NOW: Final = "now"  # the cursor after the newest message
CURSOR: Final = re.compile(r"[0-9]{1,15}-[0-9]{1,6}")
SCANNED: Final = 500  # messages that are read together where they are filtered
SCANS: Final = 10  # such reads for one page
KNOWN: Final = 100_000  # games whose app is cached
KEPT: Final = 256  # games whose last logged state is cached
NEARBY: Final = 16  # events that are read together to find a request
AT_ONCE: Final = 500  # events of a game that are logged in one step
ATTEMPTS: Final = 8


Ratings = Callable[[str, str], list[Json] | None]


class AppLogs:
    """The use-cases of apps' logs. Every method may raise StoreUnavailable."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        logs: AppLogStore | None,
        players: Players,
        own_data: OwnDataOfGames,
        clock: Callable[[], float] = time.monotonic,
        attendance: AttendanceStore | None = None,
        ratings: Ratings = lambda _, __: None,
    ) -> None:
        """`ratings`: gives the changes of ratings by a game of an app."""
        self._ratings = ratings
        self._attendance = attendance
        self._store = store
        self._games = games
        self._logs = logs
        self._players = players
        self._own_data = own_data
        self._clock = clock
        self._states = OrderedDict[str, Snapshot]()
        self._owners = OrderedDict[str, str]()

    @property
    def logs(self) -> AppLogStore:
        """Store of the logs."""
        if self._logs is None:
            raise StoreUnavailable("there is no store for apps' logs")
        return self._logs

    @property
    def attendance(self) -> AttendanceStore:
        """Store of the apps that ask who is connected, and of the connections that their logs report."""
        if self._attendance is None:
            raise StoreUnavailable("there is no store for who is connected")
        return self._attendance

    # Methods that fill the logs.

    def is_read(self) -> bool:
        """True if any app has ever asked for its log."""
        return self._logs is not None and self._logs.has_begun()

    def owners_of(self, game_ids: Collection[str]) -> dict[str, str]:
        """The app of each of these games, archived or not; "" for a game that is gone."""
        known = {game_id: self._owners[game_id] for game_id in game_ids if game_id in self._owners}
        unknown = [game_id for game_id in game_ids if game_id not in known]
        for game_id, app in zip(unknown, self.logs.apps_of(unknown), strict=True):
            known[game_id] = self._owners[game_id] = app or self._owner(game_id)
        while len(self._owners) > KNOWN:
            self._owners.popitem(last=False)
        return known

    def _owner(self, game_id: str) -> str:
        try:
            return self._store.secrets(game_id).app
        except GameNotFound:
            return ""

    def record(self, app: str, game_id: str, first: int, last: int) -> None:
        """Log the messages of the game's events `first` to `last`. Safe to repeat, in any order, and harmless when it
        comes late.
        """
        for _ in range(ATTEMPTS + last // AT_ONCE):
            until = min(last, first + AT_ONCE - 1)
            before, events = self._from(game_id, first, until)
            asker = partial(self._asker, game_id)
            messages, now = messages_of(before, events, self._secrets(app, before), asker)
            logged = self.logs.write(app, game_id, first, until, messages, settled=now.is_settled)
            if logged is None:
                self._keep(now)
            first = 1 + (until if logged is None else logged)
            if first > last:
                return
        raise StoreUnavailable(f"others log game {game_id} at the same time")

    def say(self, app: str, game_id: str, kind: str, seat: int, at: int, place: int) -> None:
        """Log a word of a seat of a finished game (such as a request for a rematch), or that the game was rated, at a
        time in ms.

        Safe to repeat. `place` grows with each word about the game; that it was rated is logged once, in any place.
        Raises GameNotFound, CorruptStream.
        """
        now = self._games.current(game_id)
        message = said(kind, time_of(at), now, seat)
        if message is None:
            return
        about, first = f"{game_id}:said", place
        if kind == RATED:
            about, first, place = f"{game_id}:rated", 1, 1
        for _ in range(ATTEMPTS):
            logged = self.logs.write(app, about, first, place, [message], settled=True)
            if logged is None or logged >= place:
                return
            first = logged + 1
        raise StoreUnavailable(f"others log game {game_id} at the same time")

    def _from(self, game_id: str, first: int, until: int) -> tuple[Snapshot, list[RecordedEvent]]:
        """The game before its event `first`, and the events from there on; the event before is read once more, as a
        check.
        """
        known = 1 if first > 1 else 0
        events = self._store.read(game_id, first - 1 - known, until - first + 1 + known)
        if len(events) < until - first + 1 + known:
            raise StoreUnavailable(f"game {game_id} has no version {until} at the moment")
        before = self._states.get(game_id)
        if before is None or not known or before.stream_head != events[0].stream_head:
            before = self._games.at(self._games.current(game_id), first - 1)
        return before, events[known:]

    def _asker(self, game_id: str, version: int) -> int | None:
        """The seat whose request for a takeback is answered by the event of that version."""
        while version > 1:
            first = max(0, version - 1 - NEARBY)
            for event in reversed(self._store.read(game_id, first, version - 1 - first)):
                if event.type == REQUESTED:
                    return event.seat
            version = first + 1
        return None

    def _secrets(self, app: str, before: Snapshot) -> Secrets:
        """Secrets of the game; for the app ANONYMOUS they are read again, because seats may have been taken since."""
        return self._store.secrets(before.game_id) if app == ANONYMOUS else before.secrets

    def _keep(self, now: Snapshot) -> None:
        self._states.pop(now.game_id, None)
        if not now.is_settled:
            self._states[now.game_id] = now
        while len(self._states) > KEPT:
            self._states.popitem(last=False)

    # Methods that read the logs.

    def page(self, app: str, after: str, limit: int, types: Collection[str] | None = None) -> LogPage:
        """At most `limit` messages of these types (None: the usual ones) after a cursor, and the cursor that follows.

        Where these types are rare, a limited number of messages is looked at: then the page is short although more
        follow. The app's log begins when the app asks for it the first time. Raises DomainError "validation-error", and
        CursorExpired if messages after the cursor are gone.
        """
        place = _place(after)
        if types is not None and not ATTENDANCE.isdisjoint(types):
            self.attendance.ask(app)
        found, scanned = list[LoggedMessage](), 0
        while True:
            page = self._read(app, place, SCANNED if types else limit, types or USUAL)
            scanned += 1
            found += page.messages
            if len(found) >= limit:
                return LogPage(found[:limit], found[limit - 1].id, is_end=False)
            if page.is_end or scanned >= SCANS:
                return LogPage(found, page.next, is_end=page.is_end)
            place = page.next

    def wait_page(
        self, app: str, after: str, limit: int, types: Collection[str] | None, seconds: float
    ) -> LogPage:
        """The page once it has a message, or when the time is up, or when enough messages were looked at."""
        until = self._clock() + seconds
        page = self.page(app, after, limit, types)
        while not page.messages and page.is_end and (left := until - self._clock()) > 0:
            if self.wait(app, page.next, left):
                page = self.page(app, page.next, limit, types)
        return page

    def documents(self, app: str, messages: Iterable[LoggedMessage]) -> list[Json]:
        """The messages in the form that their app gets, with its own data about the games."""
        found = self.documents_for_all(messages)
        for one in found:
            if one["type"] == RATED:
                one["data"]["ratings"] = None
                with suppress(GameNotFound, CorruptStream):  # without the game, the message still goes out
                    one["data"]["ratings"] = self._ratings(app, one["data"]["game_id"])
        self._own_data.show(app, [one["data"] for one in found if "game_id" in one["data"]], "game_id")
        return found

    def documents_for_all(self, messages: Iterable[LoggedMessage]) -> list[Json]:
        """The messages in the form that other receivers get."""
        return documents_of(messages, self._players)

    def wait(self, app: str, after: str, seconds: float) -> bool:
        """Wait until there is a message after that cursor, for at most so many seconds. Returns True if
        there is one.
        """
        return self.logs.wait(app, after, seconds)

    def _read(self, app: str, after: str | None, limit: int, types: Collection[str] | None = None) -> LogPage:
        page = self.logs.read(app, after, limit, types)
        if page.is_lost:
            raise CursorExpired
        return page


def _place(cursor: str) -> str | None:
    if cursor == NOW:
        return None
    if cursor == FIRST or CURSOR.fullmatch(cursor):
        return cursor
    raise invalid("after", f"Must be the `id` of an event, `{FIRST}` or `{NOW}`.")
