"""A developer's own server, which gets events as the engine sends them to a webhook."""

from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

import orjson

from events.features.signing_secrets import SigningSecret
from events.features.webhooks.attempts import (
    NO_HTTP,
    SECONDS,
    UNREACHABLE,
    Outcome,
    headers_of,
    outcome_of,
    too_late,
    unanswered,
)
from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.event_types import document_of
from events.retry_after import seconds_of
from service.cli.exits import Refusal

KINDS: Final = {"http": HTTPConnection, "https": HTTPSConnection}


class Receiver:
    """The server at an address."""

    def __init__(self, url: str, secret: str) -> None:
        """Refusal for what is no address."""
        self._secrets = [SigningSecret(secret)]
        try:
            parts = urlsplit(url)
            self._kind, self._host, self._port = KINDS[parts.scheme], parts.hostname or "", parts.port
        except (KeyError, ValueError):
            self._host = ""
        if not self._host:
            raise Refusal(f"--forward-to: {url} is no http:// or https:// address.")
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def post(self, delivery: Delivery) -> Outcome:
        """One attempt. Nothing of the answer counts but its head."""
        body = orjson.dumps(document_of(delivery.logged))
        connection = self._kind(self._host, self._port, timeout=SECONDS)
        try:
            connection.putrequest("POST", self._path, skip_accept_encoding=True)
            own = {"Connection": "close", "Content-Length": str(len(body))}
            for name, value in (own | headers_of(self._secrets, delivery.id, body)).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            when, date = (answer.headers.get(name, "") for name in ("Retry-After", "Date"))
            return outcome_of(answer.status, seconds_of(when, date))
        except TimeoutError:
            return too_late(SECONDS)
        except OSError as error:
            return unanswered(error)
        except HTTPException:
            return Outcome(UNREACHABLE, error=NO_HTTP)
        finally:
            connection.close()
