"""A real engine forgets: no file of it ever holds a name, and soon after an erasure none holds what would open it."""

import sys
from pathlib import Path

import pytest
import requests

from events.redis import keys
from events.redis.connections.client import RedisClient
from tests.processes.conftest import NewEngine
from tests.processes.players import Player, check_history, is_settled
from tests.waiting import until

NAME = "Ada Lovelace"
FORGOTTEN_WITHIN = 30.0  # seconds, a new dispatcher included

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def test_an_engine_forgets_whoever_dies(new_engine: NewEngine) -> None:
    """The dispatcher is killed right after the erasure: the next one has the append-only file rewritten."""
    engine = new_engine().start()
    seats = [{"kind": "human", "player": NAME}, {"kind": "bot", "bot": "greedy"}]
    created = requests.post(f"{engine.url}/v1/games", json={"seats": seats}, timeout=10).json()
    seat, game_id = created["seats"][0], created["id"]
    ada = Player(engine.url, seat["token"])
    ada.ask("POST", f"/v1/games/{game_id}/moves", {"type": "resign"}, key="give-up")
    until(lambda: is_settled(ada.view(game_id)), 20.0)
    before = ada.events(game_id)
    link = RedisClient.to(f"unix://{engine.data_dir}/redis/redis.sock", 5.0)
    key = link.call("GET", keys.player_key(seat["player_id"]))
    assert any(key in content for content in files(engine.data_dir))

    erased = requests.delete(f"{engine.url}/v1/players/{seat['player_id']}", timeout=10)
    engine.kill("dispatcher")

    assert erased.status_code == 204
    until(
        lambda: not any(key in content for content in files(engine.data_dir)), FORGOTTEN_WITHIN, engine.tail
    )
    assert not any(NAME.encode() in content for content in (*files(engine.data_dir), engine.log.read_bytes()))
    check_history(ada.events(game_id))
    assert ada.events(game_id) == before


def files(directory: Path) -> list[bytes]:
    """What is in all files of the engine; one that goes meanwhile holds nothing."""
    found = []
    for file in directory.rglob("*"):
        try:
            found.append(file.read_bytes() if file.is_file() else b"")
        except FileNotFoundError:
            continue
    return found
