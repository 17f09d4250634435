"""Faults of the archive, and between it and Redis."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Final

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

UNKNOWN: Final = -1  # what a day's rolls prove together


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
        self._proven: dict[int, int] = {}
        self.files = 0
        self.games = 0

    def record(self, game_id: str) -> ArchivedGame | None:
        """The game as the archive has it; None also where its file is damaged, which is reported elsewhere."""
        try:
            return self._reader.find(game_id, self._redis.stamp(keys.partition_of(game_id)))
        except CorruptStream:
            return None

    def holding(self, game_ids: Collection[str]) -> set[str]:
        """Those of the games that the archive has, damaged ones included."""
        stamps = self._redis.stamps({keys.partition_of(game_id) for game_id in game_ids})
        return {one for one in game_ids if self._reader.holds(one, stamps[keys.partition_of(one)])}

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
        """Faults of a roll, and contradictions between it, the files of its day and Redis."""
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
        pruned, noted = set(roll.pruned), self._redis.pruned_on(list(roll.entries))
        number = rolls.day_number(roll.day)
        # Of a day with two rolls, which may tell of the same games, nothing follows from their numbers.
        proven = sum(noted.get(game_id) == str(number) for game_id in pruned)
        self._proven[number] = UNKNOWN if number in self._proven else proven
        filed = self._filed_on(roll.day)
        here = self._redis.existing([game_id for game_id in roll.entries if game_id not in filed])
        for game_id in roll.entries:
            if game_id in filed or game_id in here:
                continue
            if game_id not in pruned:
                if game_id not in noted and not self.holding([game_id]):
                    yield Finding("game-dropped", game_id, name, "The roll tells of it, and no file has it.")
            elif game_id not in noted:
                finding = Finding("pruned-unknown", game_id, name, "Redis does not know that it was pruned.")
                if self._repair:
                    self._redis.note_pruned(number, [game_id])
                yield finding.done() if self._repair else finding

    def _filed_on(self, day: str) -> set[str]:
        found = set[str]()
        for name in self._reader.files(day, day):
            with suppress(CorruptStream, FileNotFoundError):  # which is told with the file
                found |= self._reader.index(name).keys()
        return found

    def pruned_orphans(self) -> Iterator[Finding]:
        """Games that Redis knows as pruned, and of which no roll tells so; after the `findings`.

        As many games of a day as the day's roll proves need no second look: only the games of other days are listed.
        """
        known = Counter(
            day for number in range(keys.PARTITIONS) for day in self._redis.pruned_of(number).values()
        )
        doubtful = {
            day for day, games in known.items() if not day.isdigit() or self._proven.get(int(day)) != games
        }
        if not doubtful:
            return
        games = dict[str, list[str]]()
        for number in range(keys.PARTITIONS):
            for game_id, day in self._redis.pruned_of(number).items():
                if day in doubtful:
                    games.setdefault(day, []).append(game_id)
        for day, ids in sorted(games.items()):
            yield from self._orphans_of(day, ids)

    def _orphans_of(self, day: str, game_ids: list[str]) -> Iterator[Finding]:
        detail = "No roll tells that it was pruned." if day.isdigit() else "It is no day, but should be one."
        entries = dict[str, rolls.RollEntry]()
        if day.isdigit():
            try:
                entries = self._rolls.of_day(rolls.day_named(int(day)))
            except CorruptStream:
                return  # which is told with the roll
        for game_id in game_ids:
            entry = entries.get(game_id)
            if entry is None or entry.pruned is None:
                where = keys.pruned(keys.partition_of(game_id))
                yield Finding("pruned-orphan" if day.isdigit() else "bad-mark", game_id, where, detail)

    def _if_left(self, code: str, name: str, parts: tuple[str, int], detail: str) -> Iterator[Finding]:
        """The finding; none if an archiver works on the partition, or has just put the fault right."""
        if self._redis.is_locked(parts[1]) or not self._is_left(name, parts):
            return
        finding = Finding(code, None, name, detail)
        if self._repair:
            self._settle(parts[1], parts[0])
        yield finding if self._is_left(name, parts) else finding.done()

    def _is_left(self, name: str, parts: tuple[str, int]) -> bool:
        """True if the staged file is still there, or else more than one file of the day and the partition."""
        names = self._reader.storage.names(f"p{parts[1]:03d}-*", parts[0])
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
