"""`migrato archive`, and the archiver."""

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from events.archive.reader import ArchiveReader
from events.archive.storage import Storage
from events.errors import StoreUnavailable
from events.log.partitions import partition_of
from events.redis.connections.client import RedisClient
from events.redis.whole_games import RedisGames
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.cli import main
from tests.archive.conftest import NewMover, finished, raw_of
from tests.project.markdown import ROOT, blocks
from tests.stored import lose
from workers import archiver
from workers.archiver import Archiver


def migrato(settings: Settings, *arguments: str, **environ: str) -> Result:
    """The result of `migrato archive ...` with these settings."""
    given = {
        "MIGRATO_REDIS_URL": str(settings.redis_url),
        "MIGRATO_ARCHIVE": str(settings.archive),
        **environ,
    }
    return CliRunner(env=given).invoke(main, ["archive", *arguments])


def flipped(content: bytes, at: int) -> bytes:
    """With another bit at that place."""
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


def test_run_list_verify(application: Application, settings: Settings, storage: Storage) -> None:
    """Nothing moves before its time, and what waits is told; then it is listed, and found sound."""
    assert migrato(settings, "run").stdout == "0 games moved.\n"
    game_id = finished(application)
    assert migrato(settings, "run").stdout == "0 games moved; 1 waits until it has been over for 7 days.\n"
    moved = migrato(settings, "run", MIGRATO_ARCHIVE_AFTER="0")
    assert (moved.exit_code, moved.stdout) == (0, "1 game moved, 1 file written.\n")

    (name,) = storage.names()
    assert game_id in migrato(settings, "list").stdout
    listed = json.loads(migrato(settings, "list", "--json").stdout)
    assert (listed["game_id"], listed["file"]) == (game_id, name)
    assert migrato(settings, "list", "--to", "2001-01-01").stdout == ""
    verified = migrato(settings, "verify")
    assert (verified.exit_code, verified.stdout[:28]) == (0, "1 game: 1 with nothing wrong")

    for _ in range(3):
        finished(application, 3)
    assert migrato(settings, "run", MIGRATO_ARCHIVE_AFTER="90m").stdout == (
        "0 games moved; 3 wait until they have been over for 90 minutes.\n"
    )
    assert migrato(settings, "run", MIGRATO_ARCHIVE_AFTER="0").stdout.startswith("3 games moved, ")


def test_restore(
    application: Application,
    settings: Settings,
    new_mover: NewMover,
    link: RedisClient,
    redis_games: RedisGames,
) -> None:
    """All games, or those that are named; one that is not there, or differs, is told."""
    ids = [finished(application) for _ in range(3)]
    before = [raw_of(redis_games, game_id) for game_id in ids]
    new_mover().run()

    assert migrato(settings, "restore", ids[0]).stdout == "1 game restored, 0 were there already.\n"
    assert redis_games.existing(ids) == {ids[0]}
    assert migrato(settings, "restore", "--all").stdout == "2 games restored, 1 was there already.\n"
    assert [raw_of(redis_games, game_id) for game_id in ids] == before

    assert migrato(settings, "restore").exit_code == 2
    unknown = migrato(settings, "restore", "x" * 22)
    assert (unknown.exit_code, "has no game" in unknown.stderr) == (2, True)
    lose(link, ids[1], 1)
    differs = migrato(settings, "restore", ids[1])
    assert differs.exit_code == 1
    assert f"{ids[1]} was left" in differs.stderr


