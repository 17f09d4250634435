"""An attempt at a delivery, in whatever process: its headers, as Standard Webhooks (https://www.standardwebhooks.com)
has them, and the meaning of an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from events.features.signing_secrets import SigningSecret, signed
from events.features.webhooks.deliveries import LONGEST_PAUSE

SECONDS: Final = 10.0  # the longest time of an attempt
HEADERS: Final = {"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "Migrato-Engine"}
NO_HTTP: Final = "the answer is no answer in HTTP, or too long"

DELIVERED, GONE, REFUSED, UNREACHABLE = "delivered", "gone", "refused", "unreachable"
AWAY: Final = frozenset(
    (408, 425, 429, 502, 503, 504)
)  # statuses of a receiver that has no time for any event


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of an attempt. `status`: of the answer; `error`: the fault, if it failed; `pause`: the seconds that the
    receiver asks for.
    """

    kind: str
    status: int | None = None
    error: str = ""
    pause: float = 0.0


def headers_of(secrets: Sequence[SigningSecret], message: str, body: bytes) -> dict[str, str]:
    """The headers of an attempt that is made now, without those that every HTTP request has."""
    return HEADERS | signed(secrets, message, body, datetime.now(UTC))


def outcome_of(status: int, pause: float) -> Outcome:
    """Outcome of an attempt that was answered; the receiver asks for a pause of so many seconds."""
    if 200 <= status < 300:
        return Outcome(DELIVERED, status)
    error = f"status {status}"
    if status == 410:
        return Outcome(GONE, status, error)
    if status in AWAY:
        return Outcome(UNREACHABLE, status, error, min(pause, LONGEST_PAUSE))
    return Outcome(REFUSED, status, error)


def unanswered(error: Exception) -> Outcome:
    """Outcome of an attempt that got no answer."""
    return Outcome(UNREACHABLE, error=f"no answer: {type(error).__name__}")


def too_late(seconds: float) -> Outcome:
    """Outcome of an attempt that took longer than it may."""
    return Outcome(UNREACHABLE, error=f"no answer within {seconds:g} s")
