"""Time for which everybody else waits while one caller asks for much: `/healthz` during bursts of costly questions.

Public games of 6,000 events, longer than any that is begun today can become: two people exchange their hands for ever.
One web worker over a real store, in which the game was never read before. A burst is 100 requests at once, each on a
connection of its own and all of them without a token; meanwhile `/healthz` is asked every few milliseconds.
"""

import socket
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.http_load import request, whole
from benchmarks.moves import HOST, service
from benchmarks.synthetic import SyntheticGame, exchanging
from events.ports import EventStore
from events.runtime.embedded import EmbeddedServer
from events.store.event_store import RedisEventStore
from events.store.link import link_to

EVENTS = 6000
REQUESTS = 100
REST = 0.002  # seconds between two looks at /healthz
PATIENCE = 300  # seconds for a burst

BURSTS: dict[str, Callable[[str, int], str]] = {
    "?version=N, never read": lambda path, _: f"{path}?version={EVENTS - 1000}",
    "?version=N, all different": lambda path, n: f"{path}?version={EVENTS - 1050 - 40 * n}",
    "/audit": lambda path, _: f"{path}/audit",
    "/export": lambda path, _: f"{path}/export",
    "/events?limit=1000": lambda path, n: f"{path}/events?limit=1000&after={n * 50}",
    "/replay?limit=100": lambda path, n: f"{path}/replay?limit=100&after={n * 50}",
}


@dataclass(frozen=True, slots=True)
class Burst:
    """One burst: the answers by status, the seconds that it took, and what `/healthz` took meanwhile, in ms."""

    statuses: dict[int, int]
    seconds: float
    p50: float
    p99: float
    most: float


def write_long_game(store: EventStore, events: int, *, over: bool) -> str:
    """A public game of about so many events; `over`: with a confirmed result. Its id."""
    game = SyntheticGame(store, endless=True)
    game.play(events, exchanging)
    if over:
        game.end()
    return game.game_id


def run(port: int = 8996, events: int = EVENTS) -> list[tuple[str, str, Burst]]:
    """(game, burst, figures): every burst at a game that runs and at one that is over, in a worker of their own."""
    found = []
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory)) as server:
        link = link_to(server.url, 10.0)
        store = RedisEventStore(link, link, 1.0)
        for over in (False, True):
            with service(port, web_workers=1, redis_url=server.url):
                game_id = write_long_game(store, events, over=over)
                for name, asks in BURSTS.items():
                    paths = [asks(f"/v1/games/{game_id}", n) for n in range(REQUESTS)]
                    found.append(("over" if over else "running", name, burst(port, paths)))
    return found


def burst(port: int, paths: list[str]) -> Burst:
    """Ask for all paths at once from another process, and for `/healthz` meanwhile from this one."""
    ours, theirs = get_context("fork").Pipe()
    firing = get_context("fork").Process(target=_fire, args=(port, paths, theirs))
    firing.start()
    assert ours.recv() == "ready"
    waits = list[float]()
    ours.send("go")
    with socket.create_connection((HOST, port)) as connection:
        while not ours.poll():
            waits.append(look(connection))
            time.sleep(REST)
    statuses, seconds = ours.recv()
    firing.join()
    waits = sorted(wait * 1000 for wait in waits)
    return Burst(statuses, seconds, waits[len(waits) // 2], waits[len(waits) * 99 // 100], waits[-1])


def look(connection: socket.socket) -> float:
    """Ask for `/healthz`; the seconds that it took."""
    began, received = time.perf_counter(), b""
    connection.sendall(request("GET", "/healthz"))
    while not whole(received):
        received += connection.recv(65536)
    return time.perf_counter() - began


def _fire(port: int, paths: list[str], pipe: Connection) -> None:
    statuses, go = Counter[int](), threading.Event()
    threads = [threading.Thread(target=_ask, args=(port, path, go, statuses)) for path in paths]
    for thread in threads:
        thread.start()
    pipe.send("ready")
    pipe.recv()
    began = time.perf_counter()
    go.set()
    for thread in threads:
        thread.join()
    pipe.send((dict(statuses), time.perf_counter() - began))


def _ask(port: int, path: str, go: threading.Event, statuses: Counter[int]) -> None:
    go.wait()
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=PATIENCE) as answer:
            while answer.read(65536):
                pass
            statuses[answer.status] += 1
    except urllib.error.HTTPError as refusal:
        statuses[refusal.code] += 1
