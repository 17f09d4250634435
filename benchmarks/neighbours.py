"""Cost of one app's greed to another: two apps at one engine, of which `greedy` asks for all it can get.

Questions: 40 callers of `greedy` ask a searching bot for a million iterations, again and again; both apps ask for hints
meanwhile, and `modest` for quick moves. Remote bots: `greedy` has 1,200 games of a bot that takes requests and never
answers; `modest` has one game at a time, of a bot that answers at once.
"""

import json
import random
import socket
import threading
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

from benchmarks.moves import service

CALLERS = 40
ITERATIONS = 1_000_000
SILENT_GAMES = 1200
SECONDS = 40.0
REST = 0.5  # seconds between two requests of a polite caller
TURNS = 60

KEYS = {name: f"mgapp_{name:_<40}" for name in ("greedy", "modest")}
APPS = ",".join(f"{name}={sha256(key.encode()).hexdigest()}" for name, key in KEYS.items())
PEOPLE = [{"kind": "human", "player": name} for name in ("ada", "bo")]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Waits:
    """Requests of one caller: the number answered, the number refused, and the seconds of the answers, in order."""

    seconds: list[float]
    refused: int


def ask(url: str, token: str, body: Json | None = None) -> tuple[int, Json]:
    """Status and document of an answer."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


# --- Questions ------------------------------------------------------------------------------------------------------


def questions(port: int = 8993, seconds: float = SECONDS) -> dict[str, Waits]:
    """Requests and their outcomes by caller."""
    with service(port, MIGRATO_APP_KEYS=APPS) as url:
        endless, quick = _position(url, "greedy"), _position(url, "modest")
        found: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        until = time.monotonic() + seconds

        def again(name: str, once: Callable[[], int], rest: float) -> None:
            while time.monotonic() < until:
                began = time.monotonic()
                status = once()
                found[name].append((status, time.monotonic() - began))
                time.sleep(rest if status == 200 else REST)

        def choose(app: str, bot: str, asked: Json) -> int:
            return ask(f"{url}/v1/bots/{bot}/choose", KEYS[app], asked)[0]

        def hint(app: str, bot: str) -> int:
            _, game = ask(f"{url}/v1/games", KEYS[app], {"seats": PEOPLE})
            return ask(f"{url}/v1/games/{game['id']}/hint?bot={bot}", game["seats"][0]["token"])[0]

        much = endless | {"budget": {"iterations": ITERATIONS}}
        asking: list[tuple[str, Callable[[], int], float]] = [
            ("greedy: a million iterations", lambda: choose("greedy", "ismcts", much), 0.0)
        ] * CALLERS
        asking += [
            ("greedy: hints of greedy", lambda: hint("greedy", "greedy"), REST),
            ("modest: hints of ismcts", lambda: hint("modest", "ismcts"), REST),
            ("modest: hints of greedy", lambda: hint("modest", "greedy"), REST),
            ("modest: quick questions", lambda: choose("modest", "greedy", quick), REST),
        ]
        with ThreadPoolExecutor(len(asking)) as threads:
            for task in [threads.submit(again, *one) for one in asking]:
                task.result()
    return {
        name: Waits(
            sorted(waited for status, waited in all_ if status == 200), sum(s != 200 for s, _ in all_)
        )
        for name, all_ in found.items()
    }


def _position(url: str, app: str) -> Json:
    """A question about the first turn of a new game."""
    _, game = ask(f"{url}/v1/games", KEYS[app], {"seats": PEOPLE})
    path, token = f"{url}/v1/games/{game['id']}", game["seats"][0]["token"]
    return {"view": ask(path, token)[1], "history": ask(f"{path}/events", token)[1]["events"]}


# --- Remote bots ----------------------------------------------------------------------------------------------------


class Prompt(BaseHTTPRequestHandler):
    """A bot that answers at once."""

    def do_POST(self) -> None:
        """Some bird or danger, or else anything."""
        legal = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["legal_moves"]
        moves = [move for move in legal if move["type"] in ("play", "danger", "discard")] or legal
        answer = json.dumps({"move": random.choice(moves)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def silent_bot() -> Iterator[str]:
    """The URL of a bot that takes every request and answers none."""
    server = socket.create_server(("127.0.0.1", 0), backlog=4096)
    kept: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                kept.append(server.accept()[0])
            except OSError:
                return
            if len(kept) > 2000:
                kept.pop(0).close()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    finally:
        server.close()
        for connection in kept:
            connection.close()


@contextmanager
def prompt_bot() -> Iterator[str]:
    """The URL of a bot that answers at once."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Prompt)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def remote_bots(port: int = 8992, seconds: float = SECONDS) -> dict[str, Waits]:
    """Wait of `modest` for its bot, alone and beside `greedy`'s games; `refused`: turns that another bot played."""
    with (
        service(port, MIGRATO_APP_KEYS=APPS, MIGRATO_REMOTE_ALLOW="127.0.0.1") as url,
        silent_bot() as silent,
        prompt_bot() as prompt,
    ):
        alone = _play(url, prompt, seconds / 4)
        with ThreadPoolExecutor(12) as creating:
            made = [creating.submit(_game, url, "greedy", silent) for _ in range(SILENT_GAMES)]
            beside = _play(url, prompt, seconds)
            for one in made:
                one.result()
    return {"alone": alone, f"beside {SILENT_GAMES:,} games of a silent bot": beside}


def _game(url: str, app: str, bot: str) -> str:
    seats = [{"kind": "remote", "url": bot}, {"kind": "bot", "bot": "greedy"}]
    new = {"seats": seats, "options": {"turn_limit": TURNS}}
    status, created = ask(f"{url}/v1/games", KEYS[app], new)
    assert status == 201, created
    return f"{url}/v1/games/{created['id']}"


def _play(url: str, bot: str, seconds: float) -> Waits:
    until, waits, replaced = time.monotonic() + seconds, list[float](), 0
    while time.monotonic() < until:
        path, key = _game(url, "modest", bot), KEYS["modest"]
        while time.monotonic() < until and ask(path, key)[1]["status"] != "finished":
            time.sleep(0.2)
        events = ask(f"{path}/events?limit=1000", key)[1]["events"]
        for before, event in pairwise(events):
            waited = (_at(event) - _at(before)).total_seconds()
            if event["seat"] == 0 and waited > 0:
                waits.append(waited)
            replaced += event["type"] == "move_chosen" and event["data"]["replaces"] == "remote"
    return Waits(sorted(waits), replaced)


def _at(event: Json) -> datetime:
    return datetime.fromisoformat(event["at"])
