"""The compiled modules of `events` and `service` store and answer the same as their plain sources, byte for byte."""

import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.http_load import request
from compiled import SWITCH
from events.runtime.embedded import EmbeddedServer
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.service.conftest import gunicorn
from tests.support.running import ROOT, clean_environment

pytestmark = pytest.mark.xdist_group("compiled")  # it is made once

Json = dict[str, Any]
PEOPLE = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bo"}, {"kind": "human"}]
BOTS = [{"kind": "bot", "bot": "greedy"}, {"kind": "bot", "bot": "heuristic"}]
NEW_GAMES: list[Json] = [
    {"seats": PEOPLE[:2], "options": {"turn_limit": 8, "rules": "opla", "memory_aid": True}},
    {
        "seats": PEOPLE[:2],
        "options": {"turn_limit": 8, "return_flight": True, "first_seat": "random"},
        "visibility": "public",
        "clock": {"kind": "bank", "seconds": 300, "increment": 5},
    },
    {"seats": BOTS, "options": {"turn_limit": 8}, "visibility": "public"},
    {"game": "migo", "seats": PEOPLE, "options": {"layout_size": "large"}, "visibility": "public"},
]
# What a process calls itself, in ids of commands, draws whoever imports it.
PROCESS = re.compile(rb"~[\w-]{16}")
THOUGHT = re.compile(rb" ms:\S+=\d+")  # by the clock
LOOKS = (
    "",
    "/events",
    "/events?after=3&limit=5",
    "?version=4",
    "/head",
    "/replay?limit=5",
    "/export",
    "/audit",
)


@dataclass
class Caller:
    """Somebody at a connection; keeps all that is said to them, but for dates."""

    address: str
    told: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        where = urlsplit(self.address)
        self._connection = socket.create_connection((where.hostname, where.port), timeout=60)

    def ask(self, method: str, path: str, body: Json | None = None, **options: Any) -> Any:
        """The answer's document, if it is one."""
        sent = request(method, path, b"" if body is None else json.dumps(body).encode(), **options)
        self._connection.sendall(sent.replace(b"\r\n", b"\r\nX-Request-Id: of-a-test\r\n", 1))
        answer = HTTPResponse(self._connection, method=method)
        answer.begin()
        headers = [(name, value) for name, value in answer.getheaders() if name != "Date"]
        text = answer.read()
        self.told.append((method, path, answer.status, answer.reason, headers, text))
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else None


def play(caller: Caller, new: Json) -> None:
    """Random moves to the end, looks at the game before some; what is no move is refused."""
    path, tokens = f"/v1/games/{new['id']}", [seat["token"] for seat in new["seats"]]
    dice, game, moves = random.Random(new["id"]), caller.ask("GET", path, token=tokens[0]), 0
    while (seat := game["to_act"]) is not None:
        legal = caller.ask("GET", f"{path}/legal-moves", token=tokens[seat])["moves"]
        if moves % 5 == 0:
            caller.ask("POST", f"{path}/moves", {"type": "play", "card": "nothing"}, token=tokens[seat])
            for viewer in (*tokens, None):
                caller.ask("GET", path, token=viewer)
            caller.ask("GET", path, token=tokens[seat], version=game["version"])
        key = str(moves) if moves % 3 == 0 else None
        game = caller.ask("POST", f"{path}/moves", dice.choice(legal), token=tokens[seat], key=key)["game"]
        moves += 1


def contents(link: RedisClient, game_ids: list[str]) -> Iterator[tuple[str, Any]]:
    """All that is stored of games, and what refers to their appends."""
    for game_id in game_ids:
        entries = link.call("XRANGE", keys.stream(game_id), "-", "+")
        yield (
            keys.stream(game_id),
            [[PROCESS.sub(b"~", part) for part in (at, *entry)] for at, entry in entries],
        )
        for key in (keys.commands(game_id), keys.secrets(game_id)):
            yield key, sorted(_pairs(link.call("HGETALL", key)))
    for partition in sorted({keys.partition_of(game_id) for game_id in game_ids}):
        yield (
            keys.feed(partition),
            [
                [THOUGHT.sub(b"", part) for part in fields]
                for _, fields in link.call("XRANGE", keys.feed(partition), "-", "+")
            ],
        )


def _pairs(flat: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(flat[::2], flat[1::2], strict=True)


def said(which: str, server: EmbeddedServer, log: Path) -> tuple[list[Any], dict[str, Any]]:
    """Every answer while the games are played and looked at, and what is stored of them."""
    link = link_to(server.url, timeout=5.0)
    link.call("FLUSHALL")
    settings = {
        SWITCH: "1" if which == "compiled" else "0",
        "MIGRATO_LIMITS": "off",
        "MIGRATO_WEB_WORKERS": "1",
    }
    with gunicorn(server.url, log, application="tests.service.steady:service()", **settings) as address:
        caller = Caller(address)
        assert caller.ask("GET", "/healthz")["domain"] == which
        caller.told.clear()
        games = [caller.ask("POST", "/v1/games", new) for new in NEW_GAMES]
        assert all(games), caller.told
        for game in games:
            if all(seat["kind"] == "human" for seat in game["seats"]):
                play(caller, game)
        ids = [game["id"] for game in games]
        command = [sys.executable, "-m", "tests.service.steady", *ids]
        environment = clean_environment({"MIGRATO_REDIS_URL": server.url} | settings)
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        for game in games:
            for look in LOOKS:
                caller.ask("GET", f"/v1/games/{game['id']}{look}", token=game["seats"][0].get("token"))
    stored = dict(contents(link, ids))
    link.close()
    return caller.told, stored


@pytest.mark.nightly("an answer or an entry that compiled modules write otherwise than their sources")
@pytest.mark.usefixtures("build")
def test_both_say_and_store_the_same(server: EmbeddedServer, tmp_path: Path) -> None:
    """The compiled service and the plain one answer and store the same in whole games of people and of bots."""
    compiled_told, compiled_stored = said("compiled", server, tmp_path / "compiled.log")
    told, stored = said("plain", server, tmp_path / "plain.log")

    for fast, plain in zip(compiled_told, told, strict=True):
        assert fast == plain
    assert compiled_stored == stored
