"""Moves finished games out of Redis into the archive: none is lost or doubled, at whatever point the process dies.

For each day and partition: write a new file with all its games, read it back and check every game. Then remove the
streams, each by one script that checks that the stream still equals the file. Then remove the old file. If the process
dies, it leaves a staged file, a game in both places, or two files of one day and partition, one of which has all that
the other has. The next run finds each of these and continues.
"""

import logging
import secrets as randomness
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from domain.game import Game
from events.archive import file_format
from events.archive.file_format import Member
from events.archive.record import ArchivedGame, Signed, day_of, record_of
from events.archive.storage import Storage
from events.engine.command_handler import Clock, utc_now
from events.errors import ArchiveUnavailable, CorruptStream, StoreUnavailable
from events.log.partitions import partition_of
from events.ports import Ended, Found, LockLost, PartitionLock, WholeGames
from events.scheduling import Slices

log = logging.getLogger("migrato.mover")

BATCH: Final = 2000  # games moved into one file at a time: so many are in memory

Step = Callable[[str], None]


@dataclass(slots=True)
class Moved:
    """Result of a run: moved games, finished games that wait, and games that were left in place, by reason."""

    games: int = 0
    waiting: int = 0
    files: int = 0
    left: dict[str, str] = field(default_factory=dict)
    busy: list[int] = field(default_factory=list)


def unsigned(_: object) -> None:
    """No signature."""


def no_progress(*_: object) -> None:
    """Nothing is reported."""


