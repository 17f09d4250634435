# compiled into recording
"""The short way of an audit: a game is written again from its moves, and has no fault if it is the same to the last
byte.

Moves and times are taken from the lines, and all else follows: the events from the rules, salts from the seed,
commitments and heads from the events. Lines that equal the result pass every check of events, and those that only
follow from a move need not even be read. If lines differ, the short way does not say how: the long way finds the fault.
"""

from binascii import hexlify
from hashlib import sha256
from typing import Final

import orjson

from domain.annotations import BEFORE_A_MOVE
from domain.lifecycle import EventRecord, Json
from events.audit.findings import CheckFailed
from events.audit.replay import Replay
from events.audit.stream_verifier import KeptHead, ReadEvent, is_time
from events.log import chain, leaves
from events.log.envelope import EventTemplate, template_of

_sha256: Final = sha256  # compiled code needs no lookup of a Final
_hex: Final = hexlify

# What unchecked lines can lead to; the long way then names it.
_UNFIT: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    CheckFailed,
)

# A line of the engine's: {"at":"..","commitment":"..","data":..,"head":"..","redacted":[],"salt":"..","schema":..}; in
# form 2 of commitments ..,"redacted":[],"salts":{..},"schema":..,"sealed":{..},"seat":..}
_DATA: Final = 120  # where they begin
_HEAD: Final = b',"head":"'  # what comes after them
_BEFORE_THE_SCHEMA: Final = 162  # bytes from there: head, redacted and salt
_BEFORE_THE_SALTS: Final = 97  # bytes from there, in form 2
_NO_SALTS: Final = b"{}"
_SCHEMA: Final = b',"schema":'
_SEALED: Final = b',"sealed":{'
_SEAT: Final = b',"seat":'
_SHORT: Final = 100  # bytes of what is worth remembering
_MOST: Final = 4096  # of these
# What short data say, and type, schema and seat by how they are written; they recur in game after game.
_data_of: Final = dict[bytes, Json]()
_kinds_of: Final = dict[bytes, tuple[str, int, int | None]]()