def test_a_damaged_file_does_not_keep_the_others_from_coming_back(
    application: Application,
    settings: Settings,
    storage: Storage,
    new_mover: NewMover,
    redis_games: RedisGames,
    one_partition: None,
) -> None:
    """Nor the sound games of the same file: each is checked by itself."""
    ids = sorted(finished(application) for _ in range(3))
    new_mover().run()
    (name,) = storage.names()
    path = Path(str(settings.archive)) / name
    path.write_bytes(flipped(path.read_bytes(), ArchiveReader(storage).index(name)[ids[1]].offset + 40))

    said = migrato(settings, "restore", "--all")
    assert (said.exit_code, said.stdout[:16]) == (1, "2 games restored")
    assert redis_games.existing(ids) == {ids[0], ids[2]}
    tables = migrato(settings, "export", "--parquet", str(path.parent / "tables"))
    assert (tables.exit_code, tables.stdout[:8]) == (1, "2 games,")


def test_two_files_of_a_day_show_each_game_once(
    application: Application, settings: Settings, storage: Storage, new_mover: NewMover, one_partition: None
) -> None:
    """As an archiver leaves them that died before the last step."""
    first = finished(application)
    new_mover().run()
    (former,) = storage.names()
    content = storage.read(former)
    second = finished(application)
    new_mover().run()
    storage.stage(former, content)

    listed = [json.loads(line)["game_id"] for line in migrato(settings, "list", "--json").stdout.splitlines()]
    assert sorted(listed) == sorted([first, second])
    assert len([record.raw.game_id for record in ArchiveReader(storage).records()]) == 2


def test_export_of_a_game_is_the_first_member_of_its_file(
    application: Application, settings: Settings, new_mover: NewMover, storage: Storage
) -> None:
    """Cut out by the index, and nothing private in it."""
    game_id = finished(application)
    new_mover().run()
    listed = json.loads(gzip.decompress(storage.read(storage.names()[0])).splitlines()[-2])["index"]["games"][
        0
    ]
    cut = storage.read(storage.names()[0])[listed["offset"] : listed["offset"] + listed["export"]]

    file = Path(str(settings.archive)) / storage.names()[0]
    _, by_hand = blocks(ROOT / "docs/reference/archive-format.md", "text")
    given = f"file={file} offset={listed['offset']} export={listed['export']}\n"
    found = subprocess.run(["bash", "-ec", given + by_hand], capture_output=True, check=True).stdout
    index, _, export = found.partition(b"\n")
    assert json.loads(index)["index"]["games"] == [listed]
    assert export == gzip.decompress(cut)

    said = migrato(settings, "export", "--game", game_id)
    assert said.stdout_bytes == gzip.decompress(cut)
    assert b'"private"' not in said.stdout_bytes
    assert json.loads(said.stdout.splitlines()[0])["game_id"] == game_id
    assert migrato(settings, "export").exit_code == 2


