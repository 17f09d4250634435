"""One attempt at a delivery: a POST from the webhook worker, to an address that its guard lets it call."""

import time
from collections.abc import Sequence
from socket import gaierror
from typing import Final

import gevent  # type: ignore[import-untyped]

from events.errors import UrlRefused
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
from events.url_guard import Guard
from workers.remote.connection import DeadlineExceeded, ResponseTooLarge
from workers.remote.http import MalformedResponse, NoAnswer
from workers.remote.poster import Poster

# The same text for a name that does not exist and for one in the engine's own network, so that nobody learns its names.
NOWHERE: Final = "its address is not found, or may not be called"


class WebhookClient:
    """Makes attempts. Each attempt belongs to one greenlet; any number of them may wait at the same time."""

    def __init__(self, guard: Guard, seconds: float = SECONDS) -> None:
        self._poster = Poster(guard, seconds)
        self._seconds = seconds

    def post(self, url: str, secrets: Sequence[SigningSecret], message: str, body: bytes) -> Outcome:
        """Send the body. Only the status of the receiver's answer is used, and the pause that it asks for."""
        deadline = time.monotonic() + self._seconds
        with gevent.Timeout(self._seconds, False):
            try:
                headers = headers_of(secrets, message, body)
                answer = self._poster.post(url, headers, body, deadline, reads_body=False)
            except DeadlineExceeded:
                pass
            except (UrlRefused, gaierror):
                return Outcome(UNREACHABLE, error=NOWHERE)
            except (ResponseTooLarge, MalformedResponse):
                return Outcome(UNREACHABLE, error=NO_HTTP)
            except (OSError, NoAnswer) as error:
                return unanswered(error)
            else:
                return outcome_of(answer.status, answer.pause)
        return too_late(self._seconds)
