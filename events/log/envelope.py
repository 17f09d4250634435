# compiled into recording
"""The envelope: the record around every event, and the sealing that ties it to all earlier events."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import orjson

from domain.chance import commitment_of
from domain.lifecycle import EventRecord, Json
from domain.value import Value
from events.errors import CorruptStream
from events.log import chain


class StreamHead(NamedTuple):
    """End of a stream: the last version and the chain's head there."""

    version: int
    head: str


EMPTY = StreamHead(0, chain.GENESIS.hex())


class EventTemplate:
    """Common bytes of all events of one type, schema and seat."""

    def __init__(self, kind: str, schema: int, seat: int | None) -> None:
        name, place = orjson.dumps(kind).decode(), "null" if seat is None else str(seat)
        self.line = f"{kind} {schema} {place} ".encode()  # it begins so in a stream
        self.is_plain = kind.isidentifier()  # else that could not be read again
        # Of the canonical bytes, what stands between the data and the version.
        self.end = f',"schema":{schema},"seat":{place},"type":{name},"version":'.encode()
        # Of the document that goes out, what stands before and after the time.
        self.before_time = f',"type":{name},"schema":{schema},"at":"'.encode()
        self.after_time = f'","seat":{place},"data":'.encode()


@lru_cache(maxsize=1024)  # there are a few dozen of them
def template_of(kind: str, schema: int, seat: int | None) -> EventTemplate:
    """The template of such events."""
    return EventTemplate(kind, schema, seat)


class RecordedEvent(Value):
    """An event in its envelope, as it is committed to and kept. Times are RFC 3339 UTC; digests lower-case hex.

    `salt` and `commitment` are there if they had to be found anyway, or else "": they follow from the rest and the
    game's seed (`proof`), and so make no difference. The same is true of `written`, the canonical bytes of the data
    alone, and `template`, which follow from the record.
    """

    __match_args__ = ("version", "at", "record", "command", "head", "committed")

    def __init__(
        self,
        version: int,
        at: str,
        record: EventRecord,  # the event as its game wrote it
        command: str | None,
        head: str,
        committed: bytes,  # the canonical bytes that the commitment is of
        salt: str = "",
        commitment: str = "",
        written: bytes = b"",
        template: EventTemplate | None = None,
    ) -> None:
        self.version = version
        self.at = at
        self.record = record
        self.command = command
        self.head = head
        self.committed = committed
        self.salt = salt
        self.commitment = commitment
        self.written = written
        self.template = template

    @property
    def type(self) -> str:
        """The event's type, as in "bird_played"."""
        return self.record.type

    @property
    def schema(self) -> int:
        """The number of the schema that its data has."""
        return self.record.schema

    @property
    def seat(self) -> int | None:
        """The seat that caused it; None where none did."""
        return self.record.seat

    @property
    def data(self) -> Json:
        """Data that the game recorded."""
        return self.record.data

    @property
    def stream_head(self) -> StreamHead:
        """The stream's end if this is its last event."""
        return StreamHead(self.version, self.head)

    def proof(self, game_id: str, seed: bytes) -> tuple[str, str]:
        """Its salt and its commitment, from the game's id and seed."""
        if self.commitment:
            return self.salt, self.commitment
        salt = chain.salts_of(game_id, seed).of(self.version)
        return salt.hex(), chain.commit(salt, self.committed).hex()


def seal(
    game_id: str, seed: bytes, stream_head: StreamHead, at: str, command: str, records: Sequence[EventRecord]
) -> list[RecordedEvent]:
    """The events in their envelopes, committed to and chained to `stream_head`."""
    version, head = stream_head.version, bytes.fromhex(stream_head.head)
    salts, sealed = chain.salts_of(game_id, seed), list[RecordedEvent]()
    begins = b'{"at":"' + at.encode() + b'","data":'
    for record in records:
        version += 1
        kind, schema, seat, data = record.type, record.schema, record.seat, record.data
        template = template_of(kind, schema, seat)
        written = chain.canonical(data)
        # The same as `chain.event_bytes`, of which most is known already.
        committed = b"".join((begins, written, template.end, str(version).encode(), b"}"))
        salt, commitment, head = chain.sealed(salts, version, head, committed)
        sealed.append(
            RecordedEvent(
                version,
                at,
                record,
                command,
                head.hex(),
                committed,
                salt.hex(),
                commitment.hex(),
                written,
                template,
            )
        )
    return sealed


def check_seed(game_id: str, events: Sequence[RecordedEvent], seed: bytes) -> None:
    """CorruptStream unless the seed is the one that the game's first event commits to."""
    if not events:
        raise CorruptStream(f"Game {game_id} has no events.")
    if (commitment := events[0].data.get("commitment", "")) != commitment_of(seed):
        raise CorruptStream(f"Game {game_id} committed to another seed ({str(commitment)[:16]}...).")


def check_chain(
    game_id: str, events: Sequence[RecordedEvent], seed: bytes, head: bytes = chain.GENESIS
) -> bytes:
    """The head after the events, given the one before; CorruptStream unless each is what its head says, and follows
    on the one before. Where salt and commitment were kept, they are checked, too.
    """
    salts = chain.salts_of(game_id, seed)
    for event in events:
        salt, commitment, head = chain.sealed(salts, event.version, head, event.committed)
        proof = (salt.hex(), commitment.hex())
        if event.head != head.hex() or (event.commitment and (event.salt, event.commitment) != proof):
            raise CorruptStream(f"Event {event.version} of game {game_id} is not what the chain says it is.")
    return head
