"""An app's own data about one of its games: their stored form, and the index that finds the game by them."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

import orjson

from domain.errors import invalid
from domain.lifecycle import Json
from events.features.members import member_of
from events.features.metadata import Change, Metadata, merged

MOST_BYTES: Final = 64 * 1024  # bytes of one record
EXTERNAL_ID: Final = "external_id"
METADATA: Final = "metadata"


@dataclass(frozen=True, slots=True)
class OwnData:
    """An app's own data about a game; `seats` has the metadata of each seat that has some."""

    external_id: str | None = None
    metadata: Metadata = field(default_factory=dict)
    seats: Mapping[int, Metadata] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.external_id is not None or self.metadata or self.seats)

    def show(self, document: Json) -> None:
        """Add the data to a document about the game, and to the seats in it."""
        if self.external_id is not None:
            document[EXTERNAL_ID] = self.external_id
        if self.metadata:
            document[METADATA] = dict(self.metadata)
        for seat in document.get("seats", ()) if self.seats else ():
            if seat["seat"] in self.seats:
                seat[METADATA] = dict(self.seats[seat["seat"]])


NOTHING: Final = OwnData()


@dataclass(frozen=True, slots=True)
class OwnDataChange:
    """A change of own data. `parts` are the members that change; None removes one."""

    parts: Mapping[str, Any] = field(default_factory=dict)
    seats: Mapping[int, Change | None] = field(default_factory=dict)

    def of(self, known: OwnData) -> OwnData:
        """The data after the change. Raises DomainError "validation-error" for too many keys."""
        seats = dict(known.seats)
        for at, (seat, change) in enumerate(self.seats.items()):
            seats[seat] = merged(seats.get(seat, {}), change, f"seats.{at}.{METADATA}")
        return OwnData(
            self.parts.get(EXTERNAL_ID, known.external_id),
            merged(known.metadata, self.parts.get(METADATA, {}), METADATA),
            {seat: metadata for seat, metadata in sorted(seats.items()) if metadata},
        )


@dataclass(frozen=True, slots=True)
class Record:
    """Own data as they are stored. `at`: when the game was created, in milliseconds.

    `request`: the fingerprint of the request that created the game with these data; "" if it was created without them.
    """

    at: int
    request: str
    own: OwnData

    def packed(self) -> bytes:
        """The record as JSON, always the same bytes; b"" without data. DomainError "validation-error" if it is too
        long.
        """
        own = self.own
        if not own:
            return b""
        kept: Json = {"at": self.at, "request": self.request}
        if own.external_id is not None:
            kept[EXTERNAL_ID] = own.external_id
        if own.metadata:
            kept[METADATA] = own.metadata
        if own.seats:
            kept["seats"] = {str(seat): metadata for seat, metadata in own.seats.items()}
        packed = orjson.dumps(kept)
        if len(packed) > MOST_BYTES:
            message = f"All metadata of a game and its seats together may have {MOST_BYTES} bytes as JSON."
            raise invalid(METADATA, message)
        return packed

    def entries(self, game_id: str) -> set[str]:
        """Members of the index by which the game is found."""
        return {f"{mark}:{member_of(self.at, game_id)}" for mark in marks_of(self.own)}

    def without_seats(self, seats: set[int]) -> "Record":
        """The same without the metadata of these seats."""
        left = {seat: metadata for seat, metadata in self.own.seats.items() if seat not in seats}
        return replace(self, own=replace(self.own, seats=left))


def unpacked(packed: bytes) -> Record:
    """The record from its JSON. Raises ValueError and the like for foreign data."""
    kept = orjson.loads(packed)
    seats = {int(seat): dict(metadata) for seat, metadata in kept.get("seats", {}).items()}
    own = OwnData(kept.get(EXTERNAL_ID), dict(kept.get(METADATA, {})), seats)
    return Record(int(kept["at"]), str(kept["request"]), own)


def marks_of(own: OwnData) -> list[str]:
    """The marks by which the index finds a game with these data; that of the external id first."""
    marks = [] if own.external_id is None else [mark_of(EXTERNAL_ID, own.external_id)]
    return marks + [mark_of(METADATA, key, value) for key, value in own.metadata.items()]


def mark_of(*parts: str) -> str:
    """The mark of a value: 128 bits of the SHA-256 of its kind, its key and the value, in base64url."""
    return urlsafe_b64encode(sha256(orjson.dumps(parts)).digest()[:16]).decode().rstrip("=")
