"""The archive as a library: any game by its id, from the files alone."""

import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from events.archive import file_format
from events.archive.file_format import Entry, Member
from events.archive.record import ArchivedGame
from events.archive.storage import Storage
from events.caching import MIB, Memory
from events.errors import CorruptStream, StoreUnavailable
from events.log.partitions import partition_of
from events.scheduling import Slices

FRESH: Final = (
    60.0  # seconds after which a partition's files are listed again: another process may have added some
)
ALONE: Final = 320 * MIB  # bytes of which a reader without an engine may keep the archive's share
AN_ENTRY: Final = 500  # bytes of a game in an index
ATTEMPTS: Final = 3  # looks for a game whose file is replaced by another just now
_TOO_FAST: Final = "the archive's files change faster than they can be read"


@dataclass(frozen=True, slots=True)
class PartitionFiles:
    """The files of a partition as they were listed at a time, and the fingerprints of the games in each."""

    stamp: str | None
    listed_at: float
    files: dict[str, "array[int]"]


@dataclass(frozen=True, slots=True)
class Listing:
    """The names of all files by partition, as they were at a time; one look lists the whole tree."""

    by_partition: dict[int, list[str]]
    at: float

    @classmethod
    def of(cls, names: list[str], at: float) -> "Listing":
        """The listing of these names, made at that time."""
        by_partition: dict[int, list[str]] = {}
        for name in names:
            parts = file_format.parts_of(name)
            if parts is not None:
                by_partition.setdefault(parts[1], []).append(name)
        return cls(by_partition, at)

    def names(self, partition: int) -> list[str]:
        """The names of a partition's files, in order of time."""
        return self.by_partition.get(partition, [])


