# compiled into recording
"""The envelope: the record around every event, and the sealing that ties it to all earlier events."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import orjson

from domain.chance import commitment_of
from domain.game import Rules
from domain.lifecycle import SEALED_CREATION, EventRecord, Json
from domain.value import Value
from events.errors import CorruptStream
from events.log import chain, leaves
from events.log.leaves import Leaf


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
        # Of the canonical bytes, what stands between the data and the version; of those that are committed to in form
        # 2, what stands there in two parts, with the digests between them, and where there are none.
        self.end = f',"schema":{schema},"seat":{place},"type":{name},"version":'.encode()
        self.before_sealed = f',"schema":{schema},"sealed":'.encode()
        self.after_sealed = f',"seat":{place},"type":{name},"version":'.encode()
        self.nothing_sealed = self.before_sealed + b"{}" + self.after_sealed
        # Of the document that goes out, what stands before and after the time.
        self.before_time = f',"type":{name},"schema":{schema},"at":"'.encode()
        self.after_time = f'","seat":{place},"data":'.encode()


@lru_cache(maxsize=1024)  # there are a few dozen of them
def template_of(kind: str, schema: int, seat: int | None) -> EventTemplate:
    """The template of such events."""
    return EventTemplate(kind, schema, seat)


class Closed:
    """An event in form 2: its leaves, their digests as JSON, and its data as everybody sees them while the game runs,
    which are the record's own where nothing is hidden.
    """

    def __init__(self, leaves: list[Leaf], sealed: bytes, public: Json) -> None:
        self.leaves = leaves
        self.sealed = sealed
        self.public = public


class RecordedEvent(Value):
    """An event in its envelope, as it is committed to and kept. Times are RFC 3339 UTC; digests lower-case hex.

    `salt` and `commitment` are there if they had to be found anyway, or else "": they follow from the rest and the
    game's seed (`proof`), and so make no difference. The same is true of `written`, the canonical bytes of the data
    alone, and `template`, which follow from the record; of `digest`, the bytes of its head; and in a game of form 2 of
    `closed_to`, None until it is found (`closed`).
    """

    __match_args__ = ("version", "at", "record", "command", "head", "committed")

    def __init__(
        self,
        version: int,
        at: str,
        record: EventRecord,  # the event as its game wrote it
        command: str | None,
        head: str,
        committed: bytes,  # the canonical bytes of the event, hidden members and all
        salt: str = "",
        commitment: str = "",
        written: bytes = b"",
        template: EventTemplate | None = None,
        digest: bytes = b"",
        closed_to: Closed | None = None,
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
        self.digest = digest
        self.closed_to = closed_to

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
        """The event's salt and commitment in form 1, from the game's id and seed."""
        if self.commitment:
            return self.salt, self.commitment
        salt = chain.salts_of(game_id, seed).of(self.version)
        return salt.hex(), chain.commit(salt, self.committed).hex()

    def closed(self, game: Rules, game_id: str, seed: bytes) -> Closed:
        """The event in form 2, found at the first call; `commitment` is there from then on."""
        kept = self.closed_to
        if kept is None:
            record = self.record
            salts, template = (
                chain.salts_of(game_id, seed),
                template_of(record.type, record.schema, record.seat),
            )
            begins = b'{"at":"' + self.at.encode() + b'","data":'
            kept, commitment = _closed(game, salts, begins, self.version, record, template, b"")
            self.closed_to, self.commitment = kept, commitment.hex()
        return kept


NO_LEAVES: Final = list[Leaf]()  # shared, not to be changed


def _closed(
    game: Rules,
    salts: chain.Salts,
    begins: bytes,
    version: int,
    record: EventRecord,
    template: EventTemplate,
    written: bytes,
) -> tuple[Closed, bytes]:
    """An event in form 2, and its commitment.

    `begins`: the canonical bytes up to the data; `written`: those of the whole data, if they are known.
    """
    shown, hidden = game.redact(record, None)
    if not hidden:
        data = written or chain.canonical(record.data)
        committed = b"".join((begins, data, template.nothing_sealed, str(version).encode(), b"}"))
        return Closed(NO_LEAVES, b"{}", record.data), chain.digest_of(committed)
    number, name = str(version).encode(), hidden[0]
    if len(hidden) == 1 and shown[name] is None and record.data[name] is not None:  # as most have
        member = leaves.hidden_whole(name)
        only = member.leaf(salts, number, record.data[name])
        closed_to, sealed = [only], b"".join((member.before_hex, only.digest.encode(), b'"}'))
    else:
        closed_to = leaves.found(salts, version, record.data, shown, hidden)
        sealed = leaves.json_of(leaves.sealed(closed_to))
    parts = (
        begins,
        chain.canonical(shown),
        template.before_sealed,
        sealed,
        template.after_sealed,
        number,
        b"}",
    )
    return Closed(closed_to, sealed, shown), chain.digest_of(b"".join(parts))


def seals_of(created: EventRecord) -> int:
    """The form of a game's commitments, from its first event."""
    return chain.SEALS if created.data.get("seals") == chain.SEALS else chain.FORMER


