"""`python -m tests.golden.record_store`: keep an event store, and an archive, for all releases to go on with.

`store.json` holds every key of a Redis in which four games were left, what was answered of them, and how to play on;
`archive` holds five games that are over.
"""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from domain.registry import GAMES
from events.application import Application
from events.archive.mover import Mover
from events.archive.storage import Directory
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.whole_games import RedisGames
from service.http.app import create_app
from tests.service.table import FIRST_MOVE, SECOND_MOVE, deck
from tests.support.recording import AllThere

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
        return self._created(name, "/v1/games", {"seats": seats, **more})

    def fork(self, name: str, origin: Json, wanted: Json) -> Json:
        """A game that goes on from a version of another one."""
        return self._created(name, f"/v1/games/{origin['id']}/fork", wanted)

    def _created(self, name: str, path: str, wanted: Json) -> Json:
        answer = self._client.post(path, json=wanted)
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

    def people(self, game: Json) -> None:
        """Play the game to its end, people with any legal move, a danger first."""
        path = f"/v1/games/{game['id']}"
        while (now := self._client.get(path).json)["to_act"] is not None:  # type: ignore[index]
            seat = now["to_act"]  # type: ignore[index]
            if game["tokens"][seat] is None:
                self.bots(game, 1)
                continue
            token = {"Authorization": f"Bearer {game['tokens'][seat]}"}
            moves: Any = self._client.get(f"{path}/legal-moves", headers=token).json
            dangers = [move for move in moves["moves"] if move["type"] == "danger"]
            self.move(game, seat, random.choice(dangers or moves["moves"]))

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


def play_out(recorder: Recorder, application: Application) -> None:
    """Games that are over: by both rule books, of Migo, with a set-up deck, and a fork."""
    origin = recorder.create("over", HUMANS, setup={"deck": deck()}, visibility="public")
    recorder.move(origin, 0, FIRST_MOVE)
    recorder.move(origin, 1, SECOND_MOVE)
    recorder.move(origin, 0, {"type": "resign"})
    application.bot_turns.score_game(origin["id"])
    recorder.people(
        recorder.create("digital", [HUMANS[0], BOTS[0]], options={"turn_limit": 14}, visibility="public")
    )
    recorder.create("opla", BOTS, options={"rules": "opla", "return_flight": True})
    recorder.create("migo", [BOTS[0]] * 3, game="migo")
    version = application.views.snapshot(origin["id"]).version - 3
    recorder.fork("fork", origin, {"version": version, "seats": BOTS})
    for game in recorder.games.values():
        recorder.bots(game, 1000)
        application.bot_turns.score_game(game["id"])


@contextmanager
def recording() -> Iterator[tuple[Recorder, Application, RedisClient]]:
    """A recorder of a service of its own, whose store is empty."""
    with EmbeddedServer(None) as server:
        settings = Settings(redis_url=server.url, queue_url=server.url)
        application = bootstrap.application(settings)
        recorder = Recorder(create_app(settings, application, AllThere()).test_client(), application)
        yield recorder, application, link_to(server.url, timeout=5.0)


def main() -> None:
    """Write them."""
    with recording() as (recorder, application, link):
        play(recorder, application)
        recorder.tell()
        document = {"games": recorder.games, "keys": contents(link)}
    (HERE / "store.json").write_text(json.dumps(document, indent=1) + "\n")
    with recording() as (recorder, application, link):
        play_out(recorder, application)
        assert Mover(RedisGames(link), Directory(HERE / "archive"), GAMES, -1).run().games == len(
            recorder.games
        )


if __name__ == "__main__":
    main()
