"""Games cost each part of a cluster this: their load is spread, and no key gets a share that grows with all games."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from flask.testing import FlaskClient
from redis import Redis

from drills.cluster.node import Node
from drills.cluster.servers import Cluster
from drills.cluster.talk import Talk
from drills.ports import HOST
from events.engine.access import ANONYMOUS
from events.ports import Feed, FeedEntry
from events.runtime import adapters, bootstrap
from events.runtime.settings import Settings
from service.http.app import create_app
from tests.support.recording import AllThere
from workers.dispatcher import CONSUMER, Dispatcher
from workers.dispatcher import GROUP as DISPATCHERS
from workers.job_queue.queue import JobQueue
from workers.webhooks.relay import Relay

GAMES, MOVES = 60, 4
TAG = re.compile(r'"(\{[^}"]*\}|migrato:)')
WORKED = 6  # games that a worker of its own is counted for
LOOK_MS = 200
PLACE = "{app:anonymous}"
LOGGED = 6  # commands of a move in its app's log, as the page on clusters says
PARTITION = re.compile(r"\{p\d{3}\}")


@pytest.fixture
def on_cluster(cluster_url: str, redis_url: str) -> Settings:
    """Games in the cluster, jobs on a server of their own."""
    return Settings(redis_url=cluster_url, queue_url=redis_url, limits="off")


@pytest.fixture
def client(on_cluster: Settings) -> FlaskClient:
    """A caller of a service whose games are in the cluster."""
    return create_app(on_cluster, bootstrap.application(on_cluster), AllThere()).test_client()


def play(client: FlaskClient, moves: int, name: str = "migrato") -> tuple[str, int]:
    """A game of two people, so many moves of it; its id, and its version then."""
    seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
    game = client.post("/v1/games", json={"game": name, "seats": seats, "visibility": "public"}).get_json()
    tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in game["seats"]]
    to_act, path, version = 0, f"/v1/games/{game['id']}", game["version"]
    for _ in range(moves):
        to_act = client.get(path, headers=tokens[0]).get_json()["to_act"]
        legal = client.get(f"{path}/legal-moves", headers=tokens[to_act]).get_json()["moves"]
        played = client.post(f"{path}/moves", headers=tokens[to_act], json=legal[0])
        assert played.status_code == 201
        version = played.get_json()["version"]
    return game["id"], version


@contextmanager
def monitored(cluster: Cluster) -> Iterator[Counter[str]]:
    """Counts, by hash tag, the commands on keys that the servers carry out, those of scripts among them."""
    counted, watching = Counter[str](), list[tuple[Node, Talk]]()
    for node in cluster.owners():
        talk = Talk(HOST, node.port)
        talk.ask("MONITOR")
        watching.append((node, talk))
    yield counted
    for node, talk in watching:
        node.ask("ECHO", "the end")
        while "the end" not in (line := talk.hear().decode(errors="replace")):
            if '"evalsha"' not in line.lower() and '"eval"' not in line.lower():
                counted.update(TAG.findall(line)[:1])
        talk.close()


def test_games_are_spread(cluster: Cluster, client: FlaskClient) -> None:
    """Load and keys over partitions by chance alone; an app's place is touched per game and not per move, and its own
    keys do not become more.
    """
    with monitored(cluster) as commands:
        for _ in range(GAMES):
            play(client, MOVES)
    partitions = {tag: count for tag, count in commands.items() if PARTITION.fullmatch(tag)}
    total = sum(commands.values())
    assert len(partitions) > 40  # of 256, for 60 games
    assert max(partitions.values()) < 0.12 * total
    others = {tag: count / GAMES for tag, count in commands.items() if tag not in partitions}
    assert set(others) <= {"{app:anonymous}", "{apps}", "migrato:"}
    assert max(others.values()) < 17, others
    named = [key.decode() for node in cluster.owners() for key in node.ask("KEYS", "*")]
    tags = Counter(TAG.findall(f'"{key}')[0] for key in named)
    held = {tag: count for tag, count in tags.items() if PARTITION.fullmatch(tag)}
    assert sum(held.values()) < 6 * GAMES + 2 * 256
    assert max(held.values()) < 40
    assert sum(tags.values()) - sum(held.values()) < 30


def test_a_move_touches_its_partition_alone(cluster: Cluster, client: FlaskClient) -> None:
    """A move costs nothing on any key that all games share."""
    few, many = Counter[str](), Counter[str]()
    for moves, found in ((4, few), (14, many)):
        with monitored(cluster) as commands:
            for _ in range(10):
                play(client, moves)
        found.update(commands)
    by_time = "{apps}"  # each process looks at it now and then
    shared = [tag for tag in many if tag != by_time and not PARTITION.fullmatch(tag)]
    assert {tag: many[tag] - few[tag] for tag in shared if many[tag] > few[tag] + 2} == {}
    moved = sum(many.values()) - sum(few.values())
    assert moved / 100 < 11  # commands of a move, of its view and of the legal moves before it


Act = Callable[[dict[str, int]], None]  # on all that there is to read of games, up to these versions


def read_on(feed: Feed, games: dict[str, int], handle: Callable[[list[FeedEntry]], object]) -> None:
    """Handle what comes, until the last of each game has come: a busy server may have nothing new for a while."""
    left = dict(games)
    while left:
        entries = feed.read(LOOK_MS)
        handle(entries)
        for entry in entries:
            if left.get(entry.game_id) == entry.version:
                del left[entry.game_id]


@pytest.fixture
def dispatch(on_cluster: Settings) -> Act:
    """Has a dispatcher act on all that it has not seen yet."""
    redis = Redis.from_url(on_cluster.queue_url or "")
    feed = adapters.feed(on_cluster, DISPATCHERS, CONSUMER)
    dispatcher = Dispatcher(feed, bootstrap.application(on_cluster), JobQueue(redis), redis)
    dispatcher.start()
    return lambda games: read_on(feed, games, dispatcher.handle)


@pytest.fixture
def relay(on_cluster: Settings) -> Act:
    """Has all that was recorded logged in the log of the app, which begins now."""
    parts = bootstrap.webhook_parts(on_cluster, bootstrap.application(on_cluster))
    parts.application.app_logs.logs.keep(ANONYMOUS)
    relay = Relay(parts.feed, parts.application.app_logs)

    def each_alone(entries: list[FeedEntry]) -> None:
        """As where each comes alone, which costs most."""
        for entry in entries:
            relay.handle([entry])

    return lambda games: read_on(parts.feed, games, each_alone)


def counted(cluster: Cluster, client: FlaskClient, moves: int, act: Act) -> tuple[Counter[str], float]:
    """The worker's requests to each part of the cluster, and of the app's place by game, where each move is a turn."""
    games = dict(play(client, moves, "migo") for _ in range(WORKED))
    with monitored(cluster) as commands:
        act(games)
    return commands, sum(count for tag, count in commands.items() if tag == PLACE) / WORKED


def test_the_dispatcher_costs_an_apps_place_nothing_for_a_move(
    cluster: Cluster, client: FlaskClient, dispatch: Act
) -> None:
    """It writes there when a game begins, and looks at partitions for the rest."""
    _, few = counted(cluster, client, 4, dispatch)
    commands, many = counted(cluster, client, 14, dispatch)
    assert 0 < many <= few + 0.5
    others = {tag for tag in commands if not PARTITION.fullmatch(tag)}
    assert others <= {PLACE, "{apps}", "migrato:"}


def test_an_apps_log_costs_its_place_a_script_for_each_move(
    cluster: Cluster, client: FlaskClient, relay: Act
) -> None:
    """All its games meet there: so many commands each, however many games there are, and nothing else grows."""
    _, few = counted(cluster, client, 4, relay)
    commands, many = counted(cluster, client, 14, relay)
    of_a_move = (many - few) / 10
    assert of_a_move == pytest.approx(LOGGED, abs=0.5)
    others = {tag: count for tag, count in commands.items() if not PARTITION.fullmatch(tag) and tag != PLACE}
    assert set(others) <= {"{apps}", "migrato:"}
