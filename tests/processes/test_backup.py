"""Backups of a real engine at work, and a real engine on what was restored."""

import errno
import hashlib
import io
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import requests
from redis import Redis

from domain.lifecycle import Seat
from events.backup.dump import dump
from events.backup.package import MANIFEST, BadBackup, Manifest, unpack
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.keys import RESTORING
from events.store.link import link_to
from service.cli.backups.commands import _new_file
from service.cli.backups.restoring import _restore_keys
from tests.processes.conftest import NewEngine
from tests.support.command import migrato
from tests.support.engine import Engine
from tests.support.players import Human, Player, bots_game, is_settled
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import LIMIT, until

Json = dict[str, Any]


def store_of(engine: Engine) -> "Redis":
    """The engine's store."""
    return Redis.from_url(f"unix://{engine.data_dir}/redis/redis.sock")


def test_a_drill(new_engine: NewEngine, tmp_path: Path) -> None:
    """A backup is taken while people play and the server rewrites its file; a restored engine plays on from it."""
    engine, file = new_engine("data", MIGRATO_ARCHIVE_AFTER="0").start(), tmp_path / "backup.tar"
    assert migrato("restore", os.devnull, "--data-dir", engine.data_dir).exit_code == 2
    watcher = Player(engine.url)
    over = [bots_game(watcher, turns=10), bots_game(watcher, turns=10, game="migo")]
    for game_id in over:
        until(lambda game_id=game_id: is_settled(watcher.view(game_id)))  # type: ignore[misc]
    archived = lambda: not any(store_of(engine).keys(f"*:events:{game_id}") for game_id in over)  # noqa: E731
    until(archived, otherwise=engine.tail)
    humans = [Human(engine.url, seed, turns=30, pause=0.05) for seed in range(2)]
    for human in humans:
        human.start()
    until(lambda: all(len(human.told) > 6 for human in humans))
    store_of(engine).bgrewriteaof()
    begun = time.time() - 0.001  # it is noted in milliseconds
    done = migrato("backup", file, "--data-dir", engine.data_dir)
    taken = datetime.now(UTC).isoformat()
    before = {human: human.player.view(human.game_id)["version"] for human in humans}
    assert done.exit_code == 0, done.stderr
    assert "all sound" in done.stderr
    shown = re.search(
        r"^migrato_backup_last_success_timestamp_seconds (\S+)",
        requests.get(f"{engine.url}/metrics", timeout=LIMIT).text,
        re.MULTILINE,
    )
    assert shown is not None
    assert begun <= float(shown[1]) < time.time()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for human in humans:
        human.join(LIMIT)
        assert human.failure is None
    histories = {human.game_id: human.player.events(human.game_id) for human in humans}
    old = {game_id: watcher.events(game_id) for game_id in over}
    keys = requests.get(f"{engine.url}/.well-known/migrato-keys.json", timeout=LIMIT).json()["keys"]
    engine.stop()

    shutil.copytree(engine.data_dir / "archive", tmp_path / "full" / "archive")
    kept = migrato("restore", file, "--data-dir", tmp_path / "full")
    assert (kept.exit_code, "archive" in kept.stderr) == (2, True)
    done = migrato("restore", file, "--data-dir", tmp_path / "again")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "2 games restored, 2 more in the archive: all is well.\n"
    checked = migrato("fsck", "--data-dir", tmp_path / "again")
    assert checked.stdout.endswith(": all is well.\n"), checked.stdout
    assert not (tmp_path / "again" / "keys" / "current.pem").exists()

    again = new_engine("again").start()
    assert {game_id: Player(again.url).events(game_id) for game_id in over} == old
    there = requests.get(f"{again.url}/.well-known/migrato-keys.json", timeout=LIMIT).json()["keys"]
    assert [key for key in keys if key not in there] == []
    assert len(keys) < len(there)
    for human in humans:
        player = Player(again.url, human.player.token)
        # Where a bot was to act, it may have acted already.
        events = [event for event in player.events(human.game_id) if event["at"] < taken]
        assert 6 < len(events) <= before[human]
        heads = [event["head"] for event in histories[human.game_id]]
        assert [event["head"] for event in events] == heads[: len(events)]
        human.url, human.player, human.told = again.url, player, {}
        human.run()
        human.check(player.events(human.game_id))
    export = requests.get(f"{again.url}/v1/games/{over[0]}/export", timeout=LIMIT).content
    (tmp_path / "game.ndjson").write_bytes(export)
    assert migrato("verify", tmp_path / "game.ndjson").exit_code == 0


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a store with a game in it, taken while no engine runs; `data` beside it has the store."""
    place = tmp_path_factory.mktemp("b")
    migrato("signing-key", MIGRATO_DATA_DIR=str(place / "data"))
    with EmbeddedServer(place / "data") as server:
        seats = (Seat("human"), Seat("bot", bot="greedy"))
        bootstrap.application(Settings(redis_url=server.url)).creation.create("club", NewGame(seats=seats))
    done = migrato("backup", place / "backup.tar", "--data-dir", place / "data")
    assert done.exit_code == 0, done.stderr
    return place / "backup.tar"


def test_through_pipes(backup: Path, tmp_path: Path) -> None:
    """A backup goes through pipes both ways, so it can be encrypted before it is in any file."""
    data = backup.parent / "data"
    taken = migrato("backup", "-", "--data-dir", data, "--with-signing-key")
    assert taken.exit_code == 0, taken.stderr
    put = migrato("restore", "-", "--data-dir", tmp_path / "again", typed=taken.stdout_bytes)
    assert put.stdout == "1 game restored, 0 more in the archive: all is well.\n", put.stderr
    private = "keys/current.pem"
    assert (tmp_path / "again" / private).read_bytes() == (data / private).read_bytes()
    assert stat.S_IMODE((tmp_path / "again" / private).stat().st_mode) == 0o600


def test_files_and_stores_are_never_replaced(backup: Path, tmp_path: Path) -> None:
    """No backup replaces a file, and no restore a store."""
    data = backup.parent / "data"
    content = backup.read_bytes()
    again = migrato("backup", backup, "--data-dir", data)
    assert (again.exit_code, backup.read_bytes()) == (2, content)
    assert "exists already" in again.stderr
    full = migrato("restore", backup, "--data-dir", data)
    assert (full.exit_code, full.stdout) == (2, "")
    assert "not empty" in full.stderr
    names = [path.name for path in backup.parent.iterdir()]
    assert [name for name in names if "part" in name or "migrato-" in name] == []


def test_nobody_else_can_put_anything_in_its_way(tmp_path: Path) -> None:
    """In a directory that all may write to, a backup is written in a private one until it is whole."""
    with _new_file(str(tmp_path / "games.tar")) as (stream, scratch):
        assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
        stream.write(b"seeds")
    assert stat.S_IMODE((tmp_path / "games.tar").stat().st_mode) == 0o600
    assert (tmp_path / "games.tar").read_bytes() == b"seeds"


def test_only_a_whole_backup_changes_anything(backup: Path, tmp_path: Path) -> None:
    """A restore finds whatever is wrong with a backup before it writes anything."""
    whole, bad, again = backup.read_bytes(), tmp_path / "bad.tar", tmp_path / "again"
    cut_off, without_end = whole[: len(whole) // 2], whole[: whole.index(MANIFEST.encode())]
    flipped, at = bytearray(whole), whole.index(b"REDIS") + 2000
    flipped[at] ^= 1
    of_the_future = whole.replace(b'"format": 1', b'"format": 2')
    for spoilt in (cut_off, without_end, flipped, of_the_future, b"", b"x" * 9999):
        bad.write_bytes(spoilt)
        done = migrato("restore", bad, "--data-dir", again)
        assert done.exit_code == 1
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        assert "backup" in done.stderr
    good = migrato("restore", backup, "--data-dir", again)
    assert good.exit_code == 0, good.stderr


def backup_of(name: str, content: bytes = b"") -> io.BytesIO:
    """A backup of one member."""
    file, about = io.BytesIO(), tarfile.TarInfo(name)
    about.size = len(content)
    with tarfile.open(fileobj=file, mode="w") as tar:
        tar.addfile(about, io.BytesIO(content))
    file.seek(0)
    return file


def test_no_member_leaves_its_place(tmp_path: Path) -> None:
    """Members that no backup has are not written."""
    for name in ("../evil", "/etc/evil", "keys/../../evil.pem", "archive/2026/11/22/p000-../x", "x"):
        with pytest.raises(BadBackup, match="a member"):
            unpack(backup_of(name), tmp_path)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
        assert list(tmp_path.parent.glob("evil*")) == []


def test_a_manifest_may_say_anything(tmp_path: Path) -> None:
    """The refusal is about the backup, and no other exception."""
    for members in ("[]", "[1]", "1", "null", '"x"', "{}", '{"store.rdb": {}}', '{"keys": 1}'):
        with pytest.raises(BadBackup, match="backup"):
            unpack(backup_of(MANIFEST, f'{{"format": 1, "members": {members}}}'.encode()), tmp_path)


def test_an_interrupted_restore_can_be_repeated(backup: Path, tmp_path: Path) -> None:
    """A restore is repeated with the same backup only; the engine's own check tells that it was interrupted."""
    place = tmp_path / "again"
    assert migrato("restore", backup, "--data-dir", place).exit_code == 0
    other = tmp_path / "other.tar"
    assert migrato("backup", other, "--data-dir", backup.parent / "data").exit_code == 0
    with tarfile.open(backup) as tar:
        manifest = tar.extractfile(MANIFEST)
        assert manifest is not None
        digest = hashlib.sha256(manifest.read()).hexdigest()
    half = Path(shutil.copytree(place, tmp_path / "half"))
    with EmbeddedServer(half) as server:
        link = Redis.from_url(server.url)
        link.set(RESTORING, digest)
        link.delete(*link.keys("*:secrets:*"))
    assert "unknown-key" in migrato("fsck", "--data-dir", half).stdout
    refused = migrato("restore", other, "--data-dir", half)
    assert (refused.exit_code, "Another backup" in refused.stderr) == (2, True)
    done = migrato("restore", backup, "--data-dir", half)
    assert done.exit_code == 0, done.stderr


