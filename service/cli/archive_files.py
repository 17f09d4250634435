"""Files of an archive, read by an audit of the exports in them: one game in memory at a time, whatever a
file claims.
"""

import io
import os
import re
from collections.abc import Callable, Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Final

import orjson

from events.archive import file_format
from events.archive.file_format import Entry
from events.errors import CorruptStream
from events.log.export import Exported, Unreadable

_NAMED: Final = re.compile(r"p\d{3}-([0-9a-f]{64})\.gz")
_STAGED: Final = re.compile(r"p\d{3}-[0-9a-f]{64}\.gz\.[0-9a-f]+\.tmp")
_SHOWN: Final = 60  # characters of an id that may be no id

Exports = Callable[[io.BufferedReader], Iterator[Exported]]


def is_staged(path: Path) -> bool:
    """True for a file that an archiver has not finished: nobody reads it before it has its name."""
    return _STAGED.fullmatch(path.name) is not None


def index_place(stream: io.BufferedReader) -> tuple[int, int] | None:
    """The place of an archive file's index, and its length; None for any other file. The stream's position stays the
    same.
    """
    if not stream.seekable():
        return None
    before, size = stream.tell(), stream.seek(0, os.SEEK_END)
    try:
        stream.seek(max(0, size - file_format.FOOTER))
        at, length = file_format.index_place(stream.read(file_format.FOOTER))
    except CorruptStream:
        return None
    finally:
        stream.seek(before)
    return (at, length) if 0 <= at <= at + length == size - file_format.FOOTER else None


def archived(
    stream: io.BufferedReader, name: str, place: tuple[int, int], largest: int, exports_in: Exports
) -> Iterator[Exported]:
    """The exports of an archive file, in the order of its index. Private lines are not read.

    If the file's name is one of the archive, its content must match the name. `exports_in` reads one member. Raises
    Unreadable.
    """
    try:
        _check_name(stream, name)
        stream.seek(place[0])
        # Each entry describes a game that takes more bytes than the entry, so no index is larger than its games.
        most = min(largest, sum(place))
        entries = file_format.read_index(name, stream.read(min(place[1], most)), most)
        file_format.check_filled(name, entries, place[0])
        for game_id, entry in entries.items():
            yield _export(stream, name, game_id, entry, largest, exports_in)
            stream.seek(entry.offset + entry.length)
    except CorruptStream as error:
        raise Unreadable("damaged", error.detail) from error


def _check_name(stream: io.BufferedReader, name: str) -> None:
    named = _NAMED.fullmatch(Path(name).name)
    stream.seek(0)
    if named is not None and file_digest(stream, "sha256").hexdigest() != named[1]:
        raise CorruptStream(f"Archive file {name} does not hold what its name says.")


def _export(
    stream: io.BufferedReader, name: str, game_id: str, entry: Entry, largest: int, exports_in: Exports
) -> Exported:
    if entry.export > largest:
        raise Unreadable("too-large", f"Game {game_id[:_SHOWN]} has more than {largest:,} bytes.")
    stream.seek(entry.offset)
    packed = io.BytesIO(stream.read(entry.export))
    try:
        exports = exports_in(io.BufferedReader(packed))
        found, more = next(exports), next(exports, None)
    except Unreadable as reason:
        raise Unreadable(reason.code, f"Game {game_id[:_SHOWN]}: {reason.detail}", reason.line) from reason
    if more is not None or _named_by(found) != (game_id, entry.version, entry.head):
        raise CorruptStream(f"Archive file {name} holds under {game_id[:_SHOWN]} what does not belong there.")
    return found


def _named_by(exported: Exported) -> tuple[object, object, object]:
    """The id that an export gives for its game, and the end that it claims."""
    try:
        header, end = orjson.loads(exported.header), orjson.loads(exported.end)["end"]
        return header["game_id"], end["version"], end["head"]
    except (LookupError, TypeError, ValueError):
        return None, None, None
