"""Endpoints: the addresses that get an app's events, and the secrets that prove the sender to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.errors import invalid
from events.engine import access
from events.engine.remote_seat import new_secret
from events.engine.repository import GameRepository
from events.errors import (
    DeliveryNotFound,
    GameNotFound,
    StoreUnavailable,
    TooManyWaitingDeliveries,
    TooManyWebhooks,
    UrlRefused,
    WebhookNotFound,
)
from events.features.apps.keys import AppKeys
from events.features.signing_secrets import SigningSecret, promised
from events.features.webhooks.app_logs import NOW, AppLogs
from events.features.webhooks.deliveries import WAITING, Delivery, ping
from events.features.webhooks.payloads import Payloads
from events.features.webhooks.port import EndpointStore
from events.features.webhooks.records import BY_APP, Endpoint
from events.ports import UrlGuard
from events.times import time_of, timestamp
from events.url_guard import ALLOWING

MOST: Final = 20  # endpoints of an app
MOST_WAITING: Final = 2 * WAITING  # deliveries of an endpoint beyond which its app can ask for no more
LISTEN: Final = "While you write an app, `migrato listen` sends its events to your own machine."


@dataclass(frozen=True, slots=True)
class EndpointState:
    """An endpoint with the numbers of deliveries that wait and that were given up."""

    endpoint: Endpoint
    waiting: int
    dead: int


class Endpoints:
    """The use-cases of endpoints. Every method may raise StoreUnavailable; WebhookNotFound where it takes an id."""

    def __init__(
        self,
        store: EndpointStore | None,
        logs: AppLogs,
        games: GameRepository,
        guard: UrlGuard,
        payloads: Payloads,
        now: Callable[[], datetime],
        app_keys: AppKeys | None = None,
    ) -> None:
        """`payloads`: makes the bodies of deliveries; `app_keys` say which apps are revoked."""
        self._endpoints = store
        self.payloads = payloads
        self._logs = logs
        self._games = games
        self._guard = guard
        self._now = now
        self._app_keys = app_keys or AppKeys()

    @property
    def store(self) -> EndpointStore:
        """Store of endpoints."""
        if self._endpoints is None:
            raise StoreUnavailable("there is no store for webhooks")
        return self._endpoints

    def is_silenced(self, endpoint: Endpoint) -> bool:
        """True if nothing is sent there: the endpoint is disabled, or its app has no valid key."""
        app = endpoint.app
        return endpoint.disabled is not None or self._app_keys.is_revoked(
            app, is_everybody=app == access.ANONYMOUS
        )

    def create(
        self,
        app: str,
        url: str,
        types: Sequence[str],
        description: str,
        game_id: str | None,
        seat_token: str | None,
    ) -> tuple[EndpointState, str]:
        """Create an endpoint, which gets the events from now on. Returns it, and its secret, which is never shown
        again.

        `seat_token` ties it to that seat's view of its game. Raises TooManyWebhooks, DomainError "validation-error".
        """
        self._check_url(url)
        seat, token_hash = None, None
        if seat_token is not None:
            game_id, seat, token_hash = self._seat_of(app, seat_token, game_id)
        elif game_id is not None:
            self._check_game(app, game_id)
        created, new_id = timestamp(self._now()), access.new_game_id()
        new = Endpoint(new_id, app, url, tuple(types), description, created, game_id, seat, token_hash)
        secret = new_secret()
        start = self._logs.page(app, NOW, 1).next
        if not self.store.add(new, [SigningSecret(secret)], start, MOST):
            raise TooManyWebhooks(MOST)
        return EndpointState(new, 0, 0), secret

    def all_of(self, app: str) -> list[EndpointState]:
        """The app's endpoints, the oldest first."""
        found = sorted(self.store.of_app(app), key=lambda one: (one.created_at, one.id))
        return [
            EndpointState(one, *numbers) for one, numbers in zip(found, self.store.sizes(found), strict=True)
        ]

    def get(self, app: str, endpoint_id: str) -> EndpointState:
        """The app's endpoint of that id."""
        found = self._found(app, endpoint_id)
        (numbers,) = self.store.sizes([found])
        return EndpointState(found, *numbers)

    def change(self, app: str, endpoint_id: str, wanted: Mapping[str, object]) -> EndpointState:
        """Change `url`, `types`, `description` or `disabled` (true or false). Raises DomainError "validation-error"."""
        if "url" in wanted:
            self._check_url(str(wanted["url"]))
        while True:
            known = self._found(app, endpoint_id)
            changed = _changed(known, wanted)
            if changed == known or self.store.replace(known, changed):
                return self.get(app, endpoint_id)

    def delete(self, app: str, endpoint_id: str) -> None:
        """Delete an endpoint with its secrets and its waiting deliveries."""
        if not self.store.remove(self._found(app, endpoint_id)):
            raise WebhookNotFound

    def rotate(self, app: str, endpoint_id: str, overlap: int) -> tuple[str, str | None]:
        """Make a new secret. Returns it, and the end of the time in which the old one signs too; None if it no longer
        signs.

        Each earlier secret signs until the end that it was given; after an overlap of 0 no old one signs. Raises
        TooManySecrets.
        """
        endpoint = self._found(app, endpoint_id)
        now = self._now().timestamp()
        while True:
            known = self.store.secrets(endpoint)
            former = promised(known, now, overlap, "webhook")
            secret = new_secret()
            if self.store.replace_secrets(endpoint, known, [SigningSecret(secret), *former]):
                return secret, time_of(int((now + overlap) * 1000)) if former else None

    def ping(self, app: str, endpoint_id: str) -> str:
        """Send a message without news. Returns the id of its delivery. Raises TooManyWaitingDeliveries."""
        endpoint = self._found(app, endpoint_id)
        sent = ping(f"ping-{access.new_game_id()}", self._now())
        if not self.store.enqueue(endpoint, sent, MOST_WAITING):
            raise TooManyWaitingDeliveries(MOST_WAITING)
        return sent.id

    def deliveries(
        self, app: str, endpoint_id: str, *, dead: bool, after: str | None, limit: int
    ) -> tuple[list[Delivery], str | None]:
        """Deliveries that wait, or that were given up, oldest first; and the cursor of the next page."""
        found = self.store.deliveries(self._found(app, endpoint_id), dead=dead)
        found.sort(key=lambda one: (one.order, one.id))
        ids = [one.id for one in found]
        start = 0 if after is None else ids.index(after) + 1 if after in ids else 0
        page = found[start : start + limit]
        return page, page[-1].id if start + limit < len(found) else None

    def resend(self, app: str, endpoint_id: str, delivery_id: str) -> Delivery:
        """Try a delivery again that was given up. Raises DeliveryNotFound."""
        endpoint = self._found(app, endpoint_id)
        now = self._now()
        for one in self.store.deliveries(endpoint, dead=True):
            if one.id == delivery_id:
                again = one.afresh(now)
                if self.store.revive(endpoint, again):
                    return again
        raise DeliveryNotFound

    def _found(self, app: str, endpoint_id: str) -> Endpoint:
        found = self.store.one_of_app(app, endpoint_id)
        if found is None:
            raise WebhookNotFound
        return found

    def _check_url(self, url: str) -> None:
        try:
            self._guard.check(url)
        except UrlRefused as refusal:
            advice = f" {LISTEN}" if ALLOWING in str(refusal) else ""
            raise invalid("url", f"{refusal}{advice}") from refusal

    def _check_game(self, app: str, game_id: str) -> None:
        try:
            if self._games.current(game_id).secrets.app == app:
                return
        except GameNotFound:
            pass
        raise invalid("game_id", "There is no such game of this app.")

    def _seat_of(self, app: str, token: str, game_id: str | None) -> tuple[str, int, str]:
        """The game and the seat of this token, and its hash. The refusal is the same for an unknown token and for
        another app's.
        """
        claim = access.read_seat_token(token)
        if claim is not None and game_id in (None, claim.game_id):
            try:
                secrets = self._games.with_latest_secrets(self._games.current(claim.game_id)).secrets
            except GameNotFound:
                secrets = None
            if (
                secrets is not None
                and secrets.app == app
                and claim.seat in secrets.tokens
                and access.is_held_by(secrets, claim.seat, claim.secret_hash)
            ):
                return claim.game_id, claim.seat, claim.secret_hash
        raise invalid("seat_token", "This is not the token of a seat of this app's games.")


def _changed(known: Endpoint, wanted: Mapping[str, object]) -> Endpoint:
    disabled = known.disabled
    if "disabled" in wanted:
        disabled = (known.disabled or BY_APP) if wanted["disabled"] else None
    types = wanted.get("types", known.types)
    assert isinstance(types, (list, tuple))
    return replace(
        known,
        url=str(wanted.get("url", known.url)),
        types=tuple(types),
        description=str(wanted.get("description", known.description)),
        disabled=disabled,
    )