def test_one_game_is_found_by_the_files_of_its_partition_alone(
    application: Application, new_mover: NewMover, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at all files of some years costs more than all else; a file that cannot be read hides no other."""
    game_id = finished(application, 3)
    new_mover().run()
    (name,) = storage.names()
    storage.stage(f"2020/01/01/{name[11:]}", b"no archive file")
    reader, names, asked = ArchiveReader(storage), storage.names, list[str]()

    def listed(pattern: str) -> list[str]:
        asked.append(pattern)
        return names(pattern)

    monkeypatch.setattr(storage, "names", listed)
    found = reader.find_once(game_id)
    assert found is not None
    assert (found.raw.game_id, asked) == (game_id, [f"{name[11:15]}-*.gz"])


def test_commands_that_only_read_the_archive_wait_for_no_store() -> None:
    """Nor for what shows a progress, or measures: to import that takes longer than to export a game."""
    unneeded = {"domain.registry", "events.redis", "prometheus_client", "redis", "rich"}
    program = f"import sys, service.cli.commands.archive; print(*{unneeded} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == []


def test_a_missing_archive_is_told(settings: Settings, tmp_path: Path) -> None:
    """Rather than find nothing wrong with nothing; exit code 2, and the directory's or the variable's name."""
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
        said = migrato(settings, *arguments, **environ)
        assert (said.exit_code, said.stdout) == (2, ""), arguments
        assert told in said.stderr


def test_an_archive_that_cannot_be_written_is_not_blamed_on_the_store(
    application: Application, settings: Settings
) -> None:
    finished(application, 3)
    said = migrato(settings, "run", MIGRATO_ARCHIVE="/dev/null/x", MIGRATO_ARCHIVE_AFTER="0")
    assert (said.exit_code, said.stdout) == (2, "")
    assert said.stderr.startswith("Error: The archive cannot be used at the moment. (")


def test_restore_does_all_that_is_named_or_nothing(
    application: Application,
    settings: Settings,
    new_mover: NewMover,
    redis_games: RedisGames,
    storage: Storage,
) -> None:
    """A game that is not there, or whose file is damaged, is told before any is brought back; the file is named."""
    ids = [finished(application, 3) for _ in range(2)]
    new_mover().run()
    unknown = migrato(settings, "restore", *ids, "x" * 22)
    assert (unknown.exit_code, "x" * 22 in unknown.stderr) == (2, True)
    assert redis_games.existing(ids) == set()

    (name,) = [name for name in storage.names() if ids[1] in ArchiveReader(storage).index(name)]
    path = Path(str(settings.archive)) / name
    content = path.read_bytes()
    places = (ArchiveReader(storage).index(name)[ids[1]].offset + 40, -5)  # the game, and the way to it
    for damaged in (*(flipped(content, byte) for byte in places), content[:-1]):
        path.write_bytes(damaged)
        for command in (["restore", *ids], ["export", "--game", ids[1]], ["verify"]):
            said = migrato(settings, *command)
            assert (said.exit_code, name in said.stderr) == (1, True), command
        assert redis_games.existing(ids) == set()


def test_beside_an_embedded_store_the_data_directory_says_all(short_path: Path) -> None:
    """With an engine that runs on it, and with none, where the store is started for the command."""
    data = short_path / "data"
    environ = {"MIGRATO_DATA_DIR": str(data), "MIGRATO_ARCHIVE_AFTER": "0", "MIGRATO_FSYNC": "no"}
    run = CliRunner(env=environ)
    with EmbeddedServer(data, "no") as server:
        application = bootstrap.application(Settings(redis_url=server.url))
        first, second = finished(application, 3), finished(application, 3)
        assert "2 games moved" in run.invoke(main, ["archive", "run"]).stdout
        third = finished(application, 3)
        assert RedisGames(RedisClient.to(server.url, 5.0)).lock(partition_of(third)) is not None
    moved = run.invoke(main, ["archive", "run"]).stdout
    assert "1 game moved" in moved  # its archiver is dead, if nothing runs
    assert (data / "archive").is_dir()
    said = run.invoke(main, ["archive", "restore", first, second])
    assert (said.exit_code, said.stdout) == (0, "2 games restored, 0 were there already.\n")
    said = run.invoke(main, ["fsck"])
    assert (said.exit_code, "2 games in Redis, 3 in" in said.stdout) == (0, True), said.output


def test_the_archiver_goes_on_when_the_store_comes_back(
    application: Application, new_mover: NewMover, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at intervals, and stops when it is told."""
    monkeypatch.setattr(archiver, "SHORTEST", 0.1)
    monkeypatch.setattr(archiver, "TICK", 0.005)
    finished(application)
    mover = new_mover()
    outcomes: list[object] = []
    run = mover.run

    def sometimes(*told: object, **options: object) -> object:
        if not outcomes:
            outcomes.append("away")
            raise StoreUnavailable("away")
        moved = run(*told, **options)  # type: ignore[arg-type]
        outcomes.append(moved.games)
        return moved

    monkeypatch.setattr(mover, "run", sometimes)
    started = time.monotonic()
    Archiver(mover, after=0.5).run(lambda: len(outcomes) >= 3)
    assert outcomes == ["away", 1, 0]
    assert time.monotonic() - started >= 0.2
