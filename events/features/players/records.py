"""Records of players beside the games, as pure functions: the opaque id, the encrypted record, and the index's digest.

A record is encrypted with a key of its own (AES-256-GCM, NIST SP 800-38D); the id is its associated data, so no record
can take the place of another. Destroying the key destroys all copies of the record. The index finds a player by an
HMAC-SHA256 of app and name, and so has no names itself.
"""

import hmac
import secrets as randomness
from itertools import product

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from events.features.players.port import PlayerRecord
from events.log import partitions
from events.log.player_ids import OF_A_GUEST, is_guest_id

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
ENDINGS = ["".join(letters) for letters in product(ALPHABET, repeat=3)]
LETTERS = 20  # letters of an id, before the last ones, which place it in a partition
NONCE_SIZE = 12
KEY_SIZE = 32
PADDED_SIZE = 640  # bytes; longer than every record, so the length of an encrypted record reveals nothing
WITH_DISPLAY_NAME = 960  # bytes, for a record with a display name


def new_player_id(partition: int, *, guest: bool = False) -> str:
    """A random id of 95 bits in the partition: the last letters are drawn until the id belongs there.

    The id of a guest shows that it is one, and has 69 random bits.
    """
    beginning = OF_A_GUEST if guest else "pl_"
    beginning += "".join([randomness.choice(ALPHABET) for _ in range(LETTERS - len(beginning))])
    if is_guest_id(beginning) and not guest:
        return new_player_id(partition)
    while True:
        drawn = beginning + randomness.choice(ENDINGS)
        if partitions.partition_of(drawn) == partition:
            return drawn


def digest(secret: bytes, app: str, name: str, place: str = "") -> bytes:
    """Digest by which the index finds an app's player of that name: 32 bytes; no argument may have a line end.

    A guest is found by name at one `place` only.
    """
    known_as = f"{app}\n{place}\n{name}" if place else f"{app}\n{name}"
    return hmac.digest(secret, known_as.encode(), "sha256")


def partition_of_digest(digest: bytes) -> int:
    """The partition of the player with this digest in the index."""
    return digest[0] % partitions.PARTITIONS


def seal(player_id: str, key: bytes, record: PlayerRecord) -> bytes:
    """The record, encrypted with a key of 32 bytes that belongs to this player alone: nonce, then
    ciphertext and tag.
    """
    document, size = {"name": record.name, "app": record.app, "created_at": record.created_at}, PADDED_SIZE
    if record.display_name is not None:
        document["display_name"], size = record.display_name, WITH_DISPLAY_NAME
    nonce = randomness.token_bytes(NONCE_SIZE)
    return nonce + AESGCM(key).encrypt(nonce, orjson.dumps(document).ljust(size), player_id.encode())


def unseal(player_id: str, key: bytes, sealed: bytes) -> PlayerRecord | None:
    """The decrypted record; None if the key is another one, or the record is another player's."""
    try:
        plain = AESGCM(key).decrypt(sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], player_id.encode())
    except (InvalidTag, ValueError):
        return None
    return PlayerRecord(**orjson.loads(plain))
