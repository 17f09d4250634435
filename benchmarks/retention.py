"""A simulated time of an engine that lets old games go: what its store and its archive hold at the end of each month.

Games go the way of every game: use-cases append to the store, a dispatcher reads the feed, an archiver moves games and
lets old ones go. Only the clock is another one. The games are as short as games can be: a seat resigns at once. In the
last night of each month the process that lets games go is killed at another step, and another one ends its work.

With a DIRECTORY the time goes on there where a former run has stopped: SIGTERM ends a run after its day.
"""

import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from subprocess import run
from typing import Final

from redis import Redis

from domain.lifecycle import Seat
from domain.registry import GAMES
from events.application import Application, wired
from events.archive.mover import Mover, Step, no_progress
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory
from events.caching import MIB, Memory
from events.engine.new_game import NewGame
from events.features.listings.projection import Listings
from events.features.own_data.records import OwnData
from events.features.ratings.ratings import Ratings
from events.fsck.check import PATIENCE, Fsck
from events.log.signing import Keyring
from events.retention.periods import Periods
from events.retention.retention import Retained, Retention
from events.runtime import adapters
from events.runtime.embedded import EmbeddedServer
from events.runtime.key_files import KeyFiles, ensure
from events.runtime.settings import Settings
from events.scheduling import Undivided
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.job_queue.queue import JobQueue
from workers.together import Together

APP = "club"
BEGAN = datetime(2024, 1, 1, 12, tzinfo=UTC)  # all of it is over by the clock of the server
DAY = 86_400.0
RULES = {"first_seat": "random"}
AT_ONCE: Final = 20  # games that are played at once, as several people do
MONTH: Final = 30  # days
DEATHS: Final = (
    "unlisted",
    "read ",
    "write the roll of ",
    "note what is gone ",
    "remove ",
)  # beginnings of steps; a month's death is before its second one
STATE: Final = "simulation.json"


@dataclass(slots=True)
class Clock:
    """The time of the simulation."""

    at: datetime = BEGAN

    def __call__(self) -> datetime:
        """The present time."""
        return self.at


@dataclass(frozen=True, slots=True)
class Month:
    """State at the end of a month: games played so far and in the archive, bytes, and findings of fsck."""

    day: int
    played: int
    archived: int
    listed: int
    pruned: int
    store_bytes: int
    archive_bytes: int
    roll_bytes: int
    died: str
    findings: list[str]


@dataclass(slots=True)
class Past:
    """Days that have gone by, and games played and moved to the archive meanwhile."""

    day: int = 0
    played: int = 0
    archived: int = 0
    file: Path | None = None

    @classmethod
    def of(cls, file: Path) -> "Past":
        """As the file says; nothing yet if there is none."""
        return cls(**json.loads(file.read_text()), file=file) if file.exists() else cls(file=file)

    def keep(self) -> None:
        """Write it to its file, if it has one."""
        if self.file is not None:
            told = {name: value for name, value in asdict(self).items() if name != "file"}
            self.file.with_suffix(".new").write_text(json.dumps(told))
            self.file.with_suffix(".new").rename(self.file)


