"""Starting and stopping `migrato serve`: what it tells, what it refuses, what it leaves behind."""

import shlex
import signal
import subprocess
import sys
import time

import pytest
import requests

from tests.processes.conftest import NewEngine
from tests.processes.engine import is_alive, until
from tests.processes.players import Player, bots_game, is_settled
from tests.project.running import ROOT, clean_environment, free_port


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_clean_stop_leaves_nothing_behind(new_engine: NewEngine, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM end every process within seconds; the next start has everything again."""
    engine = new_engine().start()
    watcher = Player(engine.url)
    game_id = bots_game(watcher)
    until(lambda: watcher.view(game_id)["version"] > 10, 10)
    processes = engine.processes()
    assert len(processes) == 7
    started = time.monotonic()
    assert engine.stop(number) == 0
    assert time.monotonic() - started < 15
    assert [kind for pid, kind in processes.items() if is_alive(pid)] == []
    assert "does not stop: killed" not in engine.tail()
    engine.start()
    until(lambda: is_settled(watcher.view(game_id)), 60)


def test_open_streams_do_not_hold_up_the_stop(new_engine: NewEngine) -> None:
    """Somebody who watches a quiet game is sent away."""
    engine = new_engine("data", "--ephemeral").start()
    created = requests.post(f"{engine.url}/v1/games", json={"visibility": "public"}, timeout=10).json()
    address = f"{engine.url}/v1/games/{created['id']}/events"
    with requests.get(address, headers={"Accept": "text/event-stream"}, stream=True, timeout=20) as stream:
        assert stream.status_code == 200
        started = time.monotonic()
        assert engine.stop() == 0
        assert time.monotonic() - started < 15


def test_it_says_how_to_begin(new_engine: NewEngine) -> None:
    """The curl line that is printed makes a game as it stands."""
    engine = new_engine("data", "--ephemeral").start()
    line = next(line for line in engine.log.read_text().splitlines() if line.startswith("  curl"))
    answer = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=20, check=True)
    assert '"token":' in answer.stdout
    assert engine.url in engine.log.read_text()


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
