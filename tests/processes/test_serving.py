"""Starting and stopping `migrato serve`: what it tells, what it refuses, what it leaves behind."""

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest
import requests

from drills.engine import free_port
from events.log.signing import verify_head
from tests.processes.conftest import NewEngine
from tests.processes.engine import Engine, is_alive
from tests.processes.players import Player, bots_game, check_history, is_settled
from tests.project.running import ROOT, clean_environment
from tests.waiting import until


def refused(*options: str) -> str:
    """What `migrato serve` says when it does not start; exit code 2, one sentence."""
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "serve", *options],
        cwd=ROOT,
        env=clean_environment({}),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_ctrl_c_leaves_nothing_behind(new_engine: NewEngine) -> None:
    """It ends every process within seconds; the next start has everything again, and goes on."""
    engine = new_engine().start()
    watcher = Player(engine.url)
    game_id = bots_game(watcher)
    until(lambda: watcher.view(game_id)["version"] > 10, 10)
    stop_cleanly(engine, signal.SIGINT)
    engine.start()
    until(lambda: is_settled(watcher.view(game_id)), 60)
    check_history(watcher.events(game_id))


@pytest.mark.usefixtures("build")
def test_what_is_compiled_is_used_and_said(new_engine: NewEngine) -> None:
    """Where there is a compiler; where somebody asks for them, the plain sources are."""
    served = new_engine("compiled", "--ephemeral").start()
    assert requests.get(f"{served.url}/healthz", timeout=10).json()["domain"] == "compiled"
    served.end()
    served = new_engine("plain", "--ephemeral", MIGRATO_COMPILED="0").start()
    assert requests.get(f"{served.url}/healthz", timeout=10).json()["domain"] == "plain"


def test_open_streams_do_not_hold_up_a_stop(new_engine: NewEngine) -> None:
    """Somebody who watches a quiet game is sent away."""
    engine = new_engine("data", "--ephemeral").start()
    created = requests.post(f"{engine.url}/v1/games", json={"visibility": "public"}, timeout=10).json()
    address = f"{engine.url}/v1/games/{created['id']}/events"
    with requests.get(address, headers={"Accept": "text/event-stream"}, stream=True, timeout=20) as stream:
        assert stream.status_code == 200
        stop_cleanly(engine, signal.SIGTERM)


def stop_cleanly(engine: Engine, number: signal.Signals) -> None:
    """Stop it: exit code 0 in time, and no process is left."""
    processes = engine.processes()
    assert len(processes) >= 6
    started = time.monotonic()
    assert engine.stop(number) == 0
    assert time.monotonic() - started < 15
    assert [kind for pid, kind in processes.items() if is_alive(pid)] == []
    assert "does not stop: killed" not in engine.tail()


def test_two_side_by_side(new_engine: NewEngine) -> None:
    """On other ports and in other directories they know nothing of each other."""
    engines = [new_engine(name).start() for name in ("one", "two")]
    games = [bots_game(Player(engine.url)) for engine in engines]
    assert requests.get(f"{engines[0].url}/v1/games/{games[1]}", timeout=5).status_code == 404
    for engine, game_id in zip(engines, games, strict=True):
        until(lambda engine=engine, game_id=game_id: is_settled(Player(engine.url).view(game_id)), 60)  # type: ignore[misc]
    assert "in use by `migrato serve`" in refused(
        "--port", str(free_port()), "--data-dir", str(engines[0].data_dir)
    )
    assert "is in use already" in refused("--port", str(engines[0].port), "--ephemeral")


def test_the_signing_key_is_made_once(new_engine: NewEngine) -> None:
    """At the first start, readable for nobody else; it signs from there on, and nothing of it gets into the log."""
    engine = new_engine().start()
    private = engine.data_dir / "keys" / "current.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    watcher = Player(engine.url)
    game_id = bots_game(watcher, turns=4)
    until(lambda: is_settled(watcher.view(game_id)), 60)
    made, view = private.read_text(), watcher.view(game_id)
    stop_cleanly(engine, signal.SIGINT)
    engine.start()
    assert private.read_text() == made
    assert made.splitlines()[1] not in engine.log.read_text()
    signed = watcher.view(game_id)["fairness"]["signature"]
    assert signed == view["fairness"]["signature"]
    keys = watcher.ask("GET", "/.well-known/migrato-keys.json")["keys"]
    assert [key["kid"] for key in keys] == [signed["key_id"]]
    assert verify_head(keys[0], game_id, signed["version"], signed["head"], signed["signature"])


def test_nobody_else_reads_the_data_directory(new_engine: NewEngine) -> None:
    """Neither the games nor the keys nor what was archived, whatever the umask; public keys are public."""
    before = os.umask(0o022)
    try:
        engine = new_engine(MIGRATO_ARCHIVE_AFTER="1").start()
    finally:
        os.umask(before)
    watcher = Player(engine.url)
    game_id = bots_game(watcher, turns=4)
    until(lambda: any((engine.data_dir / "archive").rglob("*.gz")), 60, engine.tail)
    assert is_settled(watcher.view(game_id))
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in engine.data_dir.rglob("*")}
    assert {path.parts[len(engine.data_dir.parts)] for path in modes} >= {"archive", "keys", "redis", "lock"}
    assert {
        str(path) for path, mode in modes.items() if mode & 0o077 and path.suffixes != [".pub", ".pem"]
    } == set()
    assert stat.S_IMODE(engine.data_dir.stat().st_mode) == 0o700


def test_the_key_is_rotated_while_the_engine_runs(new_engine: NewEngine) -> None:
    """What was signed stays; the next head is signed by the new key."""
    engine = new_engine().start()
    watcher = Player(engine.url)
    game_id = bots_game(watcher, turns=4)
    until(lambda: is_settled(watcher.view(game_id)), 60)
    final = watcher.ask("GET", f"/v1/games/{game_id}/head")
    command = [sys.executable, "-m", "service.cli", "signing-key", "--rotate"]
    environment = clean_environment({"MIGRATO_DATA_DIR": str(engine.data_dir)})
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    new = json.loads(done.stdout)["kid"]
    assert watcher.ask("GET", f"/v1/games/{game_id}/head") == final
    assert watcher.ask("GET", f"/v1/games/{game_id}/head?version=2")["key_id"] == new
    published = [key["kid"] for key in watcher.ask("GET", "/.well-known/migrato-keys.json")["keys"]]
    assert published == [new, final["key_id"]]