class ArchiveReader:
    """Reads games out of the archive's files.

    A file never changes, because its name is the hash of its content; so indexes are kept forever. The list of files is
    read again, for all partitions at once, if it lacks the file that `stamp` names, which happens after every move of
    games, and also at intervals.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Callable[[], float] = time.monotonic,
        *,
        slices: Slices | None = None,
        memory: Memory | None = None,
    ) -> None:
        """`slices` reads what is long; `memory` keeps games and indexes, some MiB of them unless it is given."""
        memory = memory or Memory(ALONE)
        self.storage = storage
        self._slices = slices or Slices()
        self._clock = clock
        self._partitions: dict[int, PartitionFiles] = {}
        self._listing = Listing({}, -FRESH)
        self._records = memory.cache("archive", _record_size)
        self._indexes = memory.cache("indexes", _index_size)

    def find(self, game_id: str, stamp: str | None) -> ArchivedGame | None:
        """The game, or None; costs nothing for a game that is not there, as long as the stamp stays the same.

        Raises StoreUnavailable, Busy; CorruptStream if the file is damaged where the game is.
        """
        known = self._records.get(game_id)
        if known is not None:
            return known
        with self._slices.singly(f"archive {game_id}"):
            known = self._records.get(game_id)
            return known or self._found(game_id, stamp)

    def _found(self, game_id: str, stamp: str | None) -> ArchivedGame | None:
        for attempt in range(ATTEMPTS):
            try:
                record = self._look(
                    game_id, self._files_of(partition_of(game_id), stamp, anew=attempt > 0).files
                )
            except FileNotFoundError:
                continue  # its games are in a new file now
            return None if record is None else self._records.put(game_id, record)
        raise StoreUnavailable(_TOO_FAST)

    def find_once(self, game_id: str) -> ArchivedGame | None:
        """Find one game without a listing of everything: only the files of its partition are listed, now."""
        for _ in range(ATTEMPTS):
            try:
                files = {name: self._numbers(name) for name in self._partition(partition_of(game_id))}
                return self._look(game_id, files)
            except FileNotFoundError:
                continue  # its games are in a new file now
        raise StoreUnavailable(_TOO_FAST)

    def holds(self, game_id: str, stamp: str | None) -> bool:
        """True if the game is in the archive, without reading it. Raises StoreUnavailable."""
        for attempt in range(ATTEMPTS):
            try:
                files = self._files_of(partition_of(game_id), stamp, anew=attempt > 0)
                return self._where(game_id, files.files) is not None
            except FileNotFoundError:
                continue  # its games are in a new file now
        raise StoreUnavailable(_TOO_FAST)

    def files(self, first: str = "", last: str = "9999/99/99") -> list[str]:
        """The names of all files of days from `first` to `last` (as 2026/11/21), in order of time."""
        of_day = first if first == last else None
        names = [name for name in self.storage.names("p*.gz", of_day) if file_format.NAME.fullmatch(name)]
        return [name for name in names if first <= name[:10] <= last]

    def index(self, name: str) -> dict[str, Entry]:
        """Places of the games of a file; FileNotFoundError, CorruptStream."""
        known = self._indexes.get(name)
        if known is not None:
            return known
        footer = self._range(name, -file_format.FOOTER, file_format.FOOTER)
        try:
            packed = self._range(name, *file_format.index_place(footer))
            return self._indexes.put(name, file_format.read_index(name, packed))
        except CorruptStream as error:
            raise CorruptStream(f"Archive file {name} has no index: {error.detail}") from error

    def entries(self, first: str = "", last: str = "9999/99/99") -> Iterator[tuple[str, str, Entry]]:
        """The file, the id and the entry of every game once, in order of time. CorruptStream."""
        for day_and_partition, names in groupby(self.files(first, last), file_format.parts_of):
            yielded = set[str]()
            for name in self._current(day_and_partition, list(names)):
                for game_id, entry in self.index(name).items():
                    if game_id not in yielded:  # two files may have it, if an archiver has died
                        yield name, game_id, entry
                        yielded.add(game_id)

    def records(
        self, first: str = "", last: str = "9999/99/99", damaged: Callable[[str], None] | None = None
    ) -> Iterator[ArchivedGame]:
        """Every game once, in order of time; one game in memory at a time.

        What cannot be read is passed to `damaged`, and the rest goes on; without it, CorruptStream.
        """
        for day_and_partition, names in groupby(self.files(first, last), file_format.parts_of):
            yielded = set[str]()
            for name in self._current(day_and_partition, list(names)):
                try:
                    index = self.index(name)
                except CorruptStream as error:
                    _tell(error, damaged)
                    continue
                for game_id, entry in index.items():
                    if game_id in yielded:
                        continue
                    try:
                        record = self._read(name, game_id, entry)
                    except FileNotFoundError:
                        record = self._elsewhere(game_id)
                    except CorruptStream as error:
                        _tell(error, damaged)
                        continue
                    yielded.add(game_id)
                    yield record

    def _current(self, parts: tuple[str, int] | None, names: list[str]) -> list[str]:
        """The files of a day and a partition by their present names; the indexes of these are known then."""
        assert parts is not None
        for _ in range(ATTEMPTS):
            try:
                for name in names:
                    self._numbers(name)
            except FileNotFoundError:
                names = [name for name in self._partition(parts[1]) if file_format.parts_of(name) == parts]
            else:
                return names
        raise StoreUnavailable(_TOO_FAST)

    def _elsewhere(self, game_id: str) -> ArchivedGame:
        """A game whose file has just given way to another one."""
        record = self.find_once(game_id)
        if record is None:
            raise StoreUnavailable(f"the file of game {game_id} has gone while it was read")
        return record

    def _partition(self, partition: int) -> list[str]:
        """The names of a partition's files, in order of time, as they are now."""
        names = self.storage.names(f"p{partition:03d}-*.gz")
        return [name for name in names if file_format.NAME.fullmatch(name)]

    def _look(self, game_id: str, files: Mapping[str, "array[int]"]) -> ArchivedGame | None:
        found = self._where(game_id, files)
        return None if found is None else self._read(found[0], game_id, found[1])

    def _where(self, game_id: str, files: Mapping[str, "array[int]"]) -> tuple[str, Entry] | None:
        number = file_format.fingerprint(game_id)
        for name, numbers in files.items():
            at = bisect_left(numbers, number)
            if at < len(numbers) and numbers[at] == number and game_id in (index := self.index(name)):
                return name, index[game_id]
        return None

    def _read(self, name: str, game_id: str, entry: Entry) -> ArchivedGame:
        packed = self._range(name, entry.offset, entry.length)
        member = Member(packed[: entry.export], packed[entry.export :], entry.version, entry.head)
        return self._slices.finish(file_format.checking(name, game_id, member))

    def _range(self, name: str, offset: int, length: int) -> bytes:
        with self._slices.aside():  # the storage may be far away
            return self.storage.read_range(name, offset, length)

    def _files_of(self, partition: int, stamp: str | None, *, anew: bool) -> PartitionFiles:
        known, now = self._partitions.get(partition), self._clock()
        if known is not None and not anew and known.stamp == stamp and now - known.listed_at < FRESH:
            return known
        before = {} if known is None else known.files
        listing = self._listing
        if anew or now - listing.at >= FRESH or (stamp is not None and stamp not in listing.names(partition)):
            self._listing = listing = Listing.of(self.files(), now)
        files = {}
        for name in listing.names(partition):
            files[name] = before[name] if name in before else self._numbers(name)
        self._partitions[partition] = PartitionFiles(stamp, listing.at, files)
        return self._partitions[partition]

    def _numbers(self, name: str) -> "array[int]":
        try:
            return array("Q", file_format.fingerprints(self.index(name)))
        except CorruptStream:
            return array("Q")  # the other files can still be read; `migrato fsck` reports this one


def _record_size(record: ArchivedGame) -> int:
    return record.size


def _index_size(index: dict[str, Entry]) -> int:
    return len(index) * AN_ENTRY


def _tell(error: CorruptStream, damaged: Callable[[str], None] | None) -> None:
    if damaged is None:
        raise error
    damaged(error.detail)
