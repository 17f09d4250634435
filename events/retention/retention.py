"""Retention: what is over for long leaves Redis, and then the archive; whenever the process dies, the next run goes on.

Forgetting: the lines of an app's old games go to the archive's rolls, and then leave the listing with all that stands
beside them in Redis. Results that no later rating needs leave as well. Pruning: the games of a day are read and
checked; the roll of the day gets the proof of each; the store notes that they are gone; then their files are removed.
Each step may be done twice, and none is done before the one that it rests on can be read back.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from domain.game import Game
from events.archive import file_format
from events.archive.file_format import Entry
from events.archive.mover import Step, no_progress
from events.archive.reader import ArchiveReader
from events.archive.record import ArchivedGame, folded
from events.archive.rolls import PrunedGame, RollEntry, Rolls, day_number
from events.engine.command_handler import Clock, utc_now
from events.errors import CorruptStream
from events.features.listings.port import Place
from events.features.listings.projection import Listings, document_of
from events.features.own_data.port import OwnDataStore
from events.features.ratings.ratings import Ratings
from events.features.ratings.results import counted
from events.log.partitions import partition_of
from events.log.signing import Keyring
from events.ports import LockLost, WholeGames
from events.retention.periods import Periods
from events.scheduling import Slices
from events.times import time_of, timestamp

log = logging.getLogger("migrato.retention")

AT_ONCE: Final = 5_000  # lines that go into a roll at a time: so many are in memory

Stopping = Callable[[], bool]


@dataclass(slots=True)
class Retained:
    """Result of a run: games that left the listings, results and games that went, and what was left, by reason."""

    unlisted: int = 0
    results: int = 0
    pruned: int = 0
    days: int = 0
    files: int = 0
    left: dict[str, str] = field(default_factory=dict)
    busy: bool = False

    def leave(self, what: str, error: CorruptStream) -> None:
        """Note a thing that stays because it is damaged, while all else is let go."""
        self.left[what] = error.detail
        log.warning("%s stays: %s", what, error.detail)


class NoSigningKey(Exception):
    """A signing key is missing, without which nothing may be pruned: nobody could tell a pruned game from
    a lost one.
    """


class Retention:
    """Lets old games go, of one store and its archive. Every method may raise StoreUnavailable."""

    def __init__(
        self,
        store: WholeGames,
        reader: ArchiveReader,
        listings: Listings,
        ratings: Ratings,
        own_data: OwnDataStore,
        games: Mapping[str, Game],
        periods: Periods,
        keyring: Callable[[], Keyring],
        *,
        now: Clock = utc_now,
        step: Step = no_progress,
        slices: Slices | None = None,
    ) -> None:
        """`step` is called with the name of each step before it is taken; `slices` does what takes long."""
        self._store = store
        self._reader = reader
        self._storage = reader.storage
        self._rolls = Rolls(reader.storage)
        self._listings = listings
        self._ratings = ratings
        self._own_data = own_data
        self._games = games
        self._periods = periods
        self._keyring = keyring
        self._now = now
        self._step = step
        self._slices = slices or Slices()

    def run(self, stopping: Stopping = lambda: False) -> Retained:
        """Let go of everything whose time is up, and end what an interrupted run has begun. Raises NoSigningKey."""
        now, done = self._now(), Retained()
        unlisted, pruned = self._periods.unlisted_before(now), self._periods.pruned_before(now)
        if pruned is not None and self._keyring().signer is None:
            raise NoSigningKey
        lock = self._store.retention_lock()
        if lock is None:
            done.busy = True
            return done

        def step(what: str) -> None:
            lock.renew()
            self._step(what)

        try:
            self._rolls.tidy()
            if unlisted is not None:
                self._forget(unlisted, done, step, stopping)
            if pruned is not None:
                self._prune(pruned, timestamp(now), done, step, stopping)
        except LockLost:
            done.busy = True
            return done
        lock.release()
        return done

    def _forget(self, before: int, done: Retained, step: Step, stopping: Stopping) -> None:
        """Let the games of all apps that have not changed since a time leave the listings."""
        for app in self._listings.apps():
            horizon = self._listings.horizon(app)
            if stopping():
                return
            if horizon.done >= before:
                continue
            self._listings.move_horizon(app, listed=before)
            left = len(done.left)
            for day, lines in self._by_day(app, before):
                try:
                    self._unlist(app, day, lines, done, step)
                except CorruptStream as error:
                    done.leave(f"The listing of {app} on {day}", error)
            if horizon.listed < before:
                step(f"thin the results of {app}")
                try:
                    done.results += self._ratings.thin(app, before)
                except CorruptStream as error:
                    done.leave(f"What {app}'s ratings rest on", error)
            if len(done.left) == left:
                self._listings.move_horizon(app, done=before)

    def _by_day(self, app: str, before: int) -> Iterator[tuple[str, dict[bytes, bytes | None]]]:
        """The lines of the app's games from before that time, by member, as many of a day as are handled at once."""
        day, lines = "", dict[bytes, bytes | None]()
        for page in self._listings.over_before(app, before):
            for place, kept in page:
                its_day = _day_of(place)
                if lines and (its_day != day or len(lines) >= AT_ONCE):
                    yield day, lines
                    lines = {}
                day = its_day
                lines[place[1]] = kept
        if lines:
            yield day, lines

    def _unlist(
        self, app: str, day: str, lines: Mapping[bytes, bytes | None], done: Retained, step: Step
    ) -> None:
        ids = {member: member.partition(b":")[2].decode() for member in lines}
        here, gone = self._store.existing(list(ids.values())), self._store.pruned(list(ids.values()))
        archived, entries, going = self._archived_on(day), list[RollEntry](), list[bytes]()
        for member, game_id in ids.items():
            kept = lines[member]
            try:
                line = None if kept is None else document_of(kept)
            except CorruptStream as error:
                done.leave(game_id, error)
                continue
            if game_id in here:
                done.left[game_id] = "It is not in the archive yet."
            elif game_id in archived:
                filed = archived[game_id]
                entries.append(RollEntry(game_id, app, filed.version, filed.head, line))
                going.append(member)
            elif game_id in gone:
                going.append(member)
            else:
                done.left[game_id] = "It is neither in the store nor in the archive."
        if entries:
            step(f"write the roll of {day}")
            self._rolls.add(day, entries, self._keyring())
        step(f"unlist games of {day}")
        self._forget_own_data(app, [ids[member] for member in going])
        for member in going:
            done.unlisted += self._listings.unlist(app, member, lines[member])
            step("unlisted")

    def _archived_on(self, day: str) -> dict[str, Entry]:
        """The games in the archive's files of a day."""
        found = dict[str, Entry]()
        for name in self._files(day):
            try:
                found |= self._reader.index(name)
            except FileNotFoundError:
                continue  # an archiver has just written another one: its games go the next time
            except CorruptStream as error:
                log.warning("%s Its games stay listed.", error.detail)
        return found

    def _forget_own_data(self, app: str, game_ids: Sequence[str]) -> None:
        for game_id, kept in zip(game_ids, self._own_data.kept(app, game_ids), strict=True):
            if kept is not None:
                self._own_data.put(app, game_id, kept, None)

    def _prune(self, before: int, at: str, done: Retained, step: Step, stopping: Stopping) -> None:
        """Let the games of all days before a time leave the archive."""
        first_kept = time_of(before)[:10].replace("-", "/")
        for day in sorted({name[:10] for name in self._storage.names("p*.gz")}):
            if day >= first_kept or stopping():
                return
            try:
                self._prune_day(day, at, done, step)
            except CorruptStream as error:
                done.leave(day, error)

    def _prune_day(self, day: str, at: str, done: Retained, step: Step) -> None:
        entries, files = dict[str, RollEntry](), dict[int, dict[str, list[str]]]()
        for name in self._files(day):
            parts = file_format.parts_of(name)
            assert parts is not None
            step(f"read {name}")
            try:
                found = self._read(name, at)
            except FileNotFoundError:
                continue
            except CorruptStream as error:
                done.left[name] = error.detail
                files[parts[1]] = {}
                continue
            entries |= found
            if files.get(parts[1]) != {}:
                files.setdefault(parts[1], {})[name] = list(found)
        for game_id in self._store.existing(list(entries)):
            done.left[game_id] = "It was restored, and stays."
            files[partition_of(game_id)] = {}
        going = [game_id for names in files.values() for ids in names.values() for game_id in ids]
        if not going:
            return
        step(f"write the roll of {day}")
        self._rolls.add(day, [entries[game_id] for game_id in going], self._keyring())
        by_app = dict[str, list[str]]()
        for game_id in going:
            by_app.setdefault(entries[game_id].app, []).append(game_id)
        for app, ids in by_app.items():
            self._forget_own_data(app, ids)
        for partition, names in files.items():
            self._remove(partition, day, names, done, step)
        done.days += 1

    def _remove(
        self, partition: int, day: str, names: Mapping[str, list[str]], done: Retained, step: Step
    ) -> None:
        """Remove the files of a partition, whose games are in the roll, unless an archiver works there."""
        lock = self._store.lock(partition) if names else None
        if lock is None:
            return
        try:
            if set(names) == set(self._files(day, f"p{partition:03d}-*.gz")):
                step(f"note what is gone of partition {partition}")
                self._store.note_pruned(day_number(day), [one for ids in names.values() for one in ids])
                for name, ids in names.items():
                    step(f"remove {name}")
                    self._storage.remove(name)
                    done.files += 1
                    done.pruned += len(ids)
        finally:
            lock.release()

    def _read(self, name: str, at: str) -> dict[str, RollEntry]:
        """The entries of the games of a file, each checked. FileNotFoundError, CorruptStream."""
        content = self._storage.read(name)
        records = self._slices.finish(file_format.checking_all(name, content))
        return {game_id: self._entry(record, at) for game_id, record in records.items()}

    def _entry(self, record: ArchivedGame, at: str) -> RollEntry:
        raw = record.raw
        snapshot, secrets = folded(raw, raw.events(), self._games), raw.secrets
        result = counted(snapshot)
        rest = PrunedGame(
            at,
            sha256(record.export).hexdigest(),
            secrets.visibility,
            tuple(token for token in secrets.tokens.values() if token),
            None
            if result is None
            else (result.leaderboard, result.member, result.subjects, result.places, result.anchors),
        )
        return RollEntry(raw.game_id, secrets.app, raw.version, raw.head, None, rest)

    def _files(self, day: str, pattern: str = "p*.gz") -> list[str]:
        names = self._storage.names(pattern, day)
        return [name for name in names if file_format.NAME.fullmatch(name)]


def _day_of(place: Place) -> str:
    """The day of a game's last event, as the archive's directories are named."""
    return time_of(place[0])[:10].replace("-", "/")
