"""Seats whose bot is called over HTTP, and the secret with which the engine proves to such a bot who calls."""

import binascii
import secrets as randomness
from base64 import b64decode, b64encode
from typing import Final

KIND: Final = "remote"
MARK: Final = "whsec_"
LENGTH: Final = 32  # bytes of a secret that the engine makes
LENGTHS: Final = range(24, 65)  # bytes of a secret that Standard Webhooks allows


def new_secret() -> str:
    """A secret as Standard Webhooks writes it: whsec_ and base64."""
    return MARK + b64encode(randomness.token_bytes(LENGTH)).decode()


def is_secret(text: str) -> bool:
    """True if the text is a secret as Standard Webhooks writes it, of 24 to 64 bytes."""
    try:
        key = b64decode(text.removeprefix(MARK), validate=True)
    except (ValueError, binascii.Error):
        return False
    return text.startswith(MARK) and len(key) in LENGTHS
