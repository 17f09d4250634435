"""The format of an archive file: gzip members, so that one game can be read without the others, and `zcat` reads them
all.

For each game, by id: a member with its export, and a member with the private line. Then a member with the index, one
line that says where each game's members are. Last a member of FOOTER bytes, not compressed, that says where the index
is. The name of a file has day, partition and the SHA-256 of its content; the same games give the same bytes.
"""

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import orjson

from domain.lifecycle import Json
from events.archive.record import ArchivedGame, read_record, reading
from events.errors import CorruptStream
from events.log.export import LARGEST_GAME, line
from events.log.partitions import partition_of
from events.scheduling import Steps, drained

FORMAT: Final = "migrato-archive/1"
PIECE: Final = 2**18  # bytes that are unpacked at once
GZIP: Final = 31  # zlib's number for gzip's form, with no name and no time in its header
NAME: Final = re.compile(r"(\d{4}/\d{2}/\d{2})/p(\d{3})-([0-9a-f]{64})\.gz")
STAGED: Final = re.compile(r"(\d{4}/\d{2}/\d{2})/p(\d{3})-[0-9a-f]{64}\.gz\.[0-9a-f]+\.tmp")


@dataclass(frozen=True, slots=True)
class Entry:
    """Place of a game in a file, two consecutive members with their sizes, and the end of the game."""

    offset: int
    export: int
    private: int
    version: int
    head: str

    @property
    def length(self) -> int:
        """The bytes of both members."""
        return self.export + self.private


@dataclass(frozen=True, slots=True)
class Member:
    """A game's two members as they are in a file, and the end of the game."""

    export: bytes
    private: bytes
    version: int
    head: str

    def record(self) -> ArchivedGame:
        """The game that the member holds, read and checked. Raises CorruptStream."""
        return read_record(unzipped(self.export), unzipped(self.private))


def member_of(record: ArchivedGame) -> Member:
    """The record as it goes into a file."""
    raw = record.raw
    return Member(zipped(record.export), zipped(record.private), raw.version, raw.head)


def name_of(day: str, partition: int, content: bytes) -> str:
    """The file's name, which only this content may have."""
    return f"{day}/p{partition:03d}-{sha256(content).hexdigest()}.gz"


def parts_of(name: str) -> tuple[str, int] | None:
    """The day and the partition that a file of the archive is of; None for any other file."""
    match = NAME.fullmatch(name) or STAGED.fullmatch(name)
    return None if match is None else (match[1], int(match[2]))


def is_staged(name: str) -> bool:
    """True for a file that was written, but has not got its name yet."""
    return STAGED.fullmatch(name) is not None


def pack(day: str, partition: int, members: Mapping[str, Member]) -> bytes:
    """The file of these games, by id."""
    content, games = bytearray(), []
    for game_id, member in sorted(members.items()):
        extent = {"offset": len(content), "export": len(member.export), "private": len(member.private)}
        games.append({"game_id": game_id, "version": member.version, "head": member.head, **extent})
        content += member.export + member.private
    described = {"format": FORMAT, "day": day, "partition": partition, "games": games}
    index = zipped(line({"index": described}))
    return bytes(content + index + _footer(len(content), len(index)))


def unpack(name: str, content: bytes) -> dict[str, Member]:
    """The games of a file by id, not yet read; CorruptStream unless the content matches the name."""
    parts = parts_of(name)
    if parts is None or name_of(*parts, content) != name:
        raise CorruptStream(f"Archive file {name} does not hold what its name says.")
    at, length = index_place(content[-FOOTER:])
    entries = read_index(name, content[at : at + length])
    check_filled(name, entries, at)
    if at + length + FOOTER != len(content):
        raise CorruptStream(f"Archive file {name} holds something between its index and its end.")
    members = {}
    for game_id, entry in entries.items():
        middle = entry.offset + entry.export
        export, private = content[entry.offset : middle], content[middle : entry.offset + entry.length]
        members[game_id] = Member(export, private, entry.version, entry.head)
    return members


def checked(name: str, content: bytes) -> dict[str, ArchivedGame]:
    """Every game of a file, read and checked; CorruptStream."""
    return drained(checking_all(name, content))


def checking_all(name: str, content: bytes) -> Steps[dict[str, ArchivedGame]]:
    """The records of `checked`, a little at a time."""
    records = {}
    for game_id, member in unpack(name, content).items():
        records[game_id] = yield from checking(name, game_id, member)
    return records


