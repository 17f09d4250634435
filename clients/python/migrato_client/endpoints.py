"""The app's webhooks, as the engine keeps them; `migrato_client.webhooks` checks what they bring."""

from typing import Any, Protocol, cast
from urllib.parse import quote

from migrato_client.models import ChangedWebhook, CreatedWebhook, NewWebhook, RotatedSecret, Webhook


class Request(Protocol):
    """The function that sends a request as the app: `Client.request`."""

    def __call__(self, method: str, path: str, body: Any = None, *, repeat: bool = True) -> Any:
        """The document that it answers."""


class Webhooks:
    """The app's webhook endpoints, which get the events of its games. Every method raises ApiError, Unreachable."""

    def __init__(self, request: Request) -> None:
        """Use `Client.webhooks`."""
        self._request = request

    def create(self, webhook: NewWebhook) -> CreatedWebhook:
        """A webhook, whose `secret` is told only here. It is asked for once: if the answer is lost, delete it."""
        return cast("CreatedWebhook", self._request("POST", "/v1/webhooks", webhook, repeat=False))

    def list(self) -> list[Webhook]:
        """All of the app."""
        return cast("list[Webhook]", self._request("GET", "/v1/webhooks")["webhooks"])

    def change(self, webhook_id: str, change: ChangedWebhook) -> Webhook:
        """Change one: `{"disabled": True}` pauses it."""
        return cast("Webhook", self._request("PATCH", self._path(webhook_id), change))

    def delete(self, webhook_id: str) -> None:
        """Delete one; nothing more is sent."""
        self._request("DELETE", self._path(webhook_id))

    def ping(self, webhook_id: str) -> None:
        """Have an event of the type `ping` sent."""
        self._request("POST", f"{self._path(webhook_id)}/ping")

    def rotate_secret(self, webhook_id: str, overlap: int | None = None) -> RotatedSecret:
        """A new secret; the former one signs too for a day, or `overlap` seconds. It is asked for once."""
        wanted = {} if overlap is None else {"overlap": overlap}
        path = f"{self._path(webhook_id)}/secret"
        return cast("RotatedSecret", self._request("POST", path, wanted, repeat=False))

    def _path(self, webhook_id: str) -> str:
        return f"/v1/webhooks/{quote(webhook_id, '')}"
