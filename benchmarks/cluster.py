"""Cost of an append on one server, on a cluster, and where replicas must have it before it is answered; and how many
moves a second go through a service whose games are on one, two or three masters.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Final, NamedTuple

from benchmarks.moves import Round, round_of_moves, service
from domain.lifecycle import EventRecord
from drills.cluster.node import Node, OneServer
from drills.cluster.servers import Cluster
from events.engine.access import new_game_id
from events.log.envelope import EMPTY, seal
from events.log.game_secrets import Secrets
from events.ports import CommandId
from events.store.event_store import RedisEventStore
from events.store.link import link_to

APPENDS: Final = 200
ROUNDS: Final = 5
GAMES_PER_LANE: Final = 3
MASTERS: Final = (1, 2, 3)
SEED: Final = bytes(32)
AT: Final = "2026-11-21T12:00:00.123Z"


class Price(NamedTuple):
    """Microseconds of an append in each round: by the clock, and processor time of the client and of the servers."""

    name: str
    nodes: Sequence[Node]
    append: Callable[[], None]
    elapsed: list[float]
    client: list[float]
    servers: list[float]


def run() -> list[Price]:
    """Interleaved, so that what else the machine does hits all of them."""
    with OneServer() as one, Cluster(3) as alone, Cluster(3, 1) as followed:
        prices = [
            _price("one server", [one.node], one.url, 0),
            _price("cluster of three masters", alone.nodes, alone.url, 0),
            _price("the same, each with a replica", followed.nodes, followed.url, 0),
            _price("the same, and a replica must have it", followed.nodes, followed.url, 1),
        ]
        for _ in range(ROUNDS):
            for price in prices:
                _measure(price)
        return prices


def moves(port: int = 8981) -> dict[int, list[Round]]:
    """By the number of masters, without replicas: moves in each round, interleaved."""
    found: dict[int, list[Round]] = {masters: [] for masters in MASTERS}
    with ExitStack() as stack:
        urls = {}
        for masters in MASTERS:
            url = stack.enter_context(Cluster(masters, appendonly="yes", appendfsync="always")).url
            queue = stack.enter_context(OneServer()).url
            urls[masters] = stack.enter_context(
                service(port + masters, redis_url=url, MIGRATO_QUEUE_URL=queue)
            )
        for number in range(ROUNDS + 1):
            for masters, url in urls.items():
                one = round_of_moves(url, port + masters, GAMES_PER_LANE, seed=number)
                if number:  # the first round warms up
                    found[masters].append(one)
    return found


def _measure(price: Price) -> None:
    servers, own, began = _processor_time(price.nodes), time.process_time(), time.perf_counter()
    for _ in range(APPENDS):
        price.append()
    price.elapsed.append((time.perf_counter() - began) / APPENDS * 1e6)
    price.client.append((time.process_time() - own) / APPENDS * 1e6)
    price.servers.append((_processor_time(price.nodes) - servers) / APPENDS * 1e6)


def _processor_time(nodes: Sequence[Node]) -> float:
    lines = [line.partition(b":") for node in nodes for line in node.ask("INFO", "cpu").splitlines()]
    return sum(float(value) for name, _, value in lines if name in (b"used_cpu_sys", b"used_cpu_user"))


def _price(name: str, nodes: Sequence[Node], url: str, replicas: int) -> Price:
    return Price(name, nodes, _store(url, replicas), [], [], [])


def _store(url: str, replicas: int) -> Callable[[], None]:
    link = link_to(url, 2.0, replicas=replicas)
    store = RedisEventStore(link, link_to(url, 2.0), 1.0)

    def append() -> None:
        game_id = new_game_id()
        events = seal(game_id, SEED, EMPTY, AT, "create", [EventRecord("game_created", 1, None, {"n": 1})])
        store.create(game_id, Secrets(SEED, "app", "private", "x", AT, {}), CommandId("create"), events, "")

    append()
    return append


def rows(prices: list[Price]) -> list[str]:
    """A line for each."""
    return [
        f"| {price.name} | {median(price.elapsed):,.0f} | {median(price.client):,.0f} | {median(price.servers):,.0f} |"
        for price in prices
    ]