class Mover:
    """Moves the games of one store whose result was confirmed `after` seconds ago."""

    def __init__(
        self,
        store: WholeGames,
        storage: Storage,
        games: Mapping[str, Game],
        after: float,
        *,
        now: Clock = utc_now,
        sign: Callable[[str], object] = unsigned,
        signed: Signed = unsigned,
        step: Step = no_progress,
        slices: Slices | None = None,
    ) -> None:
        """`sign` sees to it that a game's final head is signed, where anything is, and `signed` gives the signature.

        `step` is called with the name of each step before it is taken; `slices` does what takes long.
        """
        self._store = store
        self._storage = storage
        self._games = games
        self._after = after
        self._now = now
        self._sign = sign
        self._signed = signed
        self._step = step
        self._slices = slices or Slices()

    def run(
        self,
        progress: Callable[[int, int], None] = no_progress,
        stopping: Callable[[], bool] = lambda: False,
    ) -> Moved:
        """Move the games that are ready, and tidy up after an interrupted run; `progress` counts games.

        Raises StoreUnavailable, also for the archive's storage. A game that cannot be archived is left and reported.
        """
        ready: dict[tuple[int, str], list[Ended]] = defaultdict(list)
        moved = Moved()
        for ended in self._store.ended():
            if self._is_ready(ended):
                ready[partition_of(ended.game_id), day_of(ended.at)].append(ended)
            else:
                moved.waiting += 1
        total, done = sum(map(len, ready.values())), 0
        progress(done, total)
        for partition, day in sorted({*ready, *self._untidy()}):
            if stopping():
                break
            games = [ended.game_id for ended in ready.get((partition, day), [])]
            self._move_under_lock(partition, day, games, moved)
            done += len(games)
            progress(done, total)
        return moved

    def settle(self, partition: int, day: str, *game_ids: str) -> Moved:
        """End what a former run has begun there: with these games, which files have already, and with leftovers."""
        moved = Moved()
        self._move_under_lock(partition, day, list(game_ids), moved)
        return moved

    def _is_ready(self, ended: Ended) -> bool:
        since = datetime.fromisoformat(ended.at).timestamp()
        # a caller wants the game in Redis again, for as long as a game that has just ended
        if ended.restored is not None:
            since = max(since, int(ended.restored) / 1000)
        return self._now().timestamp() - since >= self._after

    def _untidy(self) -> Iterable[tuple[int, str]]:
        """Partitions and days with leftovers of a run that died."""
        seen: set[tuple[str, int]] = set()
        for name in self._storage.names("p*"):
            parts = file_format.parts_of(name)
            if parts is None:
                continue
            if parts in seen or file_format.is_staged(name):
                yield parts[1], parts[0]
            seen.add(parts)

    def _move_under_lock(self, partition: int, day: str, games: list[str], moved: Moved) -> None:
        lock = self._store.lock(partition)
        if lock is None:
            moved.busy.append(partition)
            return
        try:
            for first in range(0, max(1, len(games)), BATCH):
                self._move(partition, day, games[first : first + BATCH], lock, moved)
        except LockLost:
            moved.busy.append(partition)
            return
        except StoreUnavailable:
            lock.release()
            raise
        except FileNotFoundError as error:
            lock.release()
            raise ArchiveUnavailable(f"a file of the archive has gone while it was read: {error}") from error
        lock.release()

    def _move(self, partition: int, day: str, games: list[str], lock: PartitionLock, moved: Moved) -> None:
        former, members = self._former(partition, day)
        fresh = self._fresh(games, members, moved)
        if members:
            content = file_format.pack(day, partition, members)
            name = file_format.name_of(day, partition, content)
            if name not in former:
                self._publish(name, content, lock)
                moved.files += 1
            self._check(name, members, fresh)
            for game_id, found in fresh.items():
                self._tell(f"remove {game_id}", lock)
                outcome = self._store.remove(found, lock.token, name)
                if outcome == "lost":
                    raise LockLost
                if outcome == "removed":
                    moved.games += 1
                elif outcome == "changed":
                    moved.left[game_id] = "It changed while it was moved."
            for other in former:
                if other != name:
                    self._tell("remove the former file", lock)
                    self._storage.remove(other)
        for leftover in self._storage.names(f"p{partition:03d}-*.tmp", day):
            if file_format.is_staged(leftover):
                self._tell("remove what was staged", lock)
                self._storage.remove(leftover)

    def _former(self, partition: int, day: str) -> tuple[list[str], dict[str, Member]]:
        """The files of the day and the partition that are whole, and the games in them."""
        former, members = [], dict[str, Member]()
        for name in self._storage.names(f"p{partition:03d}-*.gz", day):
            if file_format.NAME.fullmatch(name) is None:
                continue
            try:
                content = self._storage.read(name)
                records = self._slices.finish(file_format.checking_all(name, content))
            except CorruptStream as error:
                log.warning("%s It is left alone; migrato fsck tells more.", error.detail)
                continue
            for game_id, member in file_format.unpack(name, content).items():
                member = self._with_signature(records[game_id], member)
                members[game_id] = _richer(members.get(game_id, member), member)
            former.append(name)
        return former, members

    def _with_signature(self, record: ArchivedGame, member: Member) -> Member:
        """The member; made anew if its export was written without the signature that is kept of the game."""
        if not record.lacks_signature:
            return member
        try:
            anew = record_of(record.raw, self._games, self._signed)
        except CorruptStream:
            return member  # its rules are not known here
        return member if anew.lacks_signature else file_format.member_of(anew)

    def _fresh(self, games: list[str], members: dict[str, Member], moved: Moved) -> dict[str, Found]:
        """The games as Redis has them, each put among the members unless it is there already."""
        fresh = {}
        for game_id in games:
            try:
                found = self._store.whole(game_id)
                if not found.raw.entries:
                    continue  # another process has moved the game
                if "first_origin" in found.raw.beside["secrets"]:
                    continue  # a fork that a seat made: it is not archived
                if "signature" not in found.raw.beside["secrets"]:  # the process that had to sign it has died
                    self._sign(game_id)
                    found = self._store.whole(game_id)
                self._add(found, members)
            except CorruptStream as error:
                log.warning("a game is not archived: %s", error.detail, extra={"game_id": game_id})
                moved.left[game_id] = error.detail
                continue
            fresh[game_id] = found
        return fresh

    def _add(self, found: Found, members: dict[str, Member]) -> None:
        """Put the game among the members, where it may be already; CorruptStream if it cannot be archived."""
        raw = found.raw
        if found.gaps:
            raise CorruptStream(f"Entry {found.gaps[0]} of the stream of game {raw.game_id} is out of place.")
        if found.lost is not None:
            raise CorruptStream(f"Entry {found.lost}, the last one of game {raw.game_id}, is gone.")
        known = members.get(raw.game_id)
        filed = None if known is None else known.record().raw
        if filed is not None and filed.entries != raw.entries:
            raise CorruptStream(f"The archive has another history of game {raw.game_id}.")
        if filed != raw:  # data beside the events may have changed since, such as a signature
            members[raw.game_id] = file_format.member_of(record_of(raw, self._games, self._signed))

    def _publish(self, name: str, content: bytes, lock: PartitionLock) -> None:
        staged = f"{name}.{randomness.token_hex(4)}.tmp"
        self._tell("stage", lock)
        self._storage.stage(staged, content)
        self._tell("publish", lock)
        self._storage.publish(staged, name)
        self._tell("check", lock)

    def _check(self, name: str, members: Mapping[str, Member], fresh: Mapping[str, Found]) -> None:
        """Read the file back; StoreUnavailable unless it holds every game, and those of Redis to the byte."""
        try:
            records = self._slices.finish(file_format.checking_all(name, self._storage.read(name)))
        except CorruptStream as error:
            raise ArchiveUnavailable(
                f"what was written to the archive cannot be read back: {error.detail}"
            ) from error
        if set(records) != set(members) or any(
            records[game].raw != found.raw for game, found in fresh.items()
        ):
            raise ArchiveUnavailable(f"archive file {name} does not hold what was written to it")

    def _tell(self, what: str, lock: PartitionLock) -> None:
        lock.renew()
        self._step(what)


def _richer(one: Member, other: Member) -> Member:
    """The richer of two copies of a game: the one with more beside its events, then the one with the longer export,
    which is signed.

    StoreUnavailable if they are not of one history.
    """
    if one is other:
        return one
    first, second = one.record(), other.record()
    if first.raw.entries != second.raw.entries:
        raise ArchiveUnavailable(f"files of the archive hold game {first.raw.game_id} in two histories")
    sizes = [(sum(map(len, record.raw.beside.values())), len(record.export)) for record in (first, second)]
    return one if sizes[0] >= sizes[1] else other
