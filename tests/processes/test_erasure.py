"""A real engine forgets: no file of it ever holds a name, and soon after an erasure none holds what would open it."""

import sys
from pathlib import Path

import pytest
import requests

from events.store import keys
from events.store.link import link_to
from tests.support.engine import Engine
from tests.support.players import Player, check_history, is_settled
from tests.support.waiting import LIMIT, until

NAME = "Ada Lovelace"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_an_engine_forgets_whoever_dies(mortal: Engine) -> None:
    """The dispatcher is killed right after the erasure: the next one has the append-only file rewritten."""
    seats = [{"kind": "human", "player": NAME}, {"kind": "bot", "bot": "greedy"}]
    created = Player(mortal.url).ask("POST", "/v1/games", {"seats": seats})
    seat, game_id = created["seats"][0], created["id"]
    ada = Player(mortal.url, seat["token"])
    ada.ask("POST", f"/v1/games/{game_id}/moves", {"type": "resign"}, key="give-up")
    until(lambda: is_settled(ada.view(game_id)))
    before = ada.events(game_id)
    link = link_to(f"unix://{mortal.data_dir}/redis/redis.sock", 5.0)
    key = link.call("GET", keys.player_key(seat["player_id"]))
    assert is_held(key, mortal.data_dir)
    erased = requests.delete(f"{mortal.url}/v1/players/{seat['player_id']}", timeout=LIMIT)
    mortal.kill("background worker")
    assert erased.status_code == 204
    until(lambda: not is_held(key, mortal.data_dir), otherwise=mortal.tail)
    assert not is_held(NAME.encode(), mortal.data_dir)
    assert NAME not in mortal.log.read_text()
    check_history(ada.events(game_id))
    assert ada.events(game_id) == before


def is_held(what: bytes, directory: Path) -> bool:
    """True if any file of the engine holds it; one that goes meanwhile holds nothing."""
    for file in directory.rglob("*"):
        try:
            if file.is_file() and what in file.read_bytes():
                return True
        except FileNotFoundError:
            continue
    return False
