"""Pages of events in which every type of event is, some of them with hidden fields."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tests.golden
from domain.lifecycle import EventRecord
from events.log.upcasters import upcast
from tests.processes.players import Json, Player

GOLDEN = sorted(Path(tests.golden.__file__).parent.glob("*.jsonl"))
DIGEST = "ab" * 32
MIDDLE = 12  # moves, after which a game is looked at and forked
OPTIONS: Json = {"turn_limit": 60, "return_flight": True, "first_seat": "random"}
NO_MOVES: list[Any] = ["turn_passed", 1, 0, {}]  # nobody has to pass in any of the games


def told_pages(url: str, app_key: str) -> Iterator[Json]:
    """What a real engine tells seats and a spectator: amid a game, of its fork, at its end; a resignation."""
    game = _Game(Player(url, app_key))
    game.play(MIDDLE)
    yield from game.pages()
    yield from game.forked().pages()
    game.play()
    yield from game.pages()
    resigned = _Game(Player(url, app_key))
    resigned.move(0, {"type": "resign"})
    yield from resigned.pages()


class _Game:
    """A public game of two people, who like best what they have not done yet."""

    def __init__(self, app: Player, created: Json | None = None) -> None:
        new_game = {
            "seats": [{"kind": "human", "player": "ada"}, {"kind": "open"}],
            "options": OPTIONS,
            "visibility": "public",
        }
        self._app = app
        created = created or app.ask("POST", "/v1/games", new_game)
        self._path = f"/v1/games/{created['id']}"
        taken = created["seats"][1]
        if taken["kind"] == "open":
            taken = app.ask("POST", f"{self._path}/seats/1", {"player": "bob"})
        self._seats = [Player(app.url, seat["token"]) for seat in (created["seats"][0], taken)]
        self._random = random.Random(1)
        self._done: list[str] = []

    def play(self, moves: int = 10_000) -> None:
        """Play so many moves, or to the end."""
        for _ in range(moves):
            view = self._seats[0].ask("GET", self._path)
            if view["to_act"] is None:
                break
            self._act(view["to_act"])

    def _act(self, seat: int) -> None:
        legal = self._seats[seat].ask("GET", f"{self._path}/legal-moves")["moves"]
        self._random.shuffle(legal)
        move = min(legal, key=lambda move: self._done.count(move["type"]))
        if len(self._done) == 2:
            self._seats[seat].ask("GET", f"{self._path}/hint?bot=greedy")
        if len(self._done) == 4:
            token = self._app.ask("POST", f"{self._path}/seats/{seat}/token")["token"]
            self._seats[seat] = Player(self._app.url, token)
        self.move(seat, move)

    def move(self, seat: int, move: Json) -> None:
        """Let the seat make that move."""
        self._done.append(move["type"])
        self._seats[seat].ask("POST", f"{self._path}/moves", move)

    def forked(self) -> "_Game":
        """The game from here on, as the app forks it."""
        version = self._app.ask("GET", self._path)["version"]
        seats = [{"kind": "human"}, {"kind": "human"}]
        fork = {"version": version, "resample": True, "seats": seats}
        return _Game(self._app, self._seats[0].ask("POST", f"{self._path}/fork", fork))

    def pages(self) -> Iterator[Json]:
        """Its events as they are told to the first seat and to a spectator."""
        for viewer in (self._seats[0], Player(self._app.url)):
            yield viewer.ask("GET", f"{self._path}/events?limit=1000")


def stored_page() -> Json:
    """A page of stored events, in the envelope of events of which nothing is hidden."""
    stored = [json.loads(line)[:4] for file in GOLDEN for line in file.read_text().splitlines()]
    records = [upcast("migrato", EventRecord(*event)) for event in [*stored, NO_MOVES]]
    events = [_told(version, record) for version, record in enumerate(records, 1)]
    return {"events": events, "next": len(events), "version": len(events)}


def _told(version: int, record: EventRecord) -> Json:
    return {
        "version": version,
        "type": record.type,
        "schema": record.schema,
        "seat": record.seat,
        "data": record.data,
        "redacted": [],
        "at": "2026-11-22T10:00:00.123456Z",
        "commitment": DIGEST,
        "head": DIGEST,
        "salt": DIGEST,
    }
