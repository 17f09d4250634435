"""A simulated time of an engine that lets old games go: what its store and its archive hold at the end of each month.

Games go the way of every game: use-cases append to the store, a dispatcher reads the feed, an archiver moves games and
lets old ones go. Only the clock is another one. The games are as short as games can be: a seat resigns at once.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

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
from events.scheduling import Slices
from events.store.connections.client import RedisClient
from events.store.link import link_to
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.job_queue.queue import JobQueue

APP = "club"
BEGAN = datetime(2024, 1, 1, 12, tzinfo=UTC)  # all of it is over by the clock of the server
DAY = 86_400.0
RULES = {"first_seat": "random"}


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
    findings: list[str]


class Simulation:
    """An engine on the settings' store and archive, whose time is the clock's."""

    def __init__(self, settings: Settings, players: int, *, own_data: bool = False) -> None:
        self.settings = settings
        self.clock = Clock()
        self.played = 0
        self._players = players
        self._own_data = own_data
        self._rng = Random(1)
        ensure(self._keys)
        self.application = self._application()
        self._feed = adapters.feed(settings, GROUP, CONSUMER)
        self._feed.join()
        server = Redis.from_url(str(settings.queue_url or settings.redis_url))
        self._dispatcher = Dispatcher(self._feed, self.application, JobQueue(server), server)

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
        chosen = adapters.of_application(self.settings, Slices(), memory)
        return wired(chosen, GAMES, memory=memory, now=self.clock, keyring=KeyFiles(self._keys).keyring)

    def new(self) -> NewGame:
        """A rated and public game of two of the players."""
        one, other = self._rng.sample(range(self._players), 2)
        seats = (Seat("human", f"player {one}"), Seat("human", f"player {other}"))
        return NewGame("migo", RULES, seats, "public", pairing="app")

    def play(self, games: int) -> list[str]:
        """Play so many games to their end, at the present time, and have the dispatcher handle them."""
        ids = []
        for _ in range(games):
            own = OwnData(f"order-{self.played}", {"room": "north"}) if self._own_data else OwnData()
            game_id = self.application.creation.create(APP, self.new(), own=own).snapshot.game_id
            self.application.moves.play(game_id, self._rng.randrange(2), {"type": "resign"})
            self.application.bot_turns.score_game(game_id)
            ids.append(game_id)
            self.played += 1
        self.dispatch()
        return ids

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

    def month(self, day: int, archived: int, pruned: int) -> Month:
        """All that there is now."""
        files = [path for path in Path(str(self.settings.archive)).rglob("*") if path.is_file()]
        rolls = [path for path in files if path.name.startswith("roll-")]
        games, roll_bytes = sum(_size(path) for path in files), sum(_size(path) for path in rolls)
        listed = self.link.call("HLEN", f"{{app:{APP}}}:lines")
        stored = sum(bytes_by_kind(self.settings).values())
        return Month(
            *(day, self.played, archived, listed, pruned, stored, games - roll_bytes, roll_bytes),
            self.findings(),
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


def months(on: Simulation, days: int, games: int, every: int = 30) -> Iterator[Month]:
    """Let so many days go by, with so many games a day; the state after each month of `every` days."""
    archived = pruned = 0
    for day in range(1, days + 1):
        on.play(games)
        on.clock.at += timedelta(days=1)
        archived += on.mover().run().games
        pruned += on.retention().run().pruned
        if day % every == 0:
            yield on.month(day, archived, pruned)


def report(
    tell: Callable[[str], object], days: int, games: int, players: int, listed: float, kept: float
) -> None:
    """A line for each month, as Markdown."""
    tell("| day | played | in the archive | listed | pruned | store, MB | archive, MB | rolls, MB | fsck |")
    tell("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        periods = Periods(listed * DAY, kept * DAY)
        with simulation(Path(directory), periods, players=players) as on:
            for month in months(on, days, games):
                sizes = (month.store_bytes, month.archive_bytes, month.roll_bytes)
                shown = " | ".join(f"{size / 1e6:,.1f}" for size in sizes)
                counts = (month.played, month.archived - month.pruned, month.listed, month.pruned)
                numbers = " | ".join(f"{number:,}" for number in counts)
                tell(f"| {month.day} | {numbers} | {shown} | {month.findings[:3] or 'clean'} |")
            for kind, size in bytes_by_kind(on.settings).items():
                tell(f"{size:>14,}  {kind}")


def main(arguments: list[str]) -> int:
    """`python -m benchmarks retention DAYS GAMES PLAYERS LISTED KEPT`: games a day, and for how many days they stay."""
    if len(arguments) != len(("days", "games", "players", "listed", "kept")) or not all(
        map(str.isdecimal, arguments)
    ):
        sys.stderr.write(f"{main.__doc__}\n")
        return 2
    days, games, players, listed, kept = map(int, arguments)
    report(lambda line: sys.stdout.write(f"{line}\n"), days, games, players, listed, kept)
    return 0
