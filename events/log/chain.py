# compiled into recording
"""The audit chain, as pure functions of bytes: canonical JSON, salt, commitment, head.

For event `v`:

    head(v) = SHA-256(head(v - 1) || commitment(v))

A game is recorded in one of two forms; the member `seals` of its first event's data says in which.

* Form 2: every member that a viewer sees is bound when it is shown (`events.log.leaves` has the commitment). head(0) is
  31 zero bytes and the byte 2, so no event of such a game can be passed off as one of form 1.
* Form 1, of games without that member: with the secret seed `s`

      salt(v)       = HMAC-SHA256(s, "salt:" + game id + ":" + v)
      commitment(v) = SHA-256(salt(v) || canonical(event v)),  head(0) = 32 zero bytes

Digests enter the hash as their 32 bytes. The canonical form is RFC 8785 (JCS) of the whole event: its members version,
type, schema, at, seat and data.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.keyed_hash import KeyedHash

FORMER: Final = 1  # the form of games whose first event names none
SEALS: Final = 2  # the form of new games
GENESIS: Final = bytes(32)
GENESIS_OF: Final[Mapping[int, bytes]] = {FORMER: GENESIS, SEALS: bytes(31) + b"\x02"}  # head(0), by form
_dumps: Final = orjson.dumps  # compiled code needs no lookup of a Final
_sha256: Final = sha256
_CANONICAL: Final[int] = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


def canonical(document: Mapping[str, Any]) -> bytes:
    """RFC 8785 bytes of a document without floats whose keys are ASCII: for those sorted, compact JSON is the same.

    Raises TypeError for integers beyond 53 bits and for lone surrogates, which RFC 8785 has no form for either.
    """
    return _dumps(document, None, _CANONICAL)


def canonical_json(value: Any) -> bytes:
    """RFC 8785 bytes of any such value. Raises as `canonical`."""
    return _dumps(value, None, _CANONICAL)


def event_bytes(
    version: int, kind: str, schema: int, at: str, seat: int | None, data: Mapping[str, Any]
) -> bytes:
    """The canonical bytes of an event, to which its commitment commits. Raises as `canonical`."""
    return canonical(
        {"version": version, "type": kind, "schema": schema, "at": at, "seat": seat, "data": data}
    )


class Salts:
    """The salts of one game: 32 bytes each. Because of its salt, an event's commitment reveals nothing of the event's
    hidden members.
    """

    def __init__(self, seed: bytes, game_id: str) -> None:
        """`seed`: the game's server seed."""
        self._keyed = KeyedHash(seed, f"salt:{game_id}:".encode())

    def of(self, version: int) -> bytes:
        """The salt of the event of that version."""
        return self._keyed.digest(str(version).encode())

    def of_number(self, version: bytes) -> bytes:
        """The salt of the event of a version that is given in decimal digits."""
        return self._keyed.digest(version)

    def of_leaf(self, version: int, pointer: str) -> bytes:
        """The salt of a leaf of that event, in form 2."""
        return self._keyed.digest(f"{version}:{pointer}".encode())


@lru_cache(maxsize=1024)
def salts_of(game_id: str, seed: bytes) -> Salts:
    """The salts of a game; kept for a while, because a game that is asked for is soon asked for again."""
    return Salts(seed, game_id)


def digest_of(committed: bytes) -> bytes:
    """SHA-256 of those bytes."""
    return _sha256(committed).digest()


def commit(salt: bytes, committed: bytes) -> bytes:
    """The commitment to an event, given its canonical bytes."""
    return _sha256(salt + committed).digest()


def link(head: bytes, commitment: bytes) -> bytes:
    """The chain's head after an event."""
    return _sha256(head + commitment).digest()


def sealed(salts: Salts, version: int, head: bytes, committed: bytes) -> tuple[bytes, bytes, bytes]:
    """Salt and commitment of an event, given its canonical bytes, and the chain's head after it; `head`: before it."""
    salted = salts.of(version)
    commitment = commit(salted, committed)
    return salted, commitment, link(head, commitment)
