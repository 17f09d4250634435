"""`migrato archive`, and the archiver."""

import gzip
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.archive.reader import ArchiveReader
from events.errors import StoreUnavailable
from events.log.partitions import partition_of
from events.runtime import bootstrap, metrics
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from events.store.whole_games import RedisGames
from tests.archive.conftest import Place, finished
from tests.support.command import migrato
from tests.support.markdown import ROOT, blocks
from tests.support.stored import lose
from tests.support.sure import sure
from workers import archiver
from workers.archiver import Archiver


def flipped(content: bytes, at: int) -> bytes:
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


def test_run_list_verify(place: Place) -> None:
    """Nothing moves before its time, and what waits is told; then it is listed, and found sound."""
    assert place.archive("run").stdout == "0 games moved.\n"
    game_id = place.finished()
    assert place.archive("run").stdout == "0 games moved; 1 waits until it has been over for 7 days.\n"
    moved = place.archive("run", MIGRATO_ARCHIVE_AFTER="0")
    assert (moved.exit_code, moved.stdout) == (0, "1 game moved, 1 file written.\n")
    (name,) = place.storage.names()
    assert game_id in place.archive("list").stdout
    listed = json.loads(place.archive("list", "--json").stdout)
    assert (listed["game_id"], listed["file"]) == (game_id, name)
    assert place.archive("list", "--to", "2001-01-01").stdout == ""
    verified = place.archive("verify")
    assert (verified.exit_code, verified.stdout[:28]) == (0, "1 game: 1 with nothing wrong")
    for _ in range(3):
        place.finished(3)
    assert place.archive("run", MIGRATO_ARCHIVE_AFTER="90m").stdout == (
        "0 games moved; 3 wait until they have been over for 90 minutes.\n"
    )
    assert place.archive("run", MIGRATO_ARCHIVE_AFTER="0").stdout.startswith("3 games moved, ")


def test_restore(place: Place) -> None:
    """All games, or those that are named; one that is not there, or differs, is told."""
    ids = [place.finished() for _ in range(3)]
    before = [place.raw(game_id) for game_id in ids]
    place.move()
    assert place.archive("restore", ids[0]).stdout == "1 game restored, 0 were there already.\n"
    assert place.redis_games.existing(ids) == {ids[0]}
    assert place.archive("restore", "--all").stdout == "2 games restored, 1 was there already.\n"
    assert [place.raw(game_id) for game_id in ids] == before
    assert place.archive("restore").exit_code == 2
    unknown = place.archive("restore", "x" * 22)
    assert (unknown.exit_code, "has no game" in unknown.stderr) == (2, True)
    lose(place.link, ids[1], 1)
    differs = place.archive("restore", ids[1])
    assert differs.exit_code == 1
    assert f"{ids[1]} was left" in differs.stderr


@pytest.mark.usefixtures("one_partition")
def test_a_damaged_file_does_not_keep_the_others_from_coming_back(place: Place) -> None:
    """Sound games of the damaged file come back, too: each is checked by itself."""
    ids = sorted(place.finished() for _ in range(3))
    place.move()
    (name,) = place.storage.names()
    path = place.directory / name
    path.write_bytes(flipped(path.read_bytes(), ArchiveReader(place.storage).index(name)[ids[1]].offset + 40))
    said = place.archive("restore", "--all")
    assert (said.exit_code, said.stdout[:16]) == (1, "2 games restored")
    assert place.redis_games.existing(ids) == {ids[0], ids[2]}
    tables = place.archive("export", "--parquet", str(path.parent / "tables"))
    assert (tables.exit_code, tables.stdout[:8]) == (1, "2 games,")


@pytest.mark.usefixtures("one_partition")
def test_two_files_of_a_day_show_each_game_once(place: Place) -> None:
    """Two files of a day, as an archiver that died before its last step leaves them, show each game once."""
    first = place.finished()
    place.move()
    (former,) = place.storage.names()
    content = place.storage.read(former)
    second = place.finished()
    place.move()
    place.storage.stage(former, content)
    listed = [json.loads(line)["game_id"] for line in place.archive("list", "--json").stdout.splitlines()]
    assert sorted(listed) == sorted([first, second])
    assert len([record.raw.game_id for record in ArchiveReader(place.storage).records()]) == 2


def test_export_of_a_game_is_the_first_member_of_its_file(place: Place) -> None:
    """The export of a game is cut out of its file by the index, and holds nothing private."""
    game_id = place.finished()
    place.move()
    file = place.directory / place.name
    content = file.read_bytes()
    (listed,) = json.loads(gzip.decompress(content).splitlines()[-2])["index"]["games"]
    cut = content[listed["offset"] : listed["offset"] + listed["export"]]
    _, by_hand = blocks(ROOT / "docs/reference/archive-format.md", "text")
    given = f"file={file} offset={listed['offset']} export={listed['export']}\n"
    found = subprocess.run(["bash", "-ec", given + by_hand], capture_output=True, check=True).stdout
    index, _, export = found.partition(b"\n")
    assert json.loads(index)["index"]["games"] == [listed]
    assert export == gzip.decompress(cut)
    said = place.archive("export", "--game", game_id)
    assert said.stdout_bytes == gzip.decompress(cut)
    assert b'"private"' not in said.stdout_bytes
    assert json.loads(said.stdout.splitlines()[0])["game_id"] == game_id
    assert place.archive("export").exit_code == 2


