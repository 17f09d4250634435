"""How much a request may say."""

from typing import Final

BODY_LIMIT: Final = 64 * 1024  # bytes
KEY_LIMIT: Final = 255  # characters of an Idempotency-Key
TOKEN_LIMIT: Final = 512  # characters of a bearer token