def test_a_key_is_restored_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is never half there, because a repeated restore leaves the keys that are there as they are."""
    name, content, keys = "keys/1.pub.pem", b"a public key", tmp_path / "there"
    (tmp_path / "keys").mkdir()
    (tmp_path / name).write_bytes(content)
    restored = partial(_restore_keys, Settings(signing_keys=keys), Manifest({}, {name: {}}, ""), tmp_path)
    with monkeypatch.context() as full:
        full.setattr(os, "write", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            restored()
    restored()
    assert (keys / "1.pub.pem").read_bytes() == content


WAITS_AFTER_THE_DUMP = """
import signal
from pathlib import Path
from service.cli import main
from service.cli.backups import taking
dump = taking.dump
def and_wait(server, file):
    dump(server, file)
    Path(file.name).with_name("dumped").touch()
    signal.pause()
taking.dump = and_wait
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 1), (signal.SIGKILL, -9)])
def test_a_backup_that_is_cut_short_leaves_no_backup(
    number: signal.Signals, code: int, backup: Path, tmp_path: Path
) -> None:
    """A file of that name is a whole one. Who is stopped tidies up; after who was killed the next one does, at once."""
    arguments = ("backup", str(tmp_path / "b.tar"), "--data-dir", str(backup.parent / "data"))
    with subprocess.Popen(
        [sys.executable, "-c", WAITS_AFTER_THE_DUMP, *arguments],
        cwd=ROOT,
        env=clean_environment({}),
        stderr=subprocess.DEVNULL,
    ) as process:
        until(lambda: list(tmp_path.glob(".migrato-backup-*/dumped")))
        process.send_signal(number)
    assert process.returncode == code
    left = list(tmp_path.iterdir())
    assert bool(left) == (number == signal.SIGKILL)
    assert tmp_path / "b.tar" not in left
    again = migrato(*arguments)
    assert again.exit_code == 0, again.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "b.tar"]


def test_a_full_disk_is_not_blamed_on_the_store(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that has no room is named, of a backup and of a restore, with exit code 2; and nothing is left."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")  # the system names no file that is open

    place = tmp_path / "disk"
    place.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr("service.cli.backups.taking.dump", full)
        done = migrato("backup", place / "b.tar", "--data-dir", backup.parent / "data")
    assert (done.exit_code, list(place.iterdir())) == (2, [])
    assert done.stderr.startswith(f"Error: {place}/.migrato-backup-")
    assert done.stderr.endswith("/store.rdb: No space left on device.\n")
    with monkeypatch.context() as patch:
        patch.setattr("events.backup.package.unpack", full)
        done = migrato("restore", backup, "--data-dir", tmp_path / "again")
    assert done.exit_code == 2
    assert done.stderr.endswith(": No space left on device.\n")


def test_a_dump_that_finds_no_room_says_so(redis_url: str) -> None:
    """The error names the full disk, and does not say that the server gives no answer."""
    server = link_to(redis_url, 5.0).servers()[0]
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="No space left"):
        dump(server, full)