def check_member(name: str, game_id: str, member: Member) -> tuple[str, ArchivedGame]:
    """A game of a file and its record; CorruptStream unless it is what the index says and is filed rightly."""
    return game_id, drained(checking(name, game_id, member))


def checking(name: str, game_id: str, member: Member) -> Steps[ArchivedGame]:
    """The record of `check_member`, a little at a time."""
    try:
        export = yield from _unzipping(member.export)
        record, parts = (yield from reading(export, unzipped(member.private))), parts_of(name)
    except CorruptStream as error:
        raise CorruptStream(f"Archive file {name}, game {game_id}: {error.detail}") from error
    expected = (game_id, member.version, member.head, parts)
    if (
        record.raw.game_id,
        record.raw.version,
        record.raw.head,
        (record.day, partition_of(game_id)),
    ) != expected:
        raise CorruptStream(f"Archive file {name} holds under {game_id} what does not belong there.")
    return record


def read_index(name: str, packed: bytes, largest: int = LARGEST_GAME) -> dict[str, Entry]:
    """The place of each game, read from the index member, which unpacks to fewer than so many bytes; CorruptStream."""
    try:
        index = orjson.loads(unzipped(packed, largest))["index"]
        if index["format"] != FORMAT:
            raise CorruptStream(f"Archive file {name} has a format that is not known here.")
        return {str(game["game_id"]): _entry(game) for game in index["games"]}
    except (LookupError, TypeError, ValueError) as error:
        raise CorruptStream(f"The index of archive file {name} cannot be read.") from error


def _entry(game: Json) -> Entry:
    entry = Entry(game["offset"], game["export"], game["private"], game["version"], str(game["head"]))
    numbers = (entry.offset, entry.export, entry.private, entry.version)
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError("places and sizes are numbers from 0 on")
    return entry


def check_filled(name: str, entries: Mapping[str, Entry], index_at: int) -> None:
    """CorruptStream unless the games of the index fill the file up to there, one after the other: none is hidden."""
    end = 0
    for game_id, entry in entries.items():
        if entry.offset != end:
            raise CorruptStream(
                f"Archive file {name} holds something before game {game_id[:60]} that its index does not name."
            )
        end += entry.length
    if end != index_at:
        raise CorruptStream(
            f"Archive file {name} holds something after its games that its index does not name."
        )


def index_place(footer: bytes) -> tuple[int, int]:
    """Start and length of the index, from the file's last FOOTER bytes; CorruptStream."""
    try:
        footer_document = orjson.loads(unzipped(footer))
        return int(footer_document["index_at"]), int(footer_document["index_bytes"])
    except (LookupError, TypeError, ValueError) as error:
        raise CorruptStream("An archive file does not end as it should.") from error


def zipped(content: bytes, level: int = 9) -> bytes:
    """The content as one gzip member, the same bytes for the same content."""
    packer = zlib.compressobj(level, zlib.DEFLATED, GZIP)
    return packer.compress(content) + packer.flush()


def unzipped(member: bytes, largest: int = LARGEST_GAME) -> bytes:
    """The content of one gzip member; CorruptStream if it is none, is not whole or too large, or is more than one."""
    return drained(_unzipping(member, largest))


def _unzipping(member: bytes, largest: int = LARGEST_GAME) -> Steps[bytes]:
    unpacker, content, left = zlib.decompressobj(GZIP), bytearray(), member
    try:
        while not unpacker.eof and len(content) < largest:  # an archive has no member that unpacks to more
            piece = unpacker.decompress(left, PIECE)
            left = unpacker.unconsumed_tail
            if not piece and not left:
                break
            content += piece
            yield
    except zlib.error as error:
        raise CorruptStream("A part of an archive file is damaged.") from error
    if not unpacker.eof or unpacker.unused_data:
        raise CorruptStream("A part of an archive file is not where the index says.")
    return bytes(content)


def fingerprints(game_ids: Iterable[str]) -> list[int]:
    """A number of 64 bits for each id, sorted: enough to tell that a game is not in a file."""
    return sorted(fingerprint(game_id) for game_id in game_ids)


def fingerprint(game_id: str) -> int:
    """The number of 64 bits for one id."""
    return int.from_bytes(sha256(game_id.encode()).digest()[:8], "big")


def _footer(at: int, length: int) -> bytes:
    return zipped(b'{"index_at":"%014d","index_bytes":"%014d"}\n' % (at, length), level=0)


FOOTER: Final = len(_footer(0, 0))
