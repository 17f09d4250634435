"""One attempt at a delivery: a POST as Standard Webhooks (https://www.standardwebhooks.com) wants it, signed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from socket import gaierror
from typing import Final

import gevent  # type: ignore[import-untyped]
from standardwebhooks import Webhook

from events.errors import UrlRefused
from events.features.webhooks.deliveries import LONGEST_PAUSE
from events.features.webhooks.records import SigningSecret
from events.url_guard import Guard
from workers.remote.connection import DeadlineExceeded, ResponseTooLarge
from workers.remote.http import MalformedResponse, NoAnswer
from workers.remote.poster import Poster

SECONDS: Final = 10.0  # that an attempt may take in all
HEADERS: Final = {"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "Migrato-Engine"}

# The same text for a name that does not exist and for one that leads into our own network: nobody learns our names.
NOWHERE: Final = "its address is not found, or may not be called"

DELIVERED, GONE, REFUSED, UNREACHABLE = "delivered", "gone", "refused", "unreachable"
AWAY: Final = frozenset(
    (408, 425, 429, 502, 503, 504)
)  # the receiver has no time, no matter which event is sent


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of an attempt. `status`: of the answer; `error`: its fault; `pause`: seconds asked for."""

    kind: str
    status: int | None = None
    error: str = ""
    pause: float = 0.0


class WebhookClient:
    """Makes attempts. Every one is a greenlet's own; any number of them may wait at once."""

    def __init__(self, guard: Guard, seconds: float = SECONDS) -> None:
        self._poster = Poster(guard, seconds)
        self._seconds = seconds

    def post(self, url: str, secrets: Sequence[SigningSecret], message: str, body: bytes) -> Outcome:
        """Send the body; nothing that the receiver answers is taken for more than a status."""
        deadline = time.monotonic() + self._seconds
        with gevent.Timeout(self._seconds, False):
            try:
                headers = HEADERS | signed(secrets, message, body, datetime.now(UTC))
                answer = self._poster.post(url, headers, body, deadline, reads_body=False)
            except DeadlineExceeded:
                pass
            except (UrlRefused, gaierror):
                return Outcome(UNREACHABLE, error=NOWHERE)
            except (ResponseTooLarge, MalformedResponse):
                return Outcome(UNREACHABLE, error="the answer is no answer in HTTP, or too long")
            except (OSError, NoAnswer) as error:
                return Outcome(UNREACHABLE, error=f"no answer: {type(error).__name__}")
            else:
                return _outcome(answer.status, answer.pause)
        return Outcome(UNREACHABLE, error=f"no answer within {self._seconds:g} s")


def signed(secrets: Sequence[SigningSecret], message: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers that prove to the receiver who sends this, and when: a signature by each valid secret."""
    good = [one.text for one in secrets if one.until is None or at.timestamp() < one.until]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(message, at, body.decode()) for secret in good),
    }


def _outcome(status: int, pause: float) -> Outcome:
    if 200 <= status < 300:
        return Outcome(DELIVERED, status)
    error = f"status {status}"
    if status == 410:
        return Outcome(GONE, status, error)
    if status in AWAY:
        return Outcome(UNREACHABLE, status, error, min(pause, LONGEST_PAUSE))
    return Outcome(REFUSED, status, error)
