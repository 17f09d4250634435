"""Limits to the size of requests."""

from typing import Final

BODY_LIMIT: Final = 64 * 1024  # bytes
POSITION_LIMIT: Final = 1024 * 1024  # bytes of a described position, with the history of a long game
KEY_LIMIT: Final = 255  # characters of an Idempotency-Key
TOKEN_LIMIT: Final = 512  # characters of a bearer token
