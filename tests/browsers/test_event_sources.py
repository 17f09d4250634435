"""A stream of states by a ticket, through everything that a reconnect can mend."""

from pathlib import Path

import pytest
import requests

from events.runtime.embedded import EmbeddedServer
from tests.browsers.conftest import Watch
from tests.browsers.watchers import CLOSED, has_seen
from tests.processes.engine import Engine
from tests.service.conftest import gunicorn
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, deck
from tests.waiting import until

KINDS = ["chromium", "eventsource", "event-source-polyfill"]
SOON = 20.0  # seconds


class Game:
    """A private game of two people on a known deck."""

    def __init__(self, address: str) -> None:
        seats = [{"kind": "human"}, {"kind": "human"}]
        wanted = {"seats": seats, "setup": {"deck": deck()}}
        game = requests.post(f"{address}/v1/games", json=wanted, timeout=SOON).json()
        self.address = address
        self.at = f"{address}/v1/games/{game['id']}"
        self.tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in game["seats"]]

    def stream(self, **wanted: int) -> str:
        """The address of seat 0's stream of states."""
        answer = requests.post(f"{self.at}/tickets", json=wanted, headers=self.tokens[0], timeout=SOON)
        return f"{self.address}{answer.json()['stream']}&views=true"

    def move(self, seat: int, move: Json) -> int:
        """Make a move; the version after it."""
        answer = requests.post(f"{self.at}/moves", json=move, headers=self.tokens[seat], timeout=SOON)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["version"])


@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_that_is_killed_in_mid_game(engine: Engine, watch: Watch, kind: str) -> None:
    """The same EventSource shows what happens after the restart, to the end of the game."""
    game = Game(engine.url)
    watcher = watch(kind, game.stream())
    until(lambda: has_seen(watcher, 2), otherwise=lambda: str(watcher.seen()))
    version = game.move(0, FIRST_MOVE)
    until(lambda: has_seen(watcher, version))
    engine.kill_supervisor()
    until(lambda: "error" in watcher.seen()[-1])
    so_far = len(watcher.seen())
    engine.start()
    version = game.move(1, SECOND_MOVE)
    until(lambda: has_seen(watcher, version, so_far), otherwise=lambda: str(watcher.seen()))
    version = game.move(0, {"type": "resign"})
    until(lambda: watcher.seen()[-1] == {"end": True}, otherwise=lambda: str(watcher.seen()))
    assert {"error": CLOSED} not in watcher.seen()


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_that_comes_late(tmp_path: Path, watch: Watch, kind: str) -> None:
    """An EventSource that begins while the service answers 503 to everybody else gets its first state in the end."""
    data = tmp_path / "store"
    with EmbeddedServer(data) as first, gunicorn(first.url, tmp_path / "web.log") as address:
        game = Game(address)
        stream = game.stream()
        first.stop()
        assert requests.get(game.at, headers=game.tokens[0], timeout=SOON).status_code == 503
        watcher = watch(kind, stream)
        until(lambda: len(watcher.seen()) >= 2)
        assert {"error": CLOSED} not in watcher.seen()
        with EmbeddedServer(data):
            until(lambda: has_seen(watcher, 2), otherwise=lambda: str(watcher.seen()))
            version = game.move(0, FIRST_MOVE)
            until(lambda: has_seen(watcher, version))


@pytest.mark.parametrize("kind", KINDS)
def test_a_ticket_that_has_expired(engine: Engine, watch: Watch, kind: str) -> None:
    """No reconnect mends that, so the page is told: it asks for another one."""
    game = Game(engine.url)
    watcher = watch(kind, game.stream(expires_in=1))
    until(lambda: {"error": CLOSED} in watcher.seen(), otherwise=lambda: str(watcher.seen()))