class Simulation:
    """An engine on the settings' store and archive, whose time is the clock's."""

    def __init__(self, settings: Settings, players: int, *, own_data: bool = False) -> None:
        self.settings = settings
        self.clock = Clock()
        self.played = 0
        self._players = players
        self._own_data = own_data
        self._rng = Random(1)
        self._together = Together()
        ensure(self._keys)
        self.application = self._application()
        self._feed = adapters.feed(settings, GROUP, CONSUMER)
        self._feed.join()
        server = Redis.from_url(str(settings.queue_url or settings.redis_url))
        self._dispatcher = Dispatcher(
            self._feed, self.application, JobQueue(server), server, together=self._together
        )

    @property
    def _keys(self) -> Path:
        assert self.settings.signing_keys is not None
        return self.settings.signing_keys

    @property
    def link(self) -> RedisClient:
        """A link to the store."""
        return link_to(str(self.settings.redis_url), 10.0)

    @property
    def reader(self) -> ArchiveReader:
        """A reader of the archive that has read nothing yet."""
        return ArchiveReader(Directory(Path(str(self.settings.archive))))

    def _application(self) -> Application:
        memory = Memory(8 * MIB)
        chosen = adapters.of_application(self.settings, Undivided(), memory, self._together.over)
        return wired(
            chosen,
            GAMES,
            memory=memory,
            slices=Undivided(),
            now=self.clock,
            keyring=KeyFiles(self._keys).keyring,
        )

    def new(self) -> NewGame:
        """A rated and public game of two of the players."""
        one, other = self._rng.sample(range(self._players), 2)
        seats = (Seat("human", f"player {one}"), Seat("human", f"player {other}"))
        return NewGame("migo", RULES, seats, "public", pairing="app")

    def play(self, games: int) -> list[str]:
        """Play so many games to their end, at the present time, and have the dispatcher handle them."""
        ids = list[str]()
        while left := games - len(ids):
            acts = [
                partial(self._play, self.new(), self._rng.randrange(2)) for _ in range(min(left, AT_ONCE))
            ]
            for outcome in self._together.run(acts):
                if isinstance(outcome, Exception):
                    raise outcome
                ids.append(outcome)
        self.dispatch()
        return ids

    def _play(self, new: NewGame, loser: int) -> str:
        own = OwnData(f"order-{self.played}", {"room": "north"}) if self._own_data else OwnData()
        self.played += 1
        game_id = self.application.creation.create(APP, new, own=own).snapshot.game_id
        self.application.moves.play(game_id, loser, {"type": "resign"})
        self.application.bot_turns.score_game(game_id)
        return game_id

    def dispatch(self) -> None:
        """Have the dispatcher handle all that is new, and forget it."""
        while entries := self._feed.read(1):
            self._dispatcher.handle(entries)
        self._feed.trim()

    def mover(self) -> Mover:
        """The mover of an archiver."""
        heads = self.application.heads
        return Mover(
            adapters.whole_games(self.settings),
            self.reader.storage,
            GAMES,
            self.settings.archive_after,
            now=self.clock,
            sign=lambda game_id: heads.with_final(self.application.views.snapshot(game_id)),
            signed=heads.of_export,
        )

    def retention(self, step: Step = no_progress, keyring: Callable[[], Keyring] | None = None) -> Retention:
        """Retention as an archiver has it; without a `keyring` with the engine's key."""
        listings, ratings, own_data = adapters.of_retention(self.settings)
        return Retention(
            adapters.whole_games(self.settings),
            self.reader,
            Listings(listings),
            Ratings(ratings, lambda _: set()),
            own_data,
            GAMES,
            Periods(self.settings.listings_keep, self.settings.archive_keep),
            keyring or KeyFiles(self._keys).keyring,
            now=self.clock,
            step=step,
        )

    def let_go(self, step: Step = no_progress) -> Retained:
        """Move games to the archive and let old ones go, as an archiver does."""
        self.mover().run()
        return self.retention(step).run()

    def death(self, at: str) -> str:
        """The step, if it came, at which another process is killed that lets old games go: the second of this name."""
        context = get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_let_go_and_die, args=(self.settings, self.clock.at, at, theirs))
        process.start()
        theirs.close()
        process.join()
        if process.exitcode == -signal.SIGKILL:
            self.link.call(
                "DEL", keys.RETAINING, *map(keys.archiving, range(keys.PARTITIONS))
            )  # or they expire
            return str(ours.recv())
        if process.exitcode:
            raise ChildProcessError(process.exitcode)
        return ""

    def month(self, past: Past, died: str) -> Month:
        """All that there is now."""
        files = [path for path in Path(str(self.settings.archive)).rglob("*") if path.is_file()]
        rolls = [path for path in files if path.name.startswith("roll-")]
        games, roll_bytes = sum(_size(path) for path in files), sum(_size(path) for path in rolls)
        listed = self.link.call("HLEN", keys.lines(APP))
        pruned = sum(self.link.call("HLEN", keys.pruned(number)) for number in range(keys.PARTITIONS))
        stored = sum(bytes_by_kind(self.settings).values())
        return Month(
            *(past.day, past.played, past.archived, listed, pruned),
            *(stored, games - roll_bytes, roll_bytes, died, self.findings()),
        )

    def findings(self) -> list[str]:
        """The findings of fsck."""
        report = Fsck(self.link, GAMES, (self.reader, self.mover()), repair=False, patience=PATIENCE).run()
        return [f"{finding.code} {finding.game_id} {finding.where}" for finding in report.findings]


def _size(path: Path) -> int:
    return path.stat().st_size


def bytes_by_kind(settings: Settings) -> Mapping[str, int]:
    """Bytes of all keys of the store by MEMORY USAGE, by what they hold: whole streams, and every member."""
    server, found = Redis.from_url(str(settings.redis_url)), dict[str, int]()
    for key in server.scan_iter(count=1000):
        name = key.decode(errors="replace")
        kind = name.partition(":")[2] if name.startswith("{p") else name
        kind = kind.partition(":")[0] if name.startswith("{p") else _kind(name)
        found[kind] = found.get(kind, 0) + int(server.memory_usage(key, samples=0) or 0)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _kind(name: str) -> str:
    parts = name.split(":")
    if not name.startswith("{app:"):
        return name
    return ":".join(parts[2:4]) if parts[2] in ("games", "results") else parts[2]


