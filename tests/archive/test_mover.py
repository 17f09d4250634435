"""Moving games to the archive: what is moved, what is left, and what a death at any step leaves."""

import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from events.application import Application
from events.archive import file_format
from events.archive import storage as place_module
from events.archive.reader import ArchiveReader
from events.archive.storage import Storage
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.log.stored_form import StoredGame
from events.store import keys
from events.store.link import link_to
from events.store.whole_games import LOCK_MS
from tests.archive.conftest import BOTS, Place, play_on
from tests.support.stored import lose
from tests.support.sure import sure


class Death(BaseException):
    """A mover is killed by it: nothing is tidied up."""


def games_of(storage: Storage) -> list[str]:
    """The ids in all files; none may come twice."""
    reader = ArchiveReader(storage)
    return sorted(game_id for name in reader.files() for game_id in reader.index(name))


def all_is_filed(place: Place, games: Iterable[str]) -> None:
    """These games are in one file, and none is in Redis."""
    assert games_of(place.storage) == sorted(games)
    assert len(place.storage.names()) == 1
    assert place.link.call("KEYS", "*:events:*") == []


def test_a_finished_game_moves_as_it_is(place: Place) -> None:
    """Every entry of its stream and every field beside it is in the archive, and nothing of it in Redis."""
    game_id = place.finished()
    before = place.raw(game_id)
    moved = place.move()
    assert (moved.games, moved.files, moved.left, moved.busy) == (1, 1, {}, [])
    assert sure(place.reader.find(game_id, "any")).raw == before
    assert place.link.call("KEYS", f"*{game_id}*") == []
    assert place.link.call("HGET", keys.due(keys.partition_of(game_id)), game_id) is None


def test_running_games_stay(place: Place) -> None:
    """Games that run, that wait for their score, that were over just now. A mark that is no time keeps none."""
    running = place.application.creation.create("anonymous", NewGame(seats=BOTS)).snapshot.game_id
    unscored = place.application.creation.create("anonymous", NewGame(options={"turn_limit": 2}, seats=BOTS))
    play_on(place.application, unscored.snapshot.game_id, scored=False)
    over, marked = place.finished(3), place.finished(3)
    assert place.move(now=lambda: datetime.now(UTC)).games == 0
    place.link.call("HSET", keys.restored(keys.partition_of(marked)), marked, "soon")
    assert place.move().games == 2
    stays = {game: bool(place.raw(game).entries) for game in (running, over, marked)}
    assert stays == {running: True, over: False, marked: False}
    assert place.raw(unscored.snapshot.game_id).entries


def test_a_file_is_named_by_its_content_and_read_by_zcat(place: Place) -> None:
    """Anybody can check it with sha256sum, and read it with zcat: export, private line, index, footer."""
    game_id = place.finished()
    place.move()
    (name,) = place.storage.names()
    day = place.application.views.snapshot(game_id).updated_at[:10].replace("-", "/")
    assert name.startswith(f"{day}/p{keys.partition_of(game_id):03d}-")
    assert sha256((place.directory / name).read_bytes()).hexdigest() in name
    lines = subprocess.run(
        ["zcat", place.directory / name], capture_output=True, check=True
    ).stdout.splitlines()
    assert lines[0].startswith(b'{"complete":true,"deck":null,"format":"migrato-export/2","game":"migrato"')
    assert lines[-4].startswith(b'{"end":')
    assert lines[-3].startswith(b'{"private":')
    assert lines[-2].startswith(b'{"index":')
    assert lines[-1].startswith(b'{"index_at":')
    assert (place.directory / name).stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("one_partition")
def test_the_same_games_give_the_same_file(place: Place) -> None:
    """At once or one after the other: the former file goes when all of it is in the new one."""
    first = place.finished()
    place.move()
    (former,) = place.storage.names()
    second = place.finished()
    place.move()
    (name,) = place.storage.names()
    assert name != former
    members = file_format.unpack(name, place.storage.read(name))
    assert sorted(members) == sorted([first, second])
    assert file_format.pack(name[:10], 0, dict(reversed(members.items()))) == place.storage.read(name)
    place.move()
    assert place.storage.names() == [name]


