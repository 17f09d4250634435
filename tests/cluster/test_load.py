"""What games cost each part of a cluster: their load is spread, and no key gets a share that grows with all games."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask.testing import FlaskClient

from drills.cluster.node import HOST, Node
from drills.cluster.servers import Cluster
from drills.cluster.talk import Talk
from events.runtime import bootstrap
from events.runtime.settings import Settings
from service.http.app import create_app
from tests.service.recording import AllThere

GAMES, MOVES = 60, 8
TAG = re.compile(r'"(\{[^}"]*\}|migrato:)')
PARTITION = re.compile(r"\{p\d{3}\}")


@pytest.fixture
def client(cluster_url: str, redis_url: str) -> FlaskClient:
    """A caller of a service whose games are in the cluster."""
    settings = Settings(redis_url=cluster_url, queue_url=redis_url, limits="off")
    return create_app(settings, bootstrap.application(settings), AllThere()).test_client()


def play(client: FlaskClient, moves: int) -> None:
    """A game of two people, so many moves of it."""
    seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
    game = client.post("/v1/games", json={"seats": seats}).get_json()
    tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in game["seats"]]
    to_act, path = 0, f"/v1/games/{game['id']}"
    for _ in range(moves):
        to_act = client.get(path, headers=tokens[0]).get_json()["to_act"]
        legal = client.get(f"{path}/legal-moves", headers=tokens[to_act]).get_json()["moves"]
        assert client.post(f"{path}/moves", headers=tokens[to_act], json=legal[0]).status_code == 201


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


def test_the_load_of_games_is_spread(cluster: Cluster, client: FlaskClient) -> None:
    """Over partitions by chance alone; what one app has in one place is touched per game, and not per move."""
    with monitored(cluster) as commands:
        for _ in range(GAMES):
            play(client, MOVES)
    partitions = {tag: count for tag, count in commands.items() if PARTITION.fullmatch(tag)}
    total = sum(commands.values())
    assert len(partitions) > 40  # of 256, for 60 games
    assert max(partitions.values()) < 0.12 * total
    others = {tag: count / GAMES for tag, count in commands.items() if tag not in partitions}
    assert set(others) <= {"{app:anonymous}", "{apps}", "migrato:"}
    assert max(others.values()) < 12, others


def test_a_move_touches_its_partition_alone(cluster: Cluster, client: FlaskClient) -> None:
    """Whatever it costs, it costs nothing that all games share."""
    few, many = Counter[str](), Counter[str]()
    for moves, found in ((4, few), (24, many)):
        with monitored(cluster) as commands:
            for _ in range(10):
                play(client, moves)
        found.update(commands)
    by_time = "{apps}"  # each process looks at it now and then
    shared = [tag for tag in many if tag != by_time and not PARTITION.fullmatch(tag)]
    assert {tag: many[tag] - few[tag] for tag in shared if many[tag] > few[tag] + 2} == {}
    moved = sum(many.values()) - sum(few.values())
    assert moved / 200 < 9  # commands of a move, of its view and of the legal moves before it


def test_keys_are_spread(cluster: Cluster, client: FlaskClient) -> None:
    """By the games that there are, not by their moves; an app's own keys do not become more."""
    for _ in range(GAMES):
        play(client, 1)
    named = [key.decode() for node in cluster.owners() for key in node.ask("KEYS", "*")]
    tags = Counter(TAG.findall(f'"{key}')[0] for key in named)
    partitions = {tag: count for tag, count in tags.items() if PARTITION.fullmatch(tag)}
    assert sum(partitions.values()) < 6 * GAMES + 2 * 256
    assert max(partitions.values()) < 40
    assert sum(tags.values()) - sum(partitions.values()) < 30