@contextmanager
def simulation(
    directory: Path, periods: Periods, *, players: int = 200, own_data: bool = False
) -> Iterator[Simulation]:
    """A simulation on an embedded server of its own, with all it keeps in the directory."""
    with EmbeddedServer(directory / "redis", fsync="no") as server:
        wanted = replace(
            Settings(),
            redis_url=server.url,
            queue_url=server.url,
            archive=str(directory / "archive"),
            signing_keys=directory / "keys",
            limits="off",
            cache_mb=8,
            archive_keep=periods.kept,
            listings_keep=periods.listed,
        )
        yield Simulation(wanted, players, own_data=own_data)


def _let_go_and_die(settings: Settings, at: datetime, name: str, told: Connection) -> None:
    on, left = Simulation(settings, 2), iter((False, True))
    on.clock.at = at

    def step(what: str) -> None:
        if what.startswith(name) and next(left):
            told.send(what)
            os.kill(os.getpid(), signal.SIGKILL)

    on.retention(step).run()


def months(
    on: Simulation, days: int, games: int, past: Past | None = None, stopping: Callable[[], bool] = bool
) -> Iterator[Month]:
    """Let days go by until there are so many, with so many games a day; the state after each month."""
    past = past or Past()
    on.clock.at += timedelta(days=past.day)
    while past.day < days and not stopping():
        on.play(games)
        on.clock.at += timedelta(days=1)
        archived = on.mover().run().games
        month, ends = divmod(past.day + 1, MONTH)
        died = "" if ends else on.death(DEATHS[month % len(DEATHS)])
        on.retention().run()
        past.day, past.played, past.archived = past.day + 1, past.played + games, past.archived + archived
        past.keep()
        if not ends:
            yield on.month(past, died)


def verified(settings: Settings) -> str:
    """The last line of `migrato archive verify`, what is in a roll and nowhere else, and the exit code."""
    environ = {"MIGRATO_ARCHIVE": str(settings.archive), "MIGRATO_SIGNING_KEYS": str(settings.signing_keys)}
    done = run(
        [sys.executable, "-m", "service.cli", "archive", "verify"],
        env=os.environ | {"MIGRATO_REDIS_URL": str(settings.redis_url)} | environ,
        capture_output=True,
        text=True,
        check=False,
    )
    dropped = (done.stdout + done.stderr).count(" is in the roll of ")
    return f"{done.stdout.splitlines()[-1]} {dropped} games dropped. Exit code {done.returncode}."


def report(tell: Callable[[str], object], wanted: "Wanted") -> None:
    """A line for each month, as Markdown; at last the store by kind, and the verdict of the archive's audit."""
    columns = (
        "day | played | archive | listed | pruned | store, MB | archive, MB | rolls, MB | killed at | fsck"
    )
    tell(f"| {columns} |\n|{'---|' * 10}")
    stopped = list[int]()
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    periods = Periods(wanted.listed * DAY, wanted.kept * DAY)
    place = tempfile.TemporaryDirectory() if wanted.directory is None else nullcontext(wanted.directory)
    with place as directory, simulation(Path(directory), periods, players=wanted.players) as on:
        past = Past.of(Path(directory, STATE))
        for month in months(on, wanted.days, wanted.games, past, lambda: bool(stopped)):
            sizes = (month.store_bytes, month.archive_bytes, month.roll_bytes)
            shown = " | ".join(f"{size / 1e6:,.1f}" for size in sizes)
            counts = (month.played, month.archived - month.pruned, month.listed, month.pruned)
            numbers = " | ".join(f"{number:,}" for number in counts)
            end = f"{month.died or 'not'} | {month.findings[:3] or 'clean'}"
            tell(f"| {month.day} | {numbers} | {shown} | {end} |")
        if past.day < wanted.days:
            return
        for kind, size in bytes_by_kind(on.settings).items():
            tell(f"{size:>14,}  {kind}")
        tell(f"archive verify: {verified(on.settings)}")
        storage = on.reader.storage
        name = on.reader.files()[0]
        content = storage.read(name)
        storage.remove(name)
        tell(f"without {name}: {verified(on.settings)}")
        Path(str(on.settings.archive), name).write_bytes(content)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    tell(f"{sum(one.ru_utime + one.ru_stime for one in used):,.0f} s of processor time")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A simulation by the numbers of its command line."""

    days: int
    games: int
    players: int
    listed: int
    kept: int
    directory: Path | None


def main(arguments: list[str]) -> int:
    """`python -m benchmarks retention DAYS GAMES PLAYERS LISTED KEPT [DIRECTORY]`: games a day, days that they stay."""
    count = len(fields(Wanted)) - 1
    numbers, directory = arguments[:count], arguments[count:]
    if len(numbers) < count or len(directory) > 1 or not all(map(str.isdecimal, numbers)):
        sys.stderr.write(f"{main.__doc__}\n")
        return 2
    days, games, players, listed, kept = map(int, numbers)
    wanted = Wanted(days, games, players, listed, kept, Path(directory[0]) if directory else None)
    report(lambda line: sys.stdout.write(f"{line}\n") and sys.stdout.flush(), wanted)
    return 0