@pytest.mark.usefixtures("one_partition")
def test_a_death_at_any_step_loses_nothing_and_doubles_nothing(place: Place) -> None:
    """Before each step once: staging, publishing, checking, each removal. The next run ends what was begun."""
    first = place.finished(3)
    known = {first: place.raw(first)}
    place.move()
    for at in count():
        for _ in range(2):
            game_id = place.finished(3)
            known[game_id] = place.raw(game_id)
        try:
            place.move(step=dying_at(at))
        except Death:
            everything_is_readable(place.application, known)
            place.link.call("DEL", keys.archiving(0))  # as if its minute were over
            place.move()
        else:
            break
        everything_is_readable(place.application, known)
        all_is_filed(place, known)
    assert at == 6  # stage, publish, check, two streams, the former file
    for game_id, raw in known.items():
        assert sure(place.reader.find(game_id, f"{at}")).raw == raw


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
def test_a_disk_that_fails_costs_nothing(place: Place, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """An error while writing, while renaming, or a file that holds less than was written: the stream stays."""
    game_id = place.finished()
    before = place.raw(game_id)
    stage, synced = place.storage.stage, place_module._sync
    with monkeypatch.context() as patch:
        if broken == "fsync":
            patch.setattr("os.fsync", failing)
        elif broken == "replace":
            patch.setattr(Path, "replace", failing)
        elif broken == "directory":  # only once the file has its name
            after = lambda path: failing() if [*path.glob("*.gz")] else synced(path)  # noqa: E731
            patch.setattr(place_module, "_sync", after)
        else:
            patch.setattr(place.storage, "stage", lambda name, content: stage(name, content[:-100]))
        with pytest.raises(StoreUnavailable):
            place.move()
    assert place.raw(game_id) == before
    assert place.move().games == 1
    assert len(place.storage.names()) == 1
    assert sure(place.reader.find(game_id, None)).raw == before


def failing(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.usefixtures("one_partition")
def test_two_movers_at_once_share_the_work(place: Place, redis_url: str) -> None:
    """One has the partition, the other leaves it alone; a late one finds nothing to do."""
    ids = sorted(place.finished(3) for _ in range(6))
    movers = [replace(place, link=link_to(redis_url, 10.0)).mover() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda mover: mover.run().games, movers))
    movers[0].run()
    all_is_filed(place, ids)
    assert sum(done) <= 6


def test_a_lock_by_a_clock_that_was_ahead_lasts_no_longer(place: Place) -> None:
    """A living holder renews a lock; a dead one does not keep the partition for days, whatever its clock said."""
    assert place.redis_games.lock(3) is not None
    place.link.call("EXPIRE", keys.archiving(3), 3 * 86_400)
    assert place.redis_games.lock(3) is None
    assert 0 < place.link.call("PTTL", keys.archiving(3)) <= LOCK_MS


@pytest.mark.usefixtures("one_partition")
def test_a_mover_that_lost_its_right_removes_nothing(place: Place) -> None:
    """It was stopped for so long that another one began: the two files that may come of it become one again."""
    games = [place.finished(3)]

    def sleep_too_long(what: str) -> None:
        if what.startswith("remove") and len(games) == 1:
            place.link.call("DEL", keys.archiving(0))
            games.append(place.finished(3))
            assert place.move().games == 2
            place.link.call("SET", keys.archiving(0), "somebody else")
            assert games[1] in games_of(place.storage)

    late = place.move(step=sleep_too_long)
    assert (len(games), late.games, late.busy) == (2, 0, [0])
    place.link.call("DEL", keys.archiving(0))
    place.move()
    all_is_filed(place, games)


@pytest.mark.usefixtures("one_partition")
def test_late_additions_to_a_game_that_is_moved_are_kept(place: Place) -> None:
    """It is not removed then; the next run takes the later copy, also where two files have it."""
    game_id = place.finished()

    def sign(what: str) -> None:
        if what.startswith("remove"):
            place.link.call("HSET", keys.secrets(game_id), "token:1", "0" * 64)

    moved = place.move(step=sign)
    assert (moved.games, list(moved.left)) == (0, [game_id])
    before = place.raw(game_id)
    (former,) = place.storage.names()
    content = place.storage.read(former)
    assert place.move().games == 1
    place.storage.stage(former, content)
    place.move()
    (name,) = place.storage.names()
    assert name != former
    record = sure(ArchiveReader(place.storage).find(game_id, None))
    assert record.raw == before
    assert record.raw.beside["secrets"]["token:1"] == "0" * 64


def test_a_game_that_does_not_hold_together_is_left(place: Place) -> None:
    """A game that does not hold together is left, and named with the reason; the others move."""
    broken, sound = place.finished(), place.finished()
    lose(place.link, broken, 3)
    moved = place.move()
    assert (moved.games, list(moved.left)) == (1, [broken])
    assert place.raw(broken).entries
    assert not place.raw(sound).entries


@pytest.mark.usefixtures("one_partition")
def test_a_damaged_file_is_left_and_its_games_are_not_mixed_with_others(place: Place) -> None:
    """A damaged file is left as it is, and new games go into another file."""
    place.finished()
    place.move()
    (name,) = place.storage.names()
    content = bytearray(place.storage.read(name))
    content[20] ^= 1
    (place.directory / name).write_bytes(content)
    game_id = place.finished()
    assert place.move().games == 1
    assert len(place.storage.names()) == 2
    (other,) = set(place.storage.names()) - {name}
    assert list(file_format.unpack(other, place.storage.read(other))) == [game_id]
