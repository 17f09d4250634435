"""Proof that a request which reaches you was sent by the engine: Standard Webhooks (https://www.standardwebhooks.com)."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

from migrato_client.errors import InvalidSignature
from migrato_client.models import Ping, RemoteQuestion, WebhookMessage

TOLERANCE: Final = 300.0  # seconds between two clocks


Message: TypeAlias = WebhookMessage | Ping  # `type` tells which


def verify(
    secrets: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE,
) -> Message:
    """The message in the body, which the engine has signed and sent to a webhook.

    `secrets`: the `whsec_...` that you share with the engine, or during a rotation both; `headers`: the request's,
    under whatever capitals; `body`: the bytes as they came; `now`: seconds since 1970, for tests. Raises
    InvalidSignature.

    The engine repeats a message until you have answered it: `webhook-id` tells you which one it is.
    """
    return cast("Message", _signed(secrets, headers, body, now, tolerance))


def verify_question(
    secrets: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE,
) -> RemoteQuestion:
    """The same of a question to a remote bot."""
    return cast("RemoteQuestion", _signed(secrets, headers, body, now, tolerance))


def _signed(
    secrets: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    now: float | None,
    tolerance: float,
) -> Any:
    found = {name.lower(): value for name, value in headers.items()}
    try:
        message, sent, signed = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        at = int(sent)
    except (KeyError, ValueError) as error:
        raise InvalidSignature("There is no webhook-id, -timestamp or -signature.") from error
    if abs((time.time() if now is None else now) - at) > tolerance:
        raise InvalidSignature("It was not sent just now.")
    content = f"{message}.{at}.".encode() + body
    known = [_signature(secret, content) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    given = [part.removeprefix("v1,").encode() for part in signed.split(" ") if part.startswith("v1,")]
    if not any(hmac.compare_digest(mine, theirs) for mine in known for theirs in given):
        raise InvalidSignature("It was not signed with this secret.")
    return json.loads(body)


def _signature(secret: str, content: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("The secret must be whsec_ and Base64.") from error
    return base64.b64encode(hmac.digest(key, content, hashlib.sha256))
