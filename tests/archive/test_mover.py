"""Moving games to the archive: what is moved, what is left, and what a death at any step leaves."""

import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from domain.registry import GAMES
from events.archive import file_format
from events.archive import storage as place_module
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Storage
from events.errors import StoreUnavailable
from events.games.new_game import NewGame
from events.log.stored_form import StoredGame
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.whole_games import LOCK_MS, RedisGames
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.archive.conftest import BOTS, WEEK, NewMover, finished, play_on, raw_of
from tests.stored import lose

LATE = "0123456789abcdef 9 00 late"  # a signature as it is kept


class Death(BaseException):
    """A mover is killed by it: nothing is tidied up."""


def games_of(storage: Storage) -> list[str]:
    """The ids in all files; none may come twice."""
    archive_reader = ArchiveReader(storage)
    return sorted(game_id for name in archive_reader.files() for game_id in archive_reader.index(name))


def streams(redis_games: RedisGames) -> list[bytes]:
    """The streams that Redis has."""
    return [key for page in redis_games.keys("*:events:*") for key in page]


def test_a_finished_game_moves_as_it_is(
    application: Application,
    redis_games: RedisGames,
    new_mover: NewMover,
    archive_reader: ArchiveReader,
    link: RedisClient,
) -> None:
    """Every entry of its stream and every field beside it is in the archive, and nothing of it in Redis."""
    game_id = finished(application)
    before = raw_of(redis_games, game_id)

    moved = new_mover().run()

    assert (moved.games, moved.files, moved.left, moved.busy) == (1, 1, {}, [])
    found = archive_reader.find(game_id, "any")
    assert found is not None
    assert found.raw == before
    assert [key for page in redis_games.keys(f"*{game_id}*") for key in page] == []
    assert link.call("HGET", keys.due(keys.partition_of(game_id)), game_id) is None


def test_running_games_stay(
    application: Application, redis_games: RedisGames, new_mover: NewMover, link: RedisClient
) -> None:
    """Games that run, that wait for their score, that were over just now. A mark that is no time keeps none."""
    running = application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    unscored = application.creation.create("anonymous", NewGame(options={"turn_limit": 2}, seats=BOTS))
    play_on(application, unscored.snapshot.game_id, scored=False)
    over, marked = finished(application, 3), finished(application, 3)

    assert new_mover(now=lambda: datetime.now(UTC)).run().games == 0
    link.call("HSET", keys.restored(keys.partition_of(marked)), marked, "soon")
    assert new_mover().run().games == 2
    stays = {game: bool(raw_of(redis_games, game).entries) for game in (running, over, marked)}
    assert stays == {running: True, over: False, marked: False}
    assert raw_of(redis_games, unscored.snapshot.game_id).entries


def test_a_file_is_named_by_its_content_and_read_by_zcat(
    application: Application, new_mover: NewMover, storage: Storage, settings_archive: Path
) -> None:
    """Anybody can check it with sha256sum, and read it with zcat: export, private line, index, footer."""
    game_id = finished(application)
    new_mover().run()
    (name,) = storage.names()
    day = f"{datetime.now(UTC):%Y/%m/%d}"

    assert name.startswith(f"{day}/p{keys.partition_of(game_id):03d}-")
    assert sha256((settings_archive / name).read_bytes()).hexdigest() in name
    lines = subprocess.run(
        ["zcat", settings_archive / name], capture_output=True, check=True
    ).stdout.splitlines()
    assert lines[0].startswith(b'{"complete":true,"deck":null,"format":"migrato-export/1","game":"migrato"')
    assert lines[-4].startswith(b'{"end":')
    assert lines[-3].startswith(b'{"private":')
    assert lines[-2].startswith(b'{"index":')
    assert lines[-1].startswith(b'{"index_at":')
    assert (settings_archive / name).stat().st_mode & 0o077 == 0


@pytest.fixture
def settings_archive(settings: Settings) -> Path:
    """The archive's directory."""
    return Path(str(settings.archive))


