"""Records of players beside the games, as pure functions: the opaque id, the sealed record, the index's digest.

A record is sealed with a key of its own (AES-256-GCM, NIST SP 800-38D); the id goes into the seal as associated data,
so that no record passes for another's. Destroying the key destroys the record, with all copies of it. The index finds a
player by an HMAC-SHA256 of app and name, and so holds no names itself.
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
LETTERS = 20  # of an id, before those that are drawn until it fits
NONCE_SIZE = 12
KEY_SIZE = 32
PADDED_SIZE = 640  # bytes; the longest record is shorter, so that the length of a sealed one tells nothing
WITH_DISPLAY_NAME = 960  # the same of one with a display name


def new_player_id(partition: int, *, guest: bool = False) -> str:
    """A random id that belongs to the partition, so of 95 bits; the last letters are drawn until it does.

    That of a guest shows it, and so has 69 bits.
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
    """Digest by which the index knows an app's player of that name: 32 bytes; no part holds a line end.

    A guest is known by that name at one `place` only.
    """
    known_as = f"{app}\n{place}\n{name}" if place else f"{app}\n{name}"
    return hmac.digest(secret, known_as.encode(), "sha256")


def partition_of_digest(digest: bytes) -> int:
    """The partition of the player whom the index knows by this digest."""
    return digest[0] % partitions.PARTITIONS


def seal(player_id: str, key: bytes, record: PlayerRecord) -> bytes:
    """The record under a key of 32 bytes that seals no other player's: nonce, then ciphertext and tag."""
    document, size = {"name": record.name, "app": record.app, "created_at": record.created_at}, PADDED_SIZE
    if record.display_name is not None:
        document["display_name"], size = record.display_name, WITH_DISPLAY_NAME
    nonce = randomness.token_bytes(NONCE_SIZE)
    return nonce + AESGCM(key).encrypt(nonce, orjson.dumps(document).ljust(size), player_id.encode())


def unseal(player_id: str, key: bytes, sealed: bytes) -> PlayerRecord | None:
    """The record; None where the key is not its key, or it is not this player's."""
    try:
        plain = AESGCM(key).decrypt(sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], player_id.encode())
    except (InvalidTag, ValueError):
        return None
    return PlayerRecord(**orjson.loads(plain))