class Rewriting:
    """A game that is written again, some commands at a time."""

    def __init__(self, replay: Replay, game_id: str, seed: bytes, seals: int, lines: list[bytes]) -> None:
        """`seals`: the form of the game's commitments."""
        self._replay = replay
        self._redact = replay.game.redact
        self._seals = seals
        self._lookahead = dict(replay.lookahead)
        self._salts = chain.Salts(seed, game_id)
        self._lines = lines
        self._read = dict[int, ReadEvent]()  # lines that were looked at before their turn
        self._templates = dict[tuple[str, int | None], EventTemplate]()
        self._time = b""  # that of the last command, as text, and how lines and committed bytes of it begin
        self._at = ""
        self._begin = b""
        self._dated = b""
        self._version = 0
        self._head = chain.GENESIS_OF[seals]
        self._differs = False

    @property
    def head(self) -> KeptHead | None:
        """The head that the lines lead to, once they are gone through, if they are what the engine writes; else None,
        and the replay is void.
        """
        return None if self._differs else KeptHead(self._version, self._head.hex(), self._seals)

    def go_on(self, commands: int) -> bool:
        """Write the events of so many commands; True if there is more to do."""
        try:
            while commands > 0 and self._version < len(self._lines):
                if not self._is_same():
                    self._differs = True
                    return False
                commands -= 1
        except _UNFIT:
            self._differs = True
            return False
        return self._version < len(self._lines)

    def _is_same(self) -> bool:
        """Write the next command's lines; True if they are the same as the file's."""
        version, lines, replay = self._version, self._lines, self._replay
        read = self._read.pop(version, None) if self._read else None
        if read is None:
            read = self._event(version)
        if read.at != self._at and not self._dates(read.at):
            return False
        for event, record in replay.decided(read, self._following(read.type)):
            if self._line(record, version + 1) != lines[version]:
                return False
            if self._read:
                self._read.pop(version, None)
            version += 1
            replay.happened(event, record, version)
        self._version = version
        return True

    def _dates(self, at: str) -> bool:
        """Write the following lines with that time; False if the text is no time."""
        if not is_time(at):
            return False
        self._at, self._time = at, at.encode()
        self._begin = b"".join([b'{"at":"', self._time, b'","commitment":"'])
        self._dated = b"".join([b'{"at":"', self._time, b'","data":'])
        return True

    def _following(self, kind: str) -> list[ReadEvent]:
        """The events after the next one, as many as must be known to find the command of such an event."""
        following = list[ReadEvent]()
        needed, at = self._lookahead.get(kind, 0), self._version + 1
        while needed > 0 and at < len(self._lines):
            event = self._read.get(at)
            if event is None:
                event = self._read[at] = self._event(at)
            following.append(event)
            at += 1
            needed -= 1
            if kind == BEFORE_A_MOVE:  # the move says how many come after it
                kind = event.type
                needed = self._lookahead.get(kind, 0)
        return following

    def _line(self, record: EventRecord, version: int) -> bytes:
        """The event's line of an export, its members in their order; the head is then the one after it.

        It does by hand what `chain.event_bytes` and `chain.sealed` do, so that the data are written once, not twice.
        """
        template = self._templates.get((record.type, record.seat))
        if template is None:
            template = template_of(record.type, record.schema, record.seat)
            self._templates[record.type, record.seat] = template
        number, written = str(version).encode(), chain.canonical(record.data)
        if self._seals == chain.SEALS:
            return self._line_of_2(record, version, template, number, written)
        end, salt = template.end, self._salts.of_number(number)
        commitment = _sha256(b"".join([salt, self._dated, written, end, number, b"}"])).digest()
        self._head = head = _sha256(self._head + commitment).digest()
        return b"".join(
            [
                self._begin,
                _hex(commitment),
                b'","data":',
                written,
                _HEAD,
                _hex(head),
                b'","redacted":[],"salt":"',
                _hex(salt),
                b'"',
                end,
                number,
                b"}",
            ]
        )

    def _line_of_2(
        self, record: EventRecord, version: int, template: EventTemplate, number: bytes, written: bytes
    ) -> bytes:
        """The event's line in form 2. It does by hand what `envelope.seal` does."""
        shown, hidden = self._redact(record, None)
        if not hidden:
            ends, salts = template.nothing_sealed, _NO_SALTS
            committed = b"".join([self._dated, written, ends, number, b"}"])
        else:
            sealed, salts = self._leaves(record, version, number, shown, hidden)
            ends = b"".join([template.before_sealed, sealed, template.after_sealed])
            committed = b"".join([self._dated, chain.canonical(shown), ends, number, b"}"])
        commitment = _sha256(committed).digest()
        self._head = head = _sha256(self._head + commitment).digest()
        return b"".join(
            [
                self._begin,
                _hex(commitment),
                b'","data":',
                written,
                _HEAD,
                _hex(head),
                b'","redacted":[],"salts":',
                salts,
                ends,
                number,
                b"}",
            ]
        )

    def _leaves(
        self, record: EventRecord, version: int, number: bytes, shown: Json, hidden: list[str]
    ) -> tuple[bytes, bytes]:
        """Digests and salts of the leaves as JSON."""
        name = hidden[0]
        if len(hidden) == 1 and shown[name] is None and record.data[name] is not None:  # as most have
            member = leaves.hidden_whole(name)
            salt, digest = member.sealed(self._salts, number, chain.canonical_json(record.data[name]))
            before = member.before_hex
            return b"".join([before, _hex(digest), b'"}']), b"".join([before, _hex(salt), b'"}'])
        closed = leaves.found(self._salts, version, record.data, shown, hidden)
        return leaves.json_of(leaves.sealed(closed)), leaves.json_of(leaves.salts_shown(closed, None))

    def _event(self, at: int) -> ReadEvent:
        """Event of a line of the engine's, without its digests; `at`: its place.

        Of any other line it may be something else: but then the line that is written again is not that one.
        """
        line, version = self._lines[at], at + 1
        end = line.rfind(_HEAD)
        last = len(line) - len(str(version)) - 1
        schema = end + (_BEFORE_THE_SALTS if self._seals == chain.SEALS else _BEFORE_THE_SCHEMA)
        if end < _DATA or last < schema:  # compiled, no slice may end before it begins
            raise ValueError("this is no line of the engine's")
        written, rest, time = line[_DATA:end], line[schema:last], line[7:31]
        if self._seals == chain.SEALS:
            rest = _without_seals(rest)
        data = _data_of.get(written)
        if data is None:
            data = orjson.loads(written)
            if len(written) <= _SHORT and len(_data_of) < _MOST:
                _data_of[written] = data
        kind = _kinds_of.get(rest)
        if kind is None:
            said: Json = orjson.loads(b"{" + rest[1:] + b"0}")
            kind, by = (said["type"], said["schema"], said["seat"]), said["seat"]
            if by is not None and type(by) is not int:  # for Python, true and 1.0 are the seat 1
                raise ValueError("this is no seat")
            if len(rest) <= _SHORT and len(_kinds_of) < _MOST:
                _kinds_of[rest] = kind
        at_time = self._at if time == self._time else time.decode()
        return ReadEvent(version, at_time, kind[0], kind[1], kind[2], data)


def _without_seals(rest: bytes) -> bytes:
    """Schema, seat and type of a line of form 2, from what begins with its salts; ValueError."""
    if rest.startswith(_NO_SALTS):
        return rest[2:]
    schema, sealed, seat = rest.index(_SCHEMA), rest.index(_SEALED), rest.rindex(_SEAT)
    if not schema < sealed < seat:
        raise ValueError("this is no line of the engine's")
    return rest[schema:sealed] + rest[seat:]