@pytest.mark.usefixtures("one_partition")
def test_the_same_games_give_the_same_file(
    application: Application, new_mover: NewMover, storage: Storage
) -> None:
    """At once or one after the other: the former file goes when all of it is in the new one."""
    first = finished(application)
    new_mover().run()
    (former,) = storage.names()
    second = finished(application)
    new_mover().run()
    (name,) = storage.names()

    assert name != former
    members = file_format.unpack(name, storage.read(name))
    assert sorted(members) == sorted([first, second])
    assert file_format.pack(name[:10], 0, dict(reversed(members.items()))) == storage.read(name)
    new_mover().run()
    assert storage.names() == [name]


@pytest.mark.usefixtures("one_partition")
def test_a_death_at_any_step_loses_nothing_and_doubles_nothing(
    application: Application,
    new_mover: NewMover,
    storage: Storage,
    redis_games: RedisGames,
    link: RedisClient,
    archive_reader: ArchiveReader,
) -> None:
    """Before each step once: staging, publishing, checking, each removal. The next run ends what was begun."""
    first = finished(application, 3)
    known = {first: raw_of(redis_games, first)}
    new_mover().run()
    for at in count():
        for _ in range(2):
            game_id = finished(application, 3)
            known[game_id] = raw_of(redis_games, game_id)
        try:
            new_mover(step=dying_at(at)).run()
        except Death:
            everything_is_readable(application, known)
            link.call("DEL", keys.archiving(0))  # as if its minute were over
            new_mover().run()
        else:
            break
        everything_is_readable(application, known)
        assert sorted(known) == games_of(storage)
        assert len(storage.names()) == 1
        assert streams(redis_games) == []
    assert at == 6  # stage, publish, check, two streams, the former file
    for game_id, raw in known.items():
        record = archive_reader.find(game_id, f"{at}")
        assert record is not None
        assert record.raw == raw


def dying_at(step: int) -> Callable[[str], None]:
    """A mover's step that dies before step number `step`."""
    steps = count()

    def die(what: str) -> None:
        if next(steps) >= step:
            raise Death(what)

    return die


def everything_is_readable(application: Application, known: Mapping[str, StoredGame]) -> None:
    """Each game answers with its events, whether Redis has it, or the archive, or both."""
    for game_id, raw in known.items():
        events = application.views.history(game_id)
        assert [event.committed for event in events] == [entry[0] for entry in raw.entries]


@pytest.mark.parametrize("broken", ["fsync", "replace", "directory", "short"])
def test_a_disk_that_fails_costs_nothing(
    application: Application,
    new_mover: NewMover,
    storage: Storage,
    redis_games: RedisGames,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
) -> None:
    """An error while writing, while renaming, or a file that holds less than was written: the stream stays."""
    game_id = finished(application)
    before = raw_of(redis_games, game_id)
    stage, synced = storage.stage, place_module._sync
    with monkeypatch.context() as patch:
        if broken == "fsync":
            patch.setattr("os.fsync", failing)
        elif broken == "replace":
            patch.setattr(Path, "replace", failing)
        elif broken == "directory":  # only once the file has its name
            after = lambda path: failing() if [*path.glob("*.gz")] else synced(path)  # noqa: E731
            patch.setattr(place_module, "_sync", after)
        else:
            patch.setattr(storage, "stage", lambda name, content: stage(name, content[:-100]))
        with pytest.raises(StoreUnavailable):
            new_mover().run()
    assert raw_of(redis_games, game_id) == before

    assert new_mover().run().games == 1
    (name,) = [name for name in storage.names() if broken != "short" or packing_holds(storage, name)]
    assert name.endswith(".gz")


def packing_holds(storage: Storage, name: str) -> bool:
    """True if the file's content is what its name says."""
    parts = file_format.parts_of(name)
    return parts is not None and file_format.name_of(*parts, storage.read(name)) == name


