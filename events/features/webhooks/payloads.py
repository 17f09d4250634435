"""Payloads of deliveries: a message, with the game as its endpoint may see it."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import orjson

from domain.lifecycle import Json
from domain.words.languages import LANGUAGES
from events.engine import access
from events.engine.access import Caller
from events.engine.repository import GameRepository
from events.errors import GameNotFound
from events.features.apps.keys import AppKeys
from events.features.games.views import Views
from events.features.webhooks.app_logs import AppLogs
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.event_types import ATTENDANCE, LoggedMessage, Message
from events.features.webhooks.records import Endpoint
from events.log.envelope import RecordedEvent
from events.log.serialisers import event_document
from events.log.snapshot import Snapshot

MOST: Final = 32  # events of a change that are sent, the last ones; a move causes about a dozen
NOTHING: Final[Json] = {"view": None, "events": None, "notation": None}


class SeatGone(Exception):
    """The token of the endpoint's seat is no longer valid."""


class Viewer(NamedTuple):
    """A receiver of messages: an app, as a spectator or as the seat whose token has that hash."""

    app: str
    seat: int | None = None
    token_hash: str | None = None


class Payloads:
    """The use cases of payloads."""

    def __init__(self, games: GameRepository, views: Views, app_keys: AppKeys, logs: AppLogs) -> None:
        self._games = games
        self._views = views
        self._app_keys = app_keys
        self._logs = logs

    def body(self, endpoint: Endpoint, delivery: Delivery) -> bytes:
        """The delivery as JSON. Raises SeatGone, StoreUnavailable, Busy."""
        viewer = Viewer(endpoint.app, endpoint.seat, endpoint.token_hash)
        (document,) = self._documents(viewer, [delivery.logged])
        return orjson.dumps(document)

    def documents(self, app: str, logged: Iterable[LoggedMessage]) -> list[Json]:
        """The messages as a webhook of the app without a seat gets them. Raises StoreUnavailable, Busy."""
        return self._documents(Viewer(app), list(logged))

    def _documents(self, viewer: Viewer, logged: Sequence[LoggedMessage]) -> list[Json]:
        if viewer.seat is None:
            found = self._logs.documents(viewer.app, logged)
        else:  # a seat gets none of the app's own data
            found = self._logs.documents_for_all(logged)
        for document, one in zip(found, logged, strict=True):
            if one.message.game_id:
                document["data"] |= self._shown(viewer, one.message)
        return found

    def _shown(self, viewer: Viewer, message: Message) -> Json:
        """The game right after the change, and the change's events, as the viewer sees them.

        Nulls if the app may not watch the game, or the game is gone.
        """
        try:
            current = self._games.current(message.game_id)
            if viewer.seat is not None and not access.is_held_by(
                current.secrets, viewer.seat, viewer.token_hash
            ):
                raise SeatGone
            if not 1 <= message.version <= current.version:
                return NOTHING
            may_watch = access.may_watch(app_caller(viewer.app), current.secrets, self._app_keys)
            if viewer.seat is None and not may_watch:
                return NOTHING
            then = self._games.as_of(current, message.version)
            appended = [] if message.type in ATTENDANCE else self._appended(then)
            events = [event_document(then, event, viewer.seat) for event in appended]
            return {
                "view": self._views.game_document(then, viewer.seat, past=True),
                "events": events,
                "notation": self._views.lines(then, events, LANGUAGES),
            }
        except GameNotFound:
            return NOTHING

    def _appended(self, then: Snapshot) -> list[RecordedEvent]:
        """Events of the append that led to the game as it was `then`."""
        first = max(0, then.version - MOST)
        events = self._views.history(then.game_id, first, then.version - first)
        appended = [list(one) for _, one in groupby(events, lambda event: event.command or event.version)]
        return appended[-1] if appended else []


def app_caller(app: str) -> Caller:
    """The app as a caller that looks at games: ANONYMOUS stands for every caller if there are no app keys."""
    return access.STRANGER if app == access.ANONYMOUS else Caller("app", app)
