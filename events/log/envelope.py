"""The envelope: what is recorded around every event, and the sealing that ties it to all before it."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.chance import commitment_of
from domain.lifecycle import EventRecord, Json
from domain.value import Value
from events.errors import CorruptStream
from events.log import chain


class StreamHead(NamedTuple):
    """Where a stream ends: the last version and the chain's head there."""

    version: int
    head: str


EMPTY = StreamHead(0, chain.GENESIS.hex())


class RecordedEvent(Value):
    """An event in its envelope, as it is committed to and kept. Times are RFC 3339 UTC; digests lower-case hex."""

    __match_args__ = ("version", "at", "record", "command", "salt", "commitment", "head", "committed")

    def __init__(
        self,
        version: int,
        at: str,
        record: EventRecord,  # the event as its game wrote it
        command: str | None,
        salt: str,
        commitment: str,
        head: str,
        committed: bytes,  # the canonical bytes that the commitment is of
    ) -> None:
        self.version = version
        self.at = at
        self.record = record
        self.command = command
        self.salt = salt
        self.commitment = commitment
        self.head = head
        self.committed = committed

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
        """What its game recorded."""
        return self.record.data

    @property
    def stream_head(self) -> StreamHead:
        """The stream's end if this is its last event."""
        return StreamHead(self.version, self.head)


def seal(
    game_id: str, seed: bytes, stream_head: StreamHead, at: str, command: str, records: Sequence[EventRecord]
) -> list[RecordedEvent]:
    """The events in their envelopes, committed to and chained to what stands at `stream_head`."""
    version, head = stream_head.version, bytes.fromhex(stream_head.head)
    salts, sealed = chain.Salts(seed, game_id), list[RecordedEvent]()
    for record in records:
        version += 1
        type_, schema, seat, data = record
        committed = chain.event_bytes(version, type_, schema, at, seat, data)
        salt, commitment, head = chain.sealed(salts, version, head, committed)
        sealed.append(
            RecordedEvent(
                version,
                at,
                record,
                command,
                salt.hex(),
                commitment.hex(),
                head.hex(),
                committed,
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
    """The head after the events, given the one before; CorruptStream unless each is what its commitment says, and
    follows on the one before.
    """
    salts = chain.Salts(seed, game_id)
    for event in events:
        salt, commitment, head = chain.sealed(salts, event.version, head, event.committed)
        if (event.salt, event.commitment, event.head) != (salt.hex(), commitment.hex(), head.hex()):
            raise CorruptStream(f"Event {event.version} of game {game_id} is not what the chain says it is.")
    return head