def failing(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.usefixtures("one_partition")
def test_two_movers_at_once_share_the_work(
    application: Application, storage: Storage, redis_games: RedisGames, redis_url: str
) -> None:
    """One has the partition, the other leaves it alone; a late one finds nothing to do."""
    ids = sorted(finished(application, 3) for _ in range(6))
    later = datetime.fromtimestamp(datetime.now(UTC).timestamp() + WEEK + 60, UTC)
    movers = [
        Mover(RedisGames(RedisClient.to(redis_url, 10.0)), storage, GAMES, WEEK, now=lambda: later)
        for _ in range(4)
    ]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda mover: mover.run().games, movers))
    movers[0].run()
    assert games_of(storage) == ids
    assert len(storage.names()) == 1
    assert streams(redis_games) == []
    assert sum(done) <= 6


def test_a_lock_by_a_clock_that_was_ahead_lasts_no_longer(redis_games: RedisGames, link: RedisClient) -> None:
    """Its holder renews it; a dead holder does not keep the partition for days."""
    assert redis_games.lock(3) is not None
    link.call("EXPIRE", keys.archiving(3), 3 * 86_400)
    assert redis_games.lock(3) is None
    assert 0 < link.call("PTTL", keys.archiving(3)) <= LOCK_MS


@pytest.mark.usefixtures("one_partition")
def test_a_mover_that_lost_its_right_removes_nothing(
    application: Application,
    new_mover: NewMover,
    redis_games: RedisGames,
    link: RedisClient,
    storage: Storage,
) -> None:
    """It was stopped for so long that another one began: the two files that may come of it become one again."""
    first = finished(application, 3)
    inner_runs: list[int] = []

    def sleep_too_long(what: str) -> None:
        if what.startswith("remove") and not inner_runs:
            link.call("DEL", keys.archiving(0))
            inner_runs.append(0)
            second = finished(application, 3)
            inner_runs[0] = new_mover().run().games
            link.call("SET", keys.archiving(0), "somebody else")
            assert second in games_of(storage)

    late = new_mover(step=sleep_too_long).run()

    assert inner_runs == [2]
    assert (late.games, late.busy) == (0, [0])
    link.call("DEL", keys.archiving(0))
    new_mover().run()
    assert len(games_of(storage)) == 2
    assert first in games_of(storage)
    assert len(storage.names()) == 1


@pytest.mark.usefixtures("one_partition")
def test_late_additions_to_a_game_that_is_moved_are_kept(
    application: Application,
    new_mover: NewMover,
    redis_games: RedisGames,
    link: RedisClient,
    storage: Storage,
) -> None:
    """It is not removed then; the next run takes the later copy, also where two files have it."""
    game_id = finished(application)

    def sign(what: str) -> None:
        if what.startswith("remove"):
            link.call("HSET", keys.secrets(game_id), "token:1", "0" * 64)

    moved = new_mover(step=sign).run()
    assert (moved.games, list(moved.left)) == (0, [game_id])
    before = raw_of(redis_games, game_id)
    (former,) = storage.names()
    content = storage.read(former)

    assert new_mover().run().games == 1
    storage.stage(former, content)
    new_mover().run()
    (name,) = storage.names()
    assert name != former
    record = ArchiveReader(storage).find(game_id, None)
    assert record is not None
    assert record.raw == before
    assert record.raw.beside["secrets"]["token:1"] == "0" * 64


def test_a_game_that_does_not_hold_together_is_left(
    application: Application, new_mover: NewMover, redis_games: RedisGames, link: RedisClient
) -> None:
    """It is told which, and why; the others move."""
    broken, sound = finished(application), finished(application)
    lose(link, broken, 3)
    moved = new_mover().run()
    assert (moved.games, list(moved.left)) == (1, [broken])
    assert raw_of(redis_games, broken).entries
    assert not raw_of(redis_games, sound).entries


def test_a_damaged_file_is_left_and_its_games_are_not_mixed_with_others(
    application: Application,
    new_mover: NewMover,
    settings_archive: Path,
    storage: Storage,
    one_partition: None,
) -> None:
    """New games go into a file of their own."""
    finished(application)
    new_mover().run()
    (name,) = storage.names()
    content = bytearray(storage.read(name))
    content[20] ^= 1
    (settings_archive / name).write_bytes(content)
    game_id = finished(application)

    assert new_mover().run().games == 1

    assert len(storage.names()) == 2
    (other,) = set(storage.names()) - {name}
    assert list(file_format.unpack(other, storage.read(other))) == [game_id]
