"""Starting and stopping `migrato serve`: what it tells, what it refuses, what it leaves behind."""

import json
import signal
import stat

import pytest
import requests

from drills.ports import free_port
from events.log.signing import verify_head
from tests.processes.conftest import NewEngine
from tests.support.command import migrato, refused_to_serve
from tests.support.engine import Engine, is_alive
from tests.support.players import Player, bots_game, check_history, is_settled
from tests.support.waiting import LIMIT, until


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
    """
    engine = new_engine().start()
    private = engine.data_dir / "keys" / "current.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    watcher = Player(engine.url)
    short = bots_game(watcher, turns=4)
    until(lambda: is_settled(watcher.view(short)))
    made, signed = private.read_text(), watcher.view(short)["fairness"]["signature"]
    long = bots_game(watcher)
    until(lambda: watcher.view(long)["version"] > 10)
    stop_cleanly(engine, signal.SIGINT)
    others = ("--host", "0.0.0.0", "--port", str(engine.port), "--data-dir", str(engine.data_dir))
    assert "migrato apps create" in refused_to_serve(*others)
    engine.start()
    until(lambda: is_settled(watcher.view(long)))
    check_history(watcher.events(long))
    assert private.read_text() == made
    assert made.splitlines()[1] not in engine.log.read_text()
    assert watcher.view(short)["fairness"]["signature"] == signed
    (key,) = watcher.ask("GET", "/.well-known/migrato-keys.json")["keys"]
    assert key["kid"] == signed["key_id"]
    assert verify_head(key, short, signed["version"], signed["head"], signed["signature"])
    final = watcher.ask("GET", f"/v1/games/{short}/head")
    rotated = migrato("signing-key", "--rotate", MIGRATO_DATA_DIR=str(engine.data_dir))
    new = json.loads(rotated.stdout)["kid"]
    assert watcher.ask("GET", f"/v1/games/{short}/head") == final
    assert watcher.ask("GET", f"/v1/games/{short}/head?version=2")["key_id"] == new
    published = [key["kid"] for key in watcher.ask("GET", "/.well-known/migrato-keys.json")["keys"]]
    assert published == [new, final["key_id"]]


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
