"""Payloads of deliveries: a message, with the game as the endpoint may see it."""

import orjson

from domain.lifecycle import Json
from events.apps.keys import AppKeys
from events.errors import GameNotFound
from events.games import access
from events.games.access import Caller
from events.games.repository import GameRepository
from events.use_cases.views import Views
from events.use_cases.webhooks.deliveries import Delivery
from events.use_cases.webhooks.records import Endpoint


class SeatGone(Exception):
    """The token of the seat that an endpoint is tied to is good no more."""


class Payloads:
    """The use-cases of what is sent."""

    def __init__(self, games: GameRepository, views: Views, app_keys: AppKeys) -> None:
        self._games = games
        self._views = views
        self._app_keys = app_keys

    def body(self, endpoint: Endpoint, delivery: Delivery) -> bytes:
        """The delivery as JSON. Raises SeatGone, StoreUnavailable, Busy."""
        document = delivery.logged.document()
        if not delivery.is_ping:
            document["data"] = {**document["data"], "view": self._view(endpoint, delivery)}
        return orjson.dumps(document)

    def _view(self, endpoint: Endpoint, delivery: Delivery) -> Json | None:
        """The game right after the change, as the endpoint's seat sees it, or a spectator.

        None where the app may not watch the game, and where it is gone.
        """
        message = delivery.logged.message
        try:
            current = self._games.current(message.game_id)
            if endpoint.seat is not None and not access.is_held_by(
                current.secrets, endpoint.seat, endpoint.token_hash
            ):
                raise SeatGone
            if not 1 <= message.version <= current.version:
                return None
            may_watch = access.may_watch(app_caller(endpoint.app), current.secrets, self._app_keys)
            if endpoint.seat is None and not may_watch:
                return None
            then = self._games.as_of(current, message.version)
            return self._views.game_document(then, endpoint.seat, past=True)
        except GameNotFound:
            return None


def app_caller(app: str) -> Caller:
    """The app as a caller when games are shown to it: everybody, where there are no app keys."""
    return access.STRANGER if app == access.ANONYMOUS else Caller("app", app)
