"""Faults of the archive, and between it and Redis."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from redis.exceptions import ResponseError

from domain.game import Game
from events.archive import file_format, rolls
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.record import ArchivedGame, folded
from events.errors import CorruptStream
from events.fsck.findings import Finding
from events.log.snapshot import Snapshot
from events.store import keys
from events.store.whole_games import RedisGames


class ArchiveCheck:
    """Looks at every file of the archive; counts them, and the games in them."""

    def __init__(
        self,
        redis: RedisGames,
        reader: ArchiveReader,
        mover: Mover,
        rules: Mapping[str, Game],
        look: Callable[[Snapshot, float], None],
        *,
        repair: bool,
    ) -> None:
        self._rules = rules
        self._look = look
        self._redis = redis
        self._reader = reader
        self._rolls = rolls.Rolls(reader.storage)
        self._mover = mover
        self._repair = repair
        self.files = 0
        self.games = 0

    def record(self, game_id: str) -> ArchivedGame | None:
        """The game as the archive has it; None also where its file is damaged, which is reported elsewhere."""
        try:
            return self._reader.find(game_id, self._redis.stamp(keys.partition_of(game_id)))
        except CorruptStream:
            return None

    def holds(self, game_id: str) -> bool:
        """True if the archive has the game, be it damaged."""
        return self._reader.holds(game_id, self._redis.stamp(keys.partition_of(game_id)))

    def findings(self, progress: Callable[[str, int], None]) -> Iterator[Finding]:
        """All faults; games that an archiver is moving just now are left out."""
        before: tuple[str, int] | None = None
        for name in self._reader.storage.names():
            self.files += 1
            parts = file_format.parts_of(name)
            if rolls.day_of(name) is not None:
                yield from self._roll(name)
            elif parts is None:
                yield Finding("unknown-file", None, name, "Its name is not that of a file of the archive.")
            elif file_format.is_staged(name):
                yield from self._if_left("leftover", name, parts, "An archiver died before it had its name.")
            else:
                if parts == before:
                    detail = "There is another file of this day and partition."
                    yield from self._if_left("two-files", name, parts, detail)
                before = parts
                yield from self._file(name)
            progress("files", self.files)

    def _roll(self, name: str) -> Iterator[Finding]:
        """Faults of a roll, and between it, the files of its day and Redis."""
        if rolls.is_staged(name):
            if not self._redis.is_retaining() and name in self._reader.storage.names("roll-*.tmp"):
                if self._repair:
                    self._reader.storage.remove(name)
                finding = Finding("leftover", None, name, "Its writer died before it had its name.")
                yield finding.done() if self._repair else finding
            return
        try:
            roll = rolls.unpack(name, self._reader.storage.read(name))
        except FileNotFoundError:
            return  # another one has all that it had
        except CorruptStream as error:
            yield Finding("roll-wrong", None, name, error.detail)
            return
        fault = roll.fault()
        if fault is not None:
            yield Finding("roll-wrong", None, name, fault)
            return
        yield from self._told_by(name, roll)

    def _told_by(self, name: str, roll: rolls.Roll) -> Iterator[Finding]:
        pruned, noted = set(roll.pruned), self._redis.pruned(list(roll.entries))
        filed = self._filed_on(roll.day)
        here = self._redis.existing([game_id for game_id in roll.entries if game_id not in filed])
        for game_id in roll.entries:
            if game_id in filed or game_id in here:
                continue
            if game_id not in pruned:
                if game_id not in noted and not self.holds(game_id):
                    yield Finding("game-dropped", game_id, name, "The roll tells of it, and no file has it.")
            elif game_id not in noted:
                finding = Finding("pruned-unknown", game_id, name, "Redis does not know that it was pruned.")
                if self._repair:
                    self._redis.note_pruned(rolls.day_number(roll.day), [game_id])
                yield finding.done() if self._repair else finding

    def _filed_on(self, day: str) -> set[str]:
        found = set[str]()
        for name in self._reader.files(day, day):
            with suppress(CorruptStream, FileNotFoundError):  # which is told with the file
                found |= self._reader.index(name).keys()
        return found

    def pruned_orphans(self, partition: int) -> Iterator[Finding]:
        """Games that Redis knows as pruned, and of which no roll tells so."""
        key = keys.pruned(partition)
        for game_id, day in self._redis.pruned_of(partition).items():
            if not day.isdigit():
                yield Finding("bad-mark", game_id, key, "It is no day, but should be one.")
                continue
            try:
                entry = self._rolls.of_day(rolls.day_named(int(day))).get(game_id)
            except CorruptStream:
                continue  # which is told with the roll
            if entry is None or entry.pruned is None:
                yield Finding("pruned-orphan", game_id, key, "No roll tells that it was pruned.")

    def _if_left(self, code: str, name: str, parts: tuple[str, int], detail: str) -> Iterator[Finding]:
        """The finding, unless somebody works there, or has just ended."""
        if self._redis.is_locked(parts[1]) or not self._is_left(name, parts):
            return
        finding = Finding(code, None, name, detail)
        if self._repair:
            self._settle(parts[1], parts[0])
        yield finding if self._is_left(name, parts) else finding.done()

    def _is_left(self, name: str, parts: tuple[str, int]) -> bool:
        """True if the staged file is still there, or else more than one file of the day and the partition."""
        names = self._reader.storage.names(f"p{parts[1]:03d}-*")
        if file_format.is_staged(name):
            return name in names
        same = [
            other
            for other in names
            if file_format.parts_of(other) == parts and not file_format.is_staged(other)
        ]
        return len(same) > 1

    def _file(self, name: str) -> Iterator[Finding]:
        try:
            members = file_format.unpack(name, self._reader.storage.read(name))
        except FileNotFoundError:
            self.files -= 1
            return  # its games are in a new file by now, which a walk that comes later sees
        except CorruptStream as error:
            yield Finding("file-damaged", None, name, error.detail)
            return
        here = self._redis.existing(list(members))
        for game_id, member in members.items():
            self.games += 1
            try:
                _, record = file_format.check_member(name, game_id, member)
            except CorruptStream as error:
                yield Finding("file-damaged", game_id, name, error.detail)
                continue
            if game_id in here:
                yield from self._both(name, record)
            else:
                yield from self._played_back(name, record)

    def _played_back(self, name: str, record: ArchivedGame) -> Iterator[Finding]:
        """Verdict of the rules on a game that is only in the archive."""
        try:
            events = record.raw.events()
            game = folded(record.raw, events, self._rules)
        except CorruptStream as error:
            yield Finding("unreadable-game", record.raw.game_id, name, error.detail)
            return
        self._look(game, time.time())

    def _both(self, name: str, record: ArchivedGame) -> Iterator[Finding]:
        """Faults of a game that is in the archive and in Redis."""
        raw = record.raw
        try:
            found = self._redis.whole(raw.game_id)
        except (CorruptStream, ResponseError):
            return  # reported with the stream
        if not found.raw.entries or found.moving:
            return
        if (found.raw.version, found.raw.head) != (raw.version, raw.head) or found.raw.entries != raw.entries:
            detail = "Redis has another history of this game."
            yield Finding("archive-differs", raw.game_id, name, detail)
        elif found.restored is None:
            finding = Finding("half-moved", raw.game_id, name, "Redis has the game still.")
            if self._repair:
                self._settle(keys.partition_of(raw.game_id), record.day, raw.game_id)
                if not self._redis.existing([raw.game_id]):
                    finding = finding.done()
            yield finding

    def _settle(self, partition: int, day: str, *game_ids: str) -> None:
        with suppress(ResponseError):  # a key is of a wrong type, which is reported
            self._mover.settle(partition, day, *game_ids)