def test_one_game_is_found_by_the_files_of_its_partition_alone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at all files of some years costs more than all else; a file that cannot be read hides no other."""
    game_id = place.finished(3)
    place.move()
    (name,) = place.storage.names()
    place.storage.stage(f"2020/01/01/{name[11:]}", b"no archive file")
    reader, names, asked = ArchiveReader(place.storage), place.storage.names, list[str]()

    def listed(pattern: str) -> list[str]:
        asked.append(pattern)
        return names(pattern)

    monkeypatch.setattr(place.storage, "names", listed)
    found = sure(reader.find_once(game_id))
    assert (found.raw.game_id, asked) == (game_id, [f"{name[11:15]}-*.gz"])


def test_commands_that_only_read_the_archive_wait_for_no_store() -> None:
    """They import no progress bar and no metrics either, which would take longer than to export a game."""
    unneeded = {"domain.registry", "events.store", "prometheus_client", "redis", "rich"}
    program = f"import sys, service.cli.commands.archive; print(*{unneeded} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == []


def test_a_missing_archive_is_told(place: Place, tmp_path: Path) -> None:
    """A missing archive is refused with exit code 2 and the name of its directory or variable, not found sound."""
    none, wrong, off = tmp_path / "none", tmp_path / "wrong", {"MIGRATO_ARCHIVE": "off"}
    commands = (["list"], ["verify"], ["restore", "--all"], ["export", "--game", "x" * 22])
    cases = [
        (command, {"MIGRATO_ARCHIVE": str(none)}, f"There is no archive in {none}") for command in commands
    ]
    cases += [([command], off, "MIGRATO_ARCHIVE") for command in ("list", "run", "verify")]
    beside = {"MIGRATO_ARCHIVE": "", "MIGRATO_REDIS_URL": ""}
    cases += [
        (["verify", "--data-dir", str(wrong)], beside, str(wrong / "archive")),
        (["run"], {"MIGRATO_REDIS_URL": "", "MIGRATO_DATA_DIR": str(none)}, "MIGRATO_DATA_DIR"),
        (["list"], {"MIGRATO_ARCHIVE": "nonsense://there"}, "MIGRATO_ARCHIVE must be a directory"),
    ]
    for arguments, environ, told in cases:
        said = place.archive(*arguments, **environ)
        assert (said.exit_code, said.stdout) == (2, ""), arguments
        assert told in said.stderr


def test_an_archive_that_cannot_be_written_is_not_blamed_on_the_store(place: Place) -> None:
    place.finished(3)
    said = place.archive("run", MIGRATO_ARCHIVE="/dev/null/x", MIGRATO_ARCHIVE_AFTER="0")
    assert (said.exit_code, said.stdout) == (2, "")
    assert said.stderr.startswith("Error: The archive cannot be used at the moment. (")


def test_restore_does_all_that_is_named_or_nothing(place: Place) -> None:
    """A game that is not there, or whose file is damaged, is told before any is brought back; the file is named."""
    ids = [place.finished(3) for _ in range(2)]
    place.move()
    unknown = place.archive("restore", *ids, "x" * 22)
    assert (unknown.exit_code, "x" * 22 in unknown.stderr) == (2, True)
    assert place.redis_games.existing(ids) == set()
    (name,) = [name for name in place.storage.names() if ids[1] in ArchiveReader(place.storage).index(name)]
    path = place.directory / name
    content = path.read_bytes()
    places = (ArchiveReader(place.storage).index(name)[ids[1]].offset + 40, -5)  # the game, and the way to it
    for damaged in (*(flipped(content, byte) for byte in places), content[:-1]):
        path.write_bytes(damaged)
        for command in (["restore", *ids], ["export", "--game", ids[1]], ["verify"]):
            said = place.archive(*command)
            assert (said.exit_code, name in said.stderr) == (1, True), command
        assert place.redis_games.existing(ids) == set()


def test_beside_an_embedded_store_the_data_directory_says_all(short_path: Path) -> None:
    """With an engine that runs on it, and with none, where the store is started for the command."""
    data = short_path / "data"
    environ = {"MIGRATO_DATA_DIR": str(data), "MIGRATO_ARCHIVE_AFTER": "0", "MIGRATO_FSYNC": "no"}
    run = partial(migrato, **environ)
    with EmbeddedServer(data, "no") as server:
        application = bootstrap.application(Settings(redis_url=server.url))
        first, second = finished(application, 3), finished(application, 3)
        assert "2 games moved" in run("archive", "run").stdout
        third = finished(application, 3)
        assert RedisGames(link_to(server.url, 5.0)).lock(partition_of(third)) is not None
    assert "1 game moved" in run("archive", "run").stdout  # its archiver is dead, if nothing runs
    assert (data / "archive").is_dir()
    said = run("archive", "restore", first, second)
    assert (said.exit_code, said.stdout) == (0, "2 games restored, 0 were there already.\n")
    said = run("fsck")
    assert (said.exit_code, "2 games in Redis, 3 in" in said.stdout) == (0, True), said.output


def test_the_archiver_goes_on_when_the_store_comes_back(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at intervals, and stops when it is told."""
    monkeypatch.setattr(archiver, "SHORTEST", 0.1)
    monkeypatch.setattr(archiver, "TICK", 0.005)
    place.finished()
    mover = place.mover()
    outcomes, run, waiting = list[object](), mover.run, list[float]()

    def sometimes(*told: Any, **options: Any) -> object:
        if not outcomes:
            outcomes.append("away")
            raise StoreUnavailable("away")
        progress, *others = told

        def noted(done: int, ready: int) -> None:
            progress(done, ready)
            waiting.append(metrics.ARCHIVE_WAITING._value.get())

        moved = run(noted, *others, **options)
        outcomes.append(moved.games)
        return moved

    monkeypatch.setattr(mover, "run", sometimes)
    started = time.monotonic()
    Archiver(mover, after=0.5).run(lambda: len(outcomes) >= 3)
    assert outcomes == ["away", 1, 0]
    assert waiting == [1, 0, 0]
    assert time.monotonic() - started >= 0.2
