"""Secrets by which the engine proves its identity to a receiver; a replaced secret may sign for a while longer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import orjson
from standardwebhooks import Webhook

from events.errors import TooManySecrets
from events.times import time_of

OVERLAP: Final = 86_400  # seconds for which an old secret still signs, by default
LONGEST_OVERLAP: Final = 7 * 86_400
MOST_SECRETS: Final = 5  # secrets of one receiver that sign at the same time, including the newest


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A secret that signs; `until` is when it no longer does (Unix time), None for the newest one, which has no end."""

    text: str = field(repr=False)
    until: float | None = None


def packed(secrets: Sequence[SigningSecret]) -> bytes:
    """The secrets in stored form."""
    return orjson.dumps([[one.text, one.until] for one in secrets])


def unpacked(record: bytes | None) -> list[SigningSecret]:
    """The secrets from their stored form; [] for None."""
    return [SigningSecret(*one) for one in orjson.loads(record or b"[]")]


def good(secrets: Sequence[SigningSecret], at: datetime) -> list[str]:
    """The texts of the secrets that sign at that time."""
    return [one.text for one in secrets if one.until is None or at.timestamp() < one.until]


def signed(secrets: Sequence[SigningSecret], message: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers that prove to the receiver who sends this, and when: with a signature by each valid secret."""
    return signature(good(secrets, at), message, body, at)


def signature(texts: Sequence[str], message: str, body: bytes, at: datetime) -> dict[str, str]:
    """The same headers, with a signature by each of these secrets; `at` is in UTC."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(message, at, body.decode()) for secret in texts),
    }


def promised(known: Sequence[SigningSecret], now: float, overlap: int, whose: str) -> list[SigningSecret]:
    """The secrets that sign beside a new one: the newest of them for `overlap` seconds, the others until their end.

    `whose`: their owner, for the text of the refusal. Raises TooManySecrets.
    """
    if not overlap:
        return []
    newest = [replace(one, until=now + overlap) for one in known[:1]]
    former = newest + [one for one in known[1:] if one.until is not None and now < one.until]
    if len(former) >= MOST_SECRETS:
        ends = min(one.until for one in former if one.until is not None)
        raise TooManySecrets(MOST_SECRETS, time_of(int(ends * 1000)), whose)
    return former
