"""Starting and stopping `migrato serve`: what it tells, what it refuses, what it leaves behind."""

import json
import signal
import socket
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import requests

from compiled.cache import Cache
from drills.ports import free_port
from events.log.signing import verify_head
from tests.processes.conftest import NewEngine
from tests.support.command import migrato, refused_to_serve
from tests.support.engine import FEW, Engine, is_alive
from tests.support.players import Player, bots_game, check_history, is_settled
from tests.support.running import ROOT, as_a_child, clean_environment
from tests.support.waiting import LIMIT, until


def apps(data_dir: Path, *arguments: str) -> Any:
    """The document that `migrato apps` prints, on the store of a data directory."""
    done = migrato("apps", *arguments, "--json", "--data-dir", data_dir)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def statuses(url: str, key: str | None) -> set[int]:
    """The answers to listings, each over a new connection, so that every web worker is asked."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return {requests.get(f"{url}/v1/games", headers=headers, timeout=LIMIT).status_code for _ in range(8)}


def stop_cleanly(engine: Engine, number: signal.Signals) -> None:
    """Stop it: exit code 0, nobody has to be killed, and no process is left."""
    processes = engine.processes()
    assert len(processes) >= 6
    assert engine.stop(number) == 0
    assert [kind for pid, kind in processes.items() if is_alive(pid)] == []
    assert "does not stop: killed" not in engine.tail()


def test_ctrl_c_leaves_nothing_behind(new_engine: NewEngine) -> None:
    """It ends every process within seconds; the next start has everything again, and goes on. The signing key was made
    at the first start, readable for nobody else, and signs from there on; it is rotated while the engine runs.

    An app's key is good at once; with it others may reach the next start; revoked, it is refused soon.
    """
    engine = new_engine(MIGRATO_WEB_WORKERS="2")
    open_to_all = new_engine("data", "--host", "0.0.0.0", MIGRATO_WEB_WORKERS="2")
    others = ("--host", "0.0.0.0", "--port", str(engine.port), "--data-dir", str(engine.data_dir))
    assert "migrato apps create" in refused_to_serve(*others)
    engine.start()
    private = engine.data_dir / "keys" / "current.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert statuses(engine.url, None) == {200}
    app = apps(engine.data_dir, "create", "club")["key"]
    assert statuses(engine.url, app) == {200}
    until(lambda: statuses(engine.url, None) == {401})
    watcher = Player(engine.url, app)
    short = bots_game(watcher, turns=4)
    until(lambda: is_settled(watcher.view(short)))
    made, signed = private.read_text(), watcher.view(short)["fairness"]["signature"]
    long = bots_game(watcher)
    until(lambda: watcher.view(long)["version"] > 10)
    stop_cleanly(engine, signal.SIGINT)
    open_to_all.start()
    assert (statuses(open_to_all.url, app), statuses(open_to_all.url, None)) == ({200}, {401})
    again = Player(open_to_all.url, app)
    until(lambda: is_settled(again.view(long)))
    check_history(again.events(long))
    assert private.read_text() == made
    assert made.splitlines()[1] not in engine.log.read_text()
    assert again.view(short)["fairness"]["signature"] == signed
    (key,) = again.ask("GET", "/.well-known/migrato-keys.json")["keys"]
    assert key["kid"] == signed["key_id"]
    assert verify_head(key, short, signed["version"], signed["head"], signed["signature"])
    final = again.ask("GET", f"/v1/games/{short}/head")
    rotated = migrato("signing-key", "--rotate", MIGRATO_DATA_DIR=str(engine.data_dir))
    new = json.loads(rotated.stdout)["kid"]
    assert again.ask("GET", f"/v1/games/{short}/head") == final
    assert again.ask("GET", f"/v1/games/{short}/head?version=2")["key_id"] == new
    published = [key["kid"] for key in again.ask("GET", "/.well-known/migrato-keys.json")["keys"]]
    assert published == [new, final["key_id"]]
    apps(engine.data_dir, "revoke", "club")
    until(lambda: statuses(open_to_all.url, app) == {401})


@pytest.mark.nightly("two engines of one machine disturb each other, or one of them runs plain")
@pytest.mark.usefixtures("build")
def test_two_side_by_side(engine: Engine, new_engine: NewEngine) -> None:
    """On other ports and in other directories they know nothing of each other. One runs what is compiled, as there is a
    compiler; the other the plain sources, as somebody asks for them. An open stream does not hold up a stop.
    """
    plain = new_engine("plain", MIGRATO_COMPILED="0").start()
    engines, built = [engine, plain], ["compiled", "plain"]
    assert [requests.get(f"{one.url}/healthz", timeout=LIMIT).json()["domain"] for one in engines] == built
    games = [bots_game(Player(one.url)) for one in engines]
    assert requests.get(f"{engine.url}/v1/games/{games[1]}", timeout=LIMIT).status_code == 404
    for one, game_id in zip(engines, games, strict=True):
        until(lambda one=one, game_id=game_id: is_settled(Player(one.url).view(game_id)))  # type: ignore[misc]
    taken = ("--port", str(free_port()), "--data-dir", str(plain.data_dir))
    for options, words in (
        (taken, "in use by `migrato serve`"),
        (("--port", str(plain.port), "--ephemeral"), "is in use already"),
    ):
        said = refused_to_serve(*options)
        assert said.startswith("Error: ")
        assert said.count("\n") == 1
        assert words in said
    created = Player(plain.url).ask("POST", "/v1/games", {"visibility": "public"})
    address = f"{plain.url}/v1/games/{created['id']}/events"
    with requests.get(address, headers={"Accept": "text/event-stream"}, stream=True, timeout=LIMIT) as stream:
        assert stream.status_code == 200
        stop_cleanly(plain, signal.SIGTERM)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_the_port_is_open_in_the_web_service_alone(engine: Engine) -> None:
    """Callers would wait at a port that anything else kept open while that service ends; nurseries end before it."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()]
    (port,) = {
        f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{engine.port:04X}") and row[3] == "0A"
    }
    opened = Counter[str]()
    for pid, kind in engine.processes().items():
        opened[kind] += [str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()].count(port)
    assert +opened == {"web": 1, "nursery of greenlets": 1, "web worker": opened["web worker"]}


