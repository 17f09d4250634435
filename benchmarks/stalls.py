"""Time for which everybody else waits while a few callers ask for costly things: `/healthz` meanwhile.

As `bursts`, but steadily: eight callers, each of whom asks again as soon as it is answered, for a public game of 6,000
events. One web worker over a real store. Bursts show how a queue drains; this shows whether one answer stalls others.
"""

import json
import socket
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.bursts import EVENTS, REST, look, write_long_game
from benchmarks.moves import HOST, service
from events.runtime.embedded import EmbeddedServer
from events.store.event_store import RedisEventStore
from events.store.link import link_to

CALLERS = 8
SECONDS = 2.0  # for each kind
SOON = 30  # seconds in which a caller is answered
AFTER_A_MOVE = "cards_drawn"  # a version at which somebody is to move, and a game can go on

Ask = tuple[str, bytes | None]  # where, and the body of a POST
Asks = Callable[[int], Ask]


@dataclass(frozen=True, slots=True)
class Stall:
    """Answers by status, and what `/healthz` took meanwhile, in ms."""

    statuses: dict[int, int]
    looks: int
    p50: float
    p99: float
    most: float


def kinds(path: str, decisions: Sequence[int]) -> dict[str, Asks]:
    """Costly requests to the game at that path, which can be forked at these versions; by name."""
    found: dict[str, Asks] = {
        "view": lambda _: (path, None),
        "view with ?version=N": lambda n: (f"{path}?version={EVENTS - 37 * n % EVENTS}", None),
        "export": lambda _: (f"{path}/export", None),
        "audit": lambda _: (f"{path}/audit", None),
        "events, 1,000": lambda n: (f"{path}/events?limit=1000&after={50 * n % (EVENTS - 1000)}", None),
        "replay, 100": lambda n: (f"{path}/replay?limit=100&after={50 * n % (EVENTS - 1000)}", None),
        "fork": lambda n: (f"{path}/fork", b'{"version": %d}' % decisions[n % len(decisions)]),
        "list, 100": lambda _: ("/v1/games?limit=100", None),
    }
    alone = list(found.values())
    return found | {"all of these": lambda n: alone[n % len(alone)](n)}


def run(port: int = 8994) -> list[tuple[str, Stall]]:
    """(kind, figures) for each kind of question about a game that is over."""
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory)) as server:
        link = link_to(server.url, 10.0)
        store = RedisEventStore(link, link, 1.0)
        with service(port, web_workers=1, redis_url=server.url):
            path = f"/v1/games/{write_long_game(store, EVENTS, over=True)}"
            asked = f"http://{HOST}:{port}{path}/events?limit=1000&after=3000"
            with urllib.request.urlopen(asked) as answer:
                events = json.load(answer)["events"]
            decisions = [event["version"] for event in events if event["type"] == AFTER_A_MOVE]
            return [(name, steadily(port, asks)) for name, asks in kinds(path, decisions).items()]


def steadily(port: int, asks: Asks) -> Stall:
    """Have the callers ask from another process, and look at `/healthz` from this one."""
    ours, theirs = get_context("fork").Pipe()
    asking = get_context("fork").Process(target=_ask_all, args=(port, asks, theirs))
    asking.start()
    waits = list[float]()
    assert ours.recv() == "ready"
    with socket.create_connection((HOST, port)) as connection:
        while not ours.poll():
            waits.append(look(connection))
            time.sleep(REST)
    statuses = ours.recv()
    asking.join()
    waits = sorted(wait * 1000 for wait in waits)
    return Stall(statuses, len(waits), waits[len(waits) // 2], waits[len(waits) * 99 // 100], waits[-1])


def _ask_all(port: int, asks: Asks, pipe: Connection) -> None:
    statuses, end = Counter[int](), time.monotonic() + SECONDS
    callers = [
        threading.Thread(target=_ask, args=(port, asks, number, end, statuses)) for number in range(CALLERS)
    ]
    for caller in callers:
        caller.start()
    pipe.send("ready")
    for caller in callers:
        caller.join()
    pipe.send(dict(statuses))


def _ask(port: int, asks: Asks, number: int, end: float, statuses: Counter[int]) -> None:
    while time.monotonic() < end:
        path, body = asks(number)
        headers = {} if body is None else {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"http://{HOST}:{port}{path}", body, headers)
        try:
            with urllib.request.urlopen(asked, timeout=SOON) as answer:
                while answer.read(65536):
                    pass
                statuses[answer.status] += 1
        except urllib.error.HTTPError as refusal:
            statuses[refusal.code] += 1
        number += CALLERS
