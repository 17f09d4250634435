"""Signed heads: this installation vouches for them with a key, so that no later rewriting goes unnoticed.

A head is signed by Ed25519 (RFC 8032) over the ASCII bytes of four lines, joined by line feeds, none at the end:

    migrato-head/1, the game's id, the version in decimal, the head in lower-case hex

The roll of a day of the archive is signed in the same way over four lines of its own:

    migrato-roll/1, the day as 2026/11/21, the number of games in decimal, the SHA-256 of the roll's lines in hex

Signatures and public keys are written in base64url without padding; public keys are published as JSON Web Keys
(RFC 7517, RFC 8037). A key's id is the first 16 hex digits of the SHA-256 of the 32 bytes of the public key.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.lifecycle import Json

FORMAT: Final = "migrato-head/1"
ROLL_FORMAT: Final = "migrato-roll/1"
KEY_ID_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head of a game and the signature of it; `head` in hex, `signature` in base64url."""

    key_id: str
    version: int
    head: str
    signature: str


class Signer:
    """A private key, which never leaves this object: nothing but its id is ever shown."""

    __slots__ = ("_key", "key_id", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw()
        self.key_id = key_id_of(self.public)

    def __repr__(self) -> str:
        return f"Signer({self.key_id})"

    def __reduce__(self) -> str:
        raise TypeError("A private key is not for sending around.")

    def sign(self, game_id: str, version: int, head: str) -> SignedHead:
        """The head after event `version` of a game, signed; the same for the same key."""
        signature = self._key.sign(head_message(game_id, version, head))
        return SignedHead(self.key_id, version, head, encoded(signature))

    def sign_roll(self, day: str, games: int, digest: str) -> str:
        """The signature of a day's roll, in base64url."""
        return encoded(self._key.sign(roll_message(day, games, digest)))


@dataclass(frozen=True, slots=True)
class Keyring:
    """The key that signs, if there is one, and every public key that ever signed, by key id."""

    signer: Signer | None = None
    public: Mapping[str, bytes] = field(default_factory=dict)

    def jwk(self, key_id: str) -> Json | None:
        """The public key of that id; None if it is not known here."""
        return jwk_of(self.public[key_id]) if key_id in self.public else None

    def jwk_set(self) -> Json:
        """Every public key, the current one first."""
        current = None if self.signer is None else self.signer.key_id
        ids = sorted(self.public, key=lambda key_id: (key_id != current, key_id))
        return {"keys": [jwk_of(self.public[key_id]) for key_id in ids]}


def head_message(game_id: str, version: int, head: str) -> bytes:
    """The bytes that the signature of a head signs."""
    return f"{FORMAT}\n{game_id}\n{version}\n{head}".encode()


def roll_message(day: str, games: int, digest: str) -> bytes:
    """The bytes that the signature of a day's roll signs."""
    return f"{ROLL_FORMAT}\n{day}\n{games}\n{digest}".encode()


def key_id_of(public: bytes) -> str:
    """The id of a public key, given as its 32 bytes."""
    return sha256(public).hexdigest()[:KEY_ID_DIGITS]


def jwk_of(public: bytes) -> Json:
    """The public key as a JSON Web Key."""
    return {"kty": "OKP", "crv": "Ed25519", "x": encoded(public), "kid": key_id_of(public), "use": "sig"}


def verify_head(jwk: Json, game_id: str, version: int, head: str, signature: str) -> bool:
    """True if the key signed that head of that game; False, too, if the key is no Ed25519 key or the signature has
    another form.
    """
    return _is_signed(jwk, head_message(game_id, version, head), signature)


def verify_roll(jwk: Json, day: str, games: int, digest: str, signature: str) -> bool:
    """True if the key signed that roll; False also in the cases in which `verify_head` is False."""
    return _is_signed(jwk, roll_message(day, games, digest), signature)


def _is_signed(jwk: Json, message: bytes, signature: str) -> bool:
    try:
        if jwk["kty"] != "OKP" or jwk["crv"] != "Ed25519":
            return False
        key = Ed25519PublicKey.from_public_bytes(decoded(jwk["x"]))
        key.verify(decoded(signature), message)
    except (InvalidSignature, KeyError, TypeError, ValueError, AttributeError):
        return False
    return True


def encoded(raw: bytes) -> str:
    """Base64url without padding (RFC 7515, 2)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """The bytes; ValueError for what `encoded` would not write exactly so."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error
    if encoded(raw) != text:
        raise ValueError("not base64url without padding")
    return raw
