"""A game of somebody else's bot, on a real engine whose remote worker is killed again and again."""

import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.processes.engine import Engine
from tests.processes.players import Json, Player, check_history, is_settled
from tests.waiting import until

KILLS = 2
ENDS_WITHIN = 60.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


class Bot(BaseHTTPRequestHandler):
    """Plays anything, after a moment."""

    asked: list[Json]

    def do_POST(self) -> None:
        """Answer with a move."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(asked)
        time.sleep(0.05)  # it thinks, so that the worker may be killed meanwhile
        answer = json.dumps({"move": random.choice(asked["legal_moves"])}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def bot() -> Iterator[ThreadingHTTPServer]:
    """A bot that serves."""
    Bot.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_the_worker_that_calls_may_be_killed(tmp_path: Path, bot: ThreadingHTTPServer) -> None:
    """The game goes on to its end, and every move is the bot's own."""
    engine = Engine(tmp_path / "data", "--ephemeral", MIGRATO_REMOTE_ALLOW="127.0.0.1")
    try:
        player = Player(engine.start().url)
        seats = [
            {"kind": "remote", "url": f"http://127.0.0.1:{bot.server_port}/"},
            {"kind": "bot", "bot": "greedy"},
        ]
        new = {"seats": seats, "visibility": "public", "options": {"turn_limit": 60}}
        game_id = str(player.ask("POST", "/v1/games", new)["id"])
        for kill in range(KILLS):
            until(lambda kill=kill: len(Bot.asked) > 8 * (kill + 1), ENDS_WITHIN, engine.tail)  # type: ignore[misc]
            engine.kill("remote worker")
        until(lambda: is_settled(player.view(game_id)), ENDS_WITHIN, engine.tail)
        events = player.events(game_id)
        check_history(events)
        replaced = [event["data"]["replaces"] for event in events if event["type"] == "move_chosen"]
        assert "remote" not in replaced
    finally:
        engine.end()
