"""Exports taken apart, changed, and put together again: as they are, or sealed anew by whoever knows the seed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from domain.lifecycle import EventRecord, Json
from domain.migrato.game import MIGRATO
from events.log import chain
from events.log.export import line
from events.log.seeds import move_seed
from events.times import timestamp
from tests.audit.games import KEY, SIGNER, parsed


@dataclass(slots=True)
class Parts:
    """A whole export as documents that may be changed."""

    header: Json
    events: list[Json]
    end: Json

    @property
    def file(self) -> bytes:
        """Put together as it is."""
        return b"".join(line(document) for document in (self.header, *self.events, {"end": self.end}))

    def first(self, kind: str, which: Callable[[Json], bool] = lambda event: True) -> Json:
        """The first event of that type (for which something holds)."""
        return next(event for event in self.events if event["type"] == kind and which(event))

    def last(self, kind: str) -> Json:
        """The last event of that type."""
        return next(event for event in reversed(self.events) if event["type"] == kind)

    def reseal(self, seed: bytes | None = None, salt: Callable[[int], bytes] | None = None) -> "Parts":
        """Versions, salts, commitments, heads and the end's made to fit the events, as the operator could."""
        seed = bytes.fromhex(self.end["server_seed"]) if seed is None else seed
        head = chain.GENESIS
        for version, event in enumerate(self.events, 1):
            event["version"] = version
            salted = chain.Salts(seed, self.header["game_id"]).of(version) if salt is None else salt(version)
            names = ("version", "type", "schema", "at", "seat", "data")
            commitment = chain.commit(salted, chain.canonical({name: event[name] for name in names}))
            head = chain.link(head, commitment)
            event |= {"salt": salted.hex(), "commitment": commitment.hex(), "head": head.hex()}
        self.end |= {"version": len(self.events), "head": head.hex()}
        return self

    def sign(self) -> "Parts":
        """The last head signed again, with the operator's key."""
        signed = SIGNER.sign(self.header["game_id"], self.end["version"], self.end["head"])
        self.header |= {"key_id": KEY["kid"], "public_key": KEY}
        self.end["signature"] = {"key_id": signed.key_id, "signature": signed.signature}
        return self


def parts(export: bytes) -> Parts:
    """The export taken apart."""
    one = parsed(export)
    events: list[Any] = [orjson.loads(event) for event in one.events]
    return Parts(orjson.loads(one.header), events, orjson.loads(one.end)["end"])


def as_person(export: Parts, *seats: int) -> bytes:
    """Bots' seats called people's, and nothing said of how their moves were chosen."""
    for seat in seats:
        export.events[0]["data"]["seats"][seat] |= {"kind": "human", "bot": None}
    left_out = [e for e in export.events if e["type"] == "move_chosen" and e["seat"] in seats]
    export.events = [event for event in export.events if event not in left_out]
    seed, game_id = bytes.fromhex(export.end["server_seed"]), export.header["game_id"]
    for version, event in enumerate(export.events, 1):  # another bot's seeds are those of its new places
        if event["type"] == "move_chosen":
            event["data"]["seed"] = move_seed(seed, game_id, version - 1)
    return timed(export, timedelta(milliseconds=10)).reseal().sign().file


def timed(export: Parts, step: timedelta) -> Parts:
    """Each move so long after the one before; what follows from a move has its time."""
    now, before = datetime(2026, 1, 1, tzinfo=UTC), None
    for event in export.events:
        wire = EventRecord(event["type"], event["schema"], event["seat"], event["data"])
        if before is None or not MIGRATO.is_consequence(before, wire):
            now += step
        before = wire
        event["at"] = timestamp(now)
    return export
