"""The export of a game, `migrato-export/2`: all that an auditor needs, as lines of canonical JSON.

A game whose events are committed to in form 1 (`events.log.chain`) is exported as `migrato-export/1`, as ever.

A header; one line for each event, its document in the API; and an end with the last version, head and result. Every
line is RFC 8785 JSON in UTF-8 and ends with one line feed. The same game gives the same bytes at any time and on any
machine, so files can be compared by their hashes. Files may be joined: one may hold many games.

What is read is not trusted: `games_in` keeps at most one game in memory, and refuses a game that is too large.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from domain.lifecycle import Json, Viewer
from events.log.chain import FORMER, SEALS, canonical
from events.log.envelope import RecordedEvent
from events.log.serialisers import event_document, fairness_document, is_over, recorded_result
from events.log.snapshot import Snapshot

FAMILY: Final = "migrato-export/"
FORMATS: Final = {
    seals: f"{FAMILY}{seals}" for seals in (FORMER, SEALS)
}  # by the form of the game's commitments
LONGEST_LINE: Final = (
    2**18
)  # bytes; the first event holds all names and client seeds, which a request limits to 64 KiB
SHORTEST_EVENT: Final = 250  # bytes; commitment and head alone have 128: short lines must not fill the memory
LARGEST_GAME: Final = 2**26  # bytes; some 100,000 events
VERY_BYTES: Final = "Lines must be the very bytes of the export; a rewritten file cannot be checked."
_HEADER: Final = b'{"complete":'
_END: Final = b'{"end":'
_NO_EVENT: Final = (_END, _HEADER)
_LINE_FEED: Final = 10


class Signature(NamedTuple):
    """The signature of the last head (`events.log.signing`): in base64url, and the public key as a JWK with its kid."""

    signature: str
    key: Json


def export_lines(
    snapshot: Snapshot,
    stored: Iterable[RecordedEvent],
    viewer: Viewer = None,
    signed: Signature | None = None,
) -> Iterator[bytes]:
    """The lines of the game's export, as the viewer may see it; `stored` are all its events up to `snapshot`.

    A game that is over shows everything to everybody. So its export has the viewer null for every caller. It is
    `complete` once its result is confirmed, too: no event can follow then. `deck` is null for a game whose first event
    names none.
    """
    viewer = None if is_over(snapshot) else viewer
    result = snapshot.status.result
    events = (event_document(snapshot, event, viewer) for event in stored)
    first = next(events)
    key_id = None if signed is None else signed.key["kid"]
    yield line(
        {
            "format": FORMATS[snapshot.seals],
            "game_id": snapshot.game_id,
            "game": snapshot.game.name,
            "rules": snapshot.status.options,
            "deck": first["data"].get("deck"),
            "viewer": viewer,
            "complete": result is not None and result.scored,
            "key_id": key_id,
            "public_key": None if signed is None else signed.key,
        }
    )
    yield line(first)
    for document in events:
        yield line(document)
    fairness = fairness_document(snapshot)
    yield line(
        {
            "end": {
                "version": snapshot.version,
                "head": snapshot.stream_head.head,
                "server_seed": fairness["server_seed"],
                "client_seeds": fairness["client_seeds"],
                "result": recorded_result(result),
                "signature": None if signed is None else {"key_id": key_id, "signature": signed.signature},
            }
        }
    )


def line(document: Json) -> bytes:
    """The document as a line of an export."""
    return canonical(document) + b"\n"


class Unreadable(Exception):
    """The text is no export that can be read (on). `code` is a slug, `detail` a sentence, `line` from 1 on."""

    def __init__(self, code: str, detail: str, line: int | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return Unreadable, (self.code, self.detail, self.line)


@dataclass(frozen=True, slots=True)
class Exported:
    """One game of a file, read but not checked, its lines without their line feeds; `at` is the number of the first.

    Of the header it is only known that it is JSON of this format's version.
    """

    at: int
    header: bytes
    events: list[bytes]
    end: bytes

    def __reduce__(
        self,
    ) -> tuple[Any, ...]:  # compiled, a frozen dataclass has no other way to another process
        return Exported, (self.at, self.header, self.events, self.end)


def games_in(
    stream: BinaryIO, largest: int = LARGEST_GAME, longest_line: int = LONGEST_LINE
) -> Iterator[Exported]:
    """The games of a file, one after the other; Unreadable says why there is none, or why it ends too early.

    Memory: one game, of at most `largest` bytes.
    """
    number, readline, most = 0, stream.readline, longest_line + 1
    while True:
        at = number + 1
        header = readline(most)
        if not header:
            if number == 0:
                raise Unreadable("empty", "The file is empty.")
            return
        if number and not header.startswith(_HEADER):
            raise Unreadable(
                "trailing-data", f"Line {at} comes after the end of a game and begins no other.", at
            )
        _check_header(header, at, longest_line)
        size, events = len(header), list[bytes]()
        while True:
            read = readline(most)
            length = len(read)
            size += length
            if (
                length < SHORTEST_EVENT
                or size > largest
                or read[-1] != _LINE_FEED
                or read.startswith(_NO_EVENT)
            ):
                break
            events.append(read[:-1])
        number = at + len(events) + 1
        if read[-1:] != b"\n":
            raise _broken(read, number, longest_line)
        if size > largest:
            raise Unreadable(
                "too-large", f"The game that begins in line {at} has more than {largest:,} bytes.", number
            )
        if read.startswith(_HEADER):
            raise Unreadable(
                "truncated", f"Line {number} begins another game, but the one before it has no end.", number
            )
        if not read.startswith(_END):
            raise Unreadable(
                "not-an-export", f"Line {number} is too short to be an event with its digests.", number
            )
        yield Exported(at, header[:-1], events, read[:-1])


def _broken(read: bytes, number: int, longest: int) -> Unreadable:
    """Fault of a line that has no line feed."""
    if len(read) > longest:
        return Unreadable("line-too-long", f"Line {number} has more than {longest:,} bytes.", number)
    where = "in the middle of" if read else "before"
    return Unreadable("truncated", f"The file ends {where} line {number}; the game has no end.", number)


def _check_header(read: bytes, number: int, longest: int) -> None:
    """Unreadable unless the line is JSON and names this format."""
    if read.startswith(b"\x1f\x8b"):
        raise Unreadable("compressed-twice", "What was compressed is compressed itself; decompress it first.")
    if len(read) > longest:
        raise Unreadable(
            "not-an-export",
            f"This is no export of a game: its first line has no end within {longest:,} bytes.",
            number,
        )
    try:
        document: Any = orjson.loads(read)
    except orjson.JSONDecodeError:
        what = "binary data" if _is_binary(read) else "not JSON"
        raise Unreadable(
            "not-an-export", f"This is no export of a game: line {number} is {what}. {VERY_BYTES}", number
        ) from None
    if isinstance(document, dict) and document.keys() >= {"type", "title", "status", "code"}:
        message = str(document.get("detail") or document["title"])[:300]
        raise Unreadable(
            "not-an-export", f"This is an error document of the engine, no export: {message}", number
        )
    name = document.get("format") if isinstance(document, dict) else None
    if not isinstance(name, str) or not name.startswith(FAMILY):
        raise Unreadable(
            "not-an-export",
            f"This is no export of a game: line {number} does not name a format {FAMILY}N.",
            number,
        )
    if name not in FORMATS.values():
        known = ", ".join(FORMATS.values())
        raise Unreadable(
            "unknown-format",
            f"This is format {name[:60]!r}, of which nothing is known here; known are {known}.",
            number,
        )
    if not read.endswith(b"\n"):
        raise Unreadable(
            "truncated", f"The file ends in the middle of line {number}; the game has no end.", number
        )


def _is_binary(read: bytes) -> bool:
    try:
        return any(ord(c) < 32 and c not in "\t\r\n" for c in read.decode())
    except UnicodeDecodeError:
        return True
