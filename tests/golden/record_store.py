"""`python -m tests.golden.record_store RELEASE`: keep the event store of a release for all later ones to go on with.

The file holds every key of a Redis in which four games were left, what was answered of them, and how to play on.
"""

import json
import sys
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import create_app
from tests.service.recording import AllThere
from tests.service.table import FIRST_MOVE, SECOND_MOVE, deck

HERE = Path(__file__).parent
HUMANS = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}]
BOTS = [{"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "heuristic"}]
READING = {
    b"string": ("GET",),
    b"hash": ("HGETALL",),
    b"zset": ("ZRANGE", 0, -1),
    b"stream": ("XRANGE", "-", "+"),
}

Json = dict[str, Any]


class Recorder:
    """Plays the games, and keeps what was answered."""

    def __init__(self, client: FlaskClient, application: Application) -> None:
        self._client = client
        self._application = application
        self.games: dict[str, Json] = {}

    def create(self, name: str, seats: list[Json], **more: Any) -> Json:
        """A new game under a name of this record."""
        answer = self._client.post("/v1/games", json={"seats": seats, **more})
        assert answer.status_code == 201, answer.json
        game: Any = answer.json
        tokens = [seat.get("token") for seat in game["seats"]]
        kept: Json = {"id": game["id"], "tokens": tokens, "keyed": [], "told": {}}
        self.games[name] = kept
        return kept

    def move(self, game: Json, seat: int, move: Json, key: str | None = None) -> None:
        """A seat's move, with or without an `Idempotency-Key`; a keyed one is kept with its answer."""
        headers = {"Authorization": f"Bearer {game['tokens'][seat]}"}
        headers |= {} if key is None else {"Idempotency-Key": key}
        answer = self._client.post(f"/v1/games/{game['id']}/moves", json=move, headers=headers)
        assert answer.status_code == 201, answer.json
        if key is not None:
            game["keyed"].append({"seat": seat, "key": key, "move": move, "answer": answer.text})

    def bots(self, game: Json, moves: int) -> None:
        """So many moves of bots, or until there is a result."""
        for _ in range(moves):
            now = self._application.views.snapshot(game["id"])
            if now.status.result is None:
                self._application.bot_turns.bot_move(game["id"], now.version)

    def tell(self) -> None:
        """Ask for everything that is told of the games."""
        for game in self.games.values():
            for what in ("", "/events?limit=1000", "/export"):
                answer = self._client.get(f"/v1/games/{game['id']}{what}")
                assert answer.status_code == 200, answer.json
                game["told"][what] = answer.text


def play(recorder: Recorder, application: Application) -> None:
    """A game of people that is over, one that goes on, one of bots that goes on, one that waits for its score."""
    over = recorder.create("over", HUMANS, setup={"deck": deck()}, visibility="public")
    running = recorder.create("running", HUMANS, setup={"deck": deck()}, visibility="public")
    for game in (over, running):
        recorder.move(game, 0, FIRST_MOVE, key="a key of the first move")
        recorder.move(game, 1, SECOND_MOVE)
    recorder.move(over, 0, {"type": "resign"})
    application.bot_turns.score_game(over["id"])
    recorder.bots(recorder.create("bots", BOTS, visibility="public"), 7)
    unscored = recorder.create("unscored", HUMANS, setup={"deck": deck()}, visibility="public")
    recorder.move(unscored, 0, {"type": "resign"}, key="a key of giving up")


def contents(link: RedisClient) -> dict[str, list[Any]]:
    """By key its type and what is in it, each byte as a character."""
    found = {}
    for key in sorted(link.call("KEYS", "*")):
        kind = link.call("TYPE", key)
        command, *range_ = READING[kind]
        found[_text(key)] = [_text(kind), _text(link.call(command, key, *range_))]
    return found


def _text(value: Any) -> Any:
    return [_text(part) for part in value] if isinstance(value, list) else value.decode("latin-1")


def main(release: str) -> None:
    """Write the file."""
    with EmbeddedServer(None) as server:
        settings = Settings(redis_url=server.url, queue_url=server.url)
        application = bootstrap.application(settings)
        recorder = Recorder(create_app(settings, application, AllThere()).test_client(), application)
        play(recorder, application)
        recorder.tell()
        link = RedisClient.to(server.url, timeout=5.0)
        document = {"games": recorder.games, "keys": contents(link)}
    (HERE / f"store-{release}.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