def in_form_2(created: EventRecord) -> EventRecord:
    """The first event of a game of form 2, which names that form.

    Its schema is another one, so that a release which does not know the form refuses the game.
    """
    kind, schema = SEALED_CREATION
    return EventRecord(kind, schema, created.seat, {**created.data, "seals": chain.SEALS})


def seal(
    game_id: str,
    seed: bytes,
    stream_head: StreamHead,
    at: str,
    command: str,
    records: Sequence[EventRecord],
    game: Rules | None = None,
) -> list[RecordedEvent]:
    """The events in their envelopes, committed to and chained to `stream_head`.

    `game`: its rules, which say what is hidden, in form 2 of commitments; None in form 1.
    """
    version, head = stream_head.version, bytes.fromhex(stream_head.head)
    if version == 0 and game is not None:
        head = chain.GENESIS_OF[chain.SEALS]
    salts, sealed = chain.salts_of(game_id, seed), list[RecordedEvent]()
    begins = b'{"at":"' + at.encode() + b'","data":'
    for record in records:
        version += 1
        kind, schema, seat, data = record.type, record.schema, record.seat, record.data
        template = template_of(kind, schema, seat)
        written = chain.canonical(data)
        # The same as `chain.event_bytes`, of which most is known already.
        committed = b"".join((begins, written, template.end, str(version).encode(), b"}"))
        salt, closed_to = "", None
        if game is not None:
            closed_to, commitment = _closed(game, salts, begins, version, record, template, written)
            head = chain.link(head, commitment)
        else:
            salted, commitment, head = chain.sealed(salts, version, head, committed)
            salt = salted.hex()
        sealed.append(
            RecordedEvent(
                version,
                at,
                record,
                command,
                head.hex(),
                committed,
                salt,
                commitment.hex(),
                written,
                template,
                head,
                closed_to,
            )
        )
    return sealed


def check_seed(game_id: str, events: Sequence[RecordedEvent], seed: bytes) -> None:
    """CorruptStream unless the seed is the one that the game's first event commits to."""
    if not events:
        raise CorruptStream(f"Game {game_id} has no events.")
    if (commitment := events[0].data.get("commitment", "")) != commitment_of(seed):
        raise CorruptStream(f"Game {game_id} committed to another seed ({str(commitment)[:16]}...).")


def check_chain(game: Rules, game_id: str, events: Sequence[RecordedEvent], seed: bytes) -> None:
    """CorruptStream unless each of a game's events is what its head says, and follows on the one before."""
    head, seals = chain.GENESIS, chain.FORMER
    salts = chain.salts_of(game_id, seed)
    for event in events:
        if event.version == 1:
            seals = seals_of(event.record)
            head = chain.GENESIS_OF[seals]
        if seals == chain.SEALS:
            event.closed(game, game_id, seed)
            head = chain.link(head, bytes.fromhex(event.commitment))
        else:
            _, _, head = chain.sealed(salts, event.version, head, event.committed)
        if event.head != head.hex():
            raise CorruptStream(f"Event {event.version} of game {game_id} is not what the chain says it is.")