@pytest.fixture
def uncompiled(build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with all packages of this one and without a build, which lies in the user's cache."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/python3*/site-packages")
    (packages / "all.pth").write_text(
        f"import site; site.addsitedir({str(Path(pytest.__file__).parents[1])!r})\n"
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cache.of_user().keep(build)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv/bin/python"))


@pytest.mark.nightly("a whole engine that loses a request, or a game, when it begins to run compiled")
@pytest.mark.usefixtures("uncompiled")
def test_it_serves_plain_until_it_is_compiled(new_engine: NewEngine) -> None:
    """Then it changes over: no request is lost, and a game goes on."""
    engine = new_engine("data", "--compile", MIGRATO_LIMITS="off").start()
    watcher, built = Player(engine.url), list[str]()
    long = bots_game(watcher)

    def all_compiled() -> bool:
        built.append(watcher.ask("GET", "/healthz")["domain"])
        return "everything runs compiled now" in engine.log.read_text()

    until(all_compiled, otherwise=engine.tail)
    assert (built[0], watcher.ask("GET", "/healthz")["domain"]) == ("plain", "compiled")
    until(lambda: is_settled(watcher.view(long)))
    check_history(watcher.events(long))
    stop_cleanly(engine, signal.SIGTERM)


AS_SYSTEMD = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.executable, [sys.executable, "-m", "service.cli", "serve", "--ephemeral", *sys.argv[2:]])
"""


@pytest.mark.nightly("callers are refused while an engine starts again under a socket of systemd")
def test_a_restart_under_a_socket_of_systemd(tmp_path: Path) -> None:
    """A caller who connects while no engine runs is answered by the next one."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        port = str(opened.getsockname()[1])
        command = [sys.executable, "-c", AS_SYSTEMD, str(opened.fileno()), "--port", port]
        environ = clean_environment({**FEW, "MIGRATO_DATA_DIR": str(tmp_path)})
        for _ in range(2):
            with (tmp_path / "log").open("ab") as log:
                engine = subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env=environ,
                    pass_fds=(opened.fileno(),),
                    stdout=log,
                    stderr=log,
                    preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
                )
            answer = requests.get(f"http://127.0.0.1:{port}/healthz", timeout=LIMIT)
            assert answer.status_code == 200
            engine.send_signal(signal.SIGTERM)
            assert engine.wait(LIMIT) == 0
