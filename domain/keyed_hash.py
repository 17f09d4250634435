# compiled into recording
"""HMAC-SHA256 of many messages with one key, whose blocks are hashed only once."""

from hashlib import sha256
from typing import Final

_BLOCK: Final = 64  # bytes of a block of SHA-256
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))  # the inner and the outer pad of RFC 2104
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class KeyedHash:
    """The hash with one secret key; each message after the first takes a quarter of the work of `hmac.digest`."""

    def __init__(self, key: bytes, beginning: bytes = b"") -> None:
        """`beginning`: the common beginning of all messages, which each message then leaves out."""
        padded = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self._inner = sha256(padded.translate(_INNER) + beginning).copy
        self._outer = sha256(padded.translate(_OUTER)).copy

    def digest(self, message: bytes) -> bytes:
        """The 32 bytes of HMAC-SHA256 (RFC 2104) of the common beginning followed by `message`."""
        inner, outer = self._inner(), self._outer()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()
