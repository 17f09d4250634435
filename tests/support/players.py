"""Clients of a real engine: they go on when it dies, and remember everything they were told."""

import random
import threading
import time
import uuid
from collections.abc import Collection
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import requests
import rfc8785

from domain.lifecycle import EventRecord
from domain.registry import game_named
from service.cli.selfplay.match import check_conserved
from tests.support.waiting import LIMIT

Json = dict[str, Any]


class Gone(Exception):
    """The engine did not come back in time."""


@dataclass
class Player:
    """Somebody with a token, at one engine, who asks again while the engine is away."""

    url: str
    token: str | None = None
    patience: float = LIMIT

    def ask(self, method: str, path: str, body: Json | None = None, key: str | None = None) -> Json:
        """The answer's document. Only what is safe to repeat is sent here: reads, and moves with a key."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            try:
                answer = requests.request(method, self.url + path, json=body, headers=headers, timeout=LIMIT)
            except requests.RequestException:
                time.sleep(0.05)
                continue
            if answer.status_code == 503:
                time.sleep(0.05)
                continue
            assert answer.ok, answer.text
            document: Json = answer.json()
            return document
        raise Gone(path)

    def events(self, game_id: str) -> list[Json]:
        """Every event of the game that has been recorded."""
        found: list[Json] = []
        while page := self.ask("GET", f"/v1/games/{game_id}/events?after={len(found)}&limit=500")["events"]:
            found += page
        return found

    def view(self, game_id: str) -> Json:
        """The game now."""
        return self.ask("GET", f"/v1/games/{game_id}")


def logged(url: str, games: Collection[str]) -> list[Json]:
    """All that stands in the app's log of these games."""
    found, after = list[Json](), "0"
    while (page := requests.get(f"{url}/v1/events?after={after}", timeout=10).json())["events"]:
        found, after = [*found, *page["events"]], page["next"]
    return [event for event in found if event["data"]["game_id"] in games]


def is_settled(view: Json) -> bool:
    """True if the game is over and its result confirmed."""
    return view["status"] == "finished" and bool(view["result"]["scored"])


def bots_game(
    player: Player,
    bots: tuple[str, ...] = ("greedy", "greedy"),
    turns: int | None = 50,
    game: str = "migrato",
) -> str:
    """A new public game of bots, of so many turns at most; its id."""
    seats = [{"kind": "bot", "bot": bot} for bot in bots]
    new = {"game": game, "seats": seats, "visibility": "public", "options": {"turn_limit": turns}}
    created = player.ask("POST", "/v1/games", new)
    return str(created["id"])


def check_history(events: list[Json]) -> None:
    """A finished game's history is whole: gapless, chained, committed to, and every card accounted for."""
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    game = game_named(events[0]["data"]["game"])
    head = bytes([0] * 31 + [events[0]["data"].get("seals", 0)])
    state = game.initial()
    for event in events:
        committed = committed_to(event)
        head = sha256(head + committed).digest()
        assert (event["commitment"], event["head"]) == (committed.hex(), head.hex())
        state = game.evolve(
            state, game.decode(EventRecord(event["type"], event["schema"], event["seat"], event["data"]))
        )
        check_conserved(game, state, f"event {event['version']}")
    assert [event["type"] for event in events].count("game_ended") == 1
    assert events[-1]["type"] == "game_scored"


def committed_to(event: Json) -> bytes:
    """The commitment to an event that is seen whole, found without the engine's code."""
    document = {name: event[name] for name in ("version", "type", "schema", "at", "seat")}
    if "salt" in event:
        return sha256(
            bytes.fromhex(event["salt"]) + rfc8785.dumps({**document, "data": event["data"]})
        ).digest()
    bare = deepcopy(event["data"])
    assert event["salts"].keys() == event["sealed"].keys()
    for pointer, salt in event["salts"].items():
        part: Any = bare
        *way, last = [int(step) if step.isdecimal() else step for step in pointer[1:].split("/")]
        for step in way:
            part = part[step]
        digest = sha256(bytes.fromhex(salt) + rfc8785.dumps([pointer, part[last]])).hexdigest()
        assert digest == event["sealed"][pointer]
        part[last] = None
    return sha256(rfc8785.dumps({**document, "data": bare, "sealed": event["sealed"]})).digest()


@dataclass
class Human(threading.Thread):
    """A person who plays against greedy whatever happens, and remembers the head of every version told."""

    url: str
    seed: int
    turns: int | None = None
    pause: float = 0.02
    told: dict[int, str] = field(default_factory=dict)
    failure: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self._random = random.Random(self.seed)
        created = Player(self.url).ask("POST", "/v1/games", {"options": {"turn_limit": self.turns}})
        self.game_id = str(created["id"])
        self.player = Player(self.url, str(created["seats"][0]["token"]))

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """Play to the end."""
        try:
            while not is_settled(view := self.player.view(self.game_id)):
                if view["to_act"] == 0:
                    self._move(view)
                else:
                    self._learn(self.player.ask("GET", self._events(view["version"]))["events"])
        except (AssertionError, Gone) as failure:
            self.failure = failure

    def _move(self, view: Json) -> None:
        path = f"/v1/games/{self.game_id}"
        legal = self.player.ask("GET", f"{path}/legal-moves")
        if legal["version"] != view["version"] or not legal["moves"]:
            return
        plays = [move for move in legal["moves"] if move["type"] == "play"]
        move = self._random.choice(plays or legal["moves"])
        played = self.player.ask("POST", f"{path}/moves", move, key=str(uuid.uuid4()))
        self._learn(played["events"])
        time.sleep(min(0.05, self.pause))  # as people do

    def _events(self, after: int) -> str:
        return f"/v1/games/{self.game_id}/events?after={after}&wait=5"

    def _learn(self, events: list[Json]) -> None:
        for event in events:
            known = self.told.setdefault(event["version"], event["head"])
            assert known == event["head"], f"version {event['version']} was told in two ways"

    def check(self, events: list[Json]) -> None:
        """Nothing that was told is lost or changed."""
        assert self.failure is None, repr(self.failure)
        heads = {event["version"]: event["head"] for event in events}
        assert {version: heads.get(version) for version in self.told} == self.told
