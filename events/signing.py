"""Signed heads: Ed25519 over a game's id, version and head, checked with a public key as a JWK (RFC 7517, RFC 8037)."""

import base64
import binascii
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.lifecycle import Json


def head_message(game_id: str, version: int, head: str) -> bytes:
    """The bytes that are signed."""
    return f"migrato-head/1\n{game_id}\n{version}\n{head}".encode()


def key_id(public: bytes) -> str:
    """The id of a raw public key."""
    return sha256(public).hexdigest()[:16]


def verify_head(jwk: Json, game_id: str, version: int, head: str, signature: str) -> bool:
    """Whether the signature is the key's for that head; False also for a key or a signature that is none."""
    try:
        if (jwk["kty"], jwk["crv"]) != ("OKP", "Ed25519"):
            return False
        public = _decoded(jwk["x"])
        if jwk.get("kid", key_id(public)) != key_id(public):
            return False
        Ed25519PublicKey.from_public_bytes(public).verify(
            _decoded(signature), head_message(game_id, version, head)
        )
    except (InvalidSignature, KeyError, TypeError, ValueError, AttributeError):
        return False
    return True


def _decoded(text: str) -> bytes:
    """base64url without padding, written in the one way that there is."""
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(raw).rstrip(b"=") != text.encode():
        raise binascii.Error("not canonical")
    return raw
