# compiled into recording
"""The events of one append as an entry of a game's stream: without the parts that follow from the rest.

The entry's id is `V-N`: it holds N events, of which the last has version V. Its fields are, in this order,

    events   lines: the time of the events that follow, as in 2026-11-21T10:00:00.123Z; then, for each event,
             `type schema seat data`, as in `card_discarded 1 0 {"card":"HUN"}`
    heads    for each event the chain's head after it, 32 bytes
    command  the id of the command that caused the events

From an event's line, its time and its version follow its canonical bytes; from those and the game's seed its salt and
its commitment; and by these and the head before it, its head is checked.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from domain.lifecycle import EventRecord
from events.errors import CorruptStream, StoreOfNoRelease
from events.log.chain import canonical
from events.log.envelope import RecordedEvent, template_of
from events.log.stored_form import Entry

HEAD: Final = 32  # bytes of a head
FIELDS: Final = (b"events", b"heads", b"command")
FIELDS_OF_0_1_0: Final = (b"event", b"seal", b"command")

RawEntry = Sequence[Any]  # as a reply has it: id; names and values in turn

# For scripts: whether an entry ends with a head, which is given as 32 bytes.
ENDS_WITH = """
local function ends_with(entry, head) return string.sub(entry[2][4], -32) == head end
"""


def place(entry_id: bytes) -> tuple[int, int]:
    """The versions of the first and the last event of the entry."""
    last, _, count = entry_id.partition(b"-")
    return int(last) - int(count) + 1, int(last)


def last_entry(stream: str) -> tuple[str | int, ...]:
    """The request for the last entry of a stream; its reply is a list of one, or empty."""
    return ("XREVRANGE", stream, "+", "-", "COUNT", 1)


def version_of(entries: Sequence[RawEntry]) -> int:
    """The version of a game, of whose stream these are the last entry, or none."""
    return place(entries[0][0])[1] if entries else 0


def packed_events(events: Sequence[RecordedEvent]) -> bytes:
    """The field `events` of an append. Raises ValueError for an event whose type is no plain name, and TypeError as
    the canonical form does: it could not be read again.
    """
    parts, time = list[bytes](), ""
    for event in events:
        if event.at != time:
            time = event.at
            parts.append(time.encode())
        record = event.record
        template = event.template or template_of(record.type, record.schema, record.seat)
        if not template.is_plain:
            raise ValueError(f"An event's type cannot be {record.type!r}.")
        parts.append(template.line + (event.written or canonical(record.data)))
    return b"\n".join(parts)


def packed_heads(events: Sequence[RecordedEvent]) -> bytes:
    """The field `heads` of an append."""
    return b"".join([event.digest or bytes.fromhex(event.head) for event in events])


def events_of(raw: RawEntry) -> list[RecordedEvent]:
    """The events of an entry; CorruptStream if it is none, or does not stand in its place, StoreOfNoRelease."""
    entry_id, fields = raw
    first, last = place(entry_id)
    if tuple(fields[::2]) == FIELDS_OF_0_1_0:
        raise StoreOfNoRelease
    try:
        _, lines, _, heads, _, command = fields
        events = _events(first, lines, heads.hex(), command.decode())
    except ValueError:
        events = []
    if (
        tuple(fields[::2]) != FIELDS
        or len(events) != last - first + 1
        or len(heads) != HEAD * len(events)
        or not events[0].at
    ):
        raise CorruptStream(f"Entry {entry_id.decode()} of a stream is none that this engine has written.")
    return events


def entries_of(raw: RawEntry) -> list[Entry]:
    """Every event of a stream's entry in its stored form. Raises as `events_of`."""
    command = raw[1][-1]
    return [Entry(event.committed, event.head.encode(), command) for event in events_of(raw)]


def _events(first: int, lines: bytes, heads: str, command: str) -> list[RecordedEvent]:
    """The events of these lines, of which the first has that version; ValueError."""
    events, version, at, begins = list[RecordedEvent](), first, "", b""
    for line in lines.split(b"\n"):
        if line < b":":  # it begins with a digit
            at, begins = line.decode(), b'{"at":"' + line + b'","data":'
            continue
        place_of_data = line.index(b" {") + 1
        kind, schema, seat, ends = _beginning_read(line[:place_of_data])
        data = line[place_of_data:]
        record = EventRecord(kind, schema, seat, orjson.loads(data))
        head = heads[2 * HEAD * len(events) : 2 * HEAD * len(events) + 2 * HEAD]
        committed = begins + data + ends + b"%d}" % version
        events.append(RecordedEvent(version, at, record, command, head, committed))
        version += 1
    return events


@lru_cache(maxsize=1024)  # there are a few dozen of them
def _beginning_read(beginning: bytes) -> tuple[str, int, int | None, bytes]:
    """Type, schema and seat from the beginning of a line, and what follows the data in the event's canonical bytes, up
    to the version; ValueError.
    """
    kind, schema, seat, _ = beginning.decode().split(" ")
    ends = f',"schema":{schema},"seat":{seat},"type":"{kind}","version":'
    return kind, int(schema), None if seat == "null" else int(seat), ends.encode()
