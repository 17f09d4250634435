"""News come from the server that has the key, wherever that goes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from drills.cluster.node import Node
from drills.cluster.servers import Cluster
from drills.ports import HOST
from events.engine.access import new_game_id
from events.store import keys, news
from events.store.cluster import news as cluster_news
from events.store.cluster.client import RedisCluster
from events.store.cluster.slots import slot_of
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.stream_entries import last_entry, version_of
from tests.support.waiting import LIMIT, until

SECONDS = LIMIT
NEVER = 3600.0
SOON = 0.2  # seconds between two looks, where these are what is tested
PUBLISH = "redis.call('XADD', KEYS[1], '1-1', 'x', 'y') redis.pcall('PUBLISH', KEYS[1], 1)"


def news_on(cluster: Cluster, silence: float = 2.0) -> tuple[RedisClient, cluster_news.Notices]:
    """A link, and what waits over it; a listener bears so many seconds of silence."""
    link, listening = link_to(cluster.url, 5.0), link_to(cluster.url, silence)
    return link, cluster_news.news_of(link, listening, last_entry, version_of)


@pytest.fixture
def _looks_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let those who wait look again soon."""
    monkeypatch.setattr(news, "TICK", SOON)
    monkeypatch.setattr(cluster_news, "TICK", SOON)


def is_heard(cluster: Cluster, *named: str) -> bool:
    """True if somebody listens for each of the keys at its server."""
    return all(cluster.owner(slot_of(key)).ask("PUBSUB", "SHARDNUMSUB", key)[1] for key in named)


def game_of(cluster: Cluster, node: Node) -> str:
    """The key of a game that the server has."""
    named = (keys.stream(new_game_id()) for _ in range(10_000))
    return next(key for key in named if cluster.owner(slot_of(key)) is node)


def other_than(source: Node, cluster: Cluster) -> Node:
    """Another master."""
    return next(node for node in cluster.owners() if node is not source)


def test_many_wait_for_games_of_all_servers(
    cluster: Cluster, cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told at once: nobody looks again in this test."""
    monkeypatch.setattr(news, "TICK", NEVER)
    monkeypatch.setattr(cluster_news, "TICK", NEVER)
    link, waiting_for = news_on(cluster)
    named = [keys.stream(new_game_id()) for _ in range(30)]
    with ThreadPoolExecutor(30) as pool:
        waiting = [pool.submit(waiting_for.wait, key, 0, SECONDS) for key in named]
        until(lambda: is_heard(cluster, *named))
        for key in named:
            link.script(PUBLISH, [key], [])
        assert [one.result() for one in waiting] == [1] * 30


def listeners(node: Node) -> int:
    """Connections to the server on which somebody listens."""
    return len(node.ask("CLIENT", "LIST", "TYPE", "pubsub").splitlines())


def test_a_process_listens_to_each_server_on_one_connection(fresh_cluster: Cluster) -> None:
    """Even if many wait for many games, and all of them come at the same moment."""
    _, waiting_for = news_on(fresh_cluster)
    named = [game_of(fresh_cluster, node) for node in fresh_cluster.owners() for _ in range(20)]
    barrier = Barrier(len(named), timeout=SECONDS)

    def wait(key: str) -> int:
        barrier.wait()
        return waiting_for.wait(key, 0, SECONDS)

    with ThreadPoolExecutor(len(named)) as pool:
        waiting = [pool.submit(wait, key) for key in named]
        until(lambda: is_heard(fresh_cluster, *named))
        found = [listeners(node) for node in fresh_cluster.owners()]
        link = link_to(fresh_cluster.url, 5.0)
        for key in named:
            link.script(PUBLISH, [key], [])
        assert [one.result() for one in waiting] == [1] * len(named)
    assert found == [1, 1, 1]


def test_those_who_come_at_once_share_what_listens(
    cluster: Cluster, cluster_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All have seen that nobody listens yet before the first of them is done."""
    barrier, made = Barrier(8, timeout=SECONDS), list[news.News]()

    class Slow(news.News):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            barrier.wait()

        def wait(self, key: str, after: int, seconds: float) -> int:
            made.append(self)
            return 0

    monkeypatch.setattr(cluster_news, "News", Slow)
    _, waiting_for = news_on(cluster)
    key = keys.stream(new_game_id())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: waiting_for.wait(key, 0, 0.0), range(8)))
    assert len(set(map(id, made))) == 1


def test_a_server_that_has_gone_is_forgotten(own_cluster: Cluster) -> None:
    """By who listens, and by the link, which both served many servers in the life of a process."""
    source, target, third = own_cluster.owners()
    gone = (HOST, source.port)
    link = link_to(f"redis+cluster://{HOST}:{target.port}", 5.0)
    waiting_for = cluster_news.news_of(link, link, last_entry, version_of)
    assert isinstance(link, RedisCluster)
    assert isinstance(waiting_for, cluster_news.ClusterNews)

    def knows_of_it() -> bool:
        """By any server that the link asks, and servers tell each other a little later."""
        link.refresh(0.0)
        return gone not in link.places()

    for node in (source, target):
        waiting_for.wait(game_of(own_cluster, node), 0, 0.0)
    for first, last in own_cluster.slots_of(source):
        own_cluster.move(first, last, target)
    until(knows_of_it)
    waiting_for.wait(game_of(own_cluster, third), 0, 0.0)
    assert gone not in waiting_for._news
    assert gone not in link._links


@pytest.mark.usefixtures("_looks_soon")
@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_key_that_moves(own_cluster: Cluster, is_waited_for: bool) -> None:
    """Nothing is asked of the servers meanwhile but by those who wait, or come later."""
    link, waiting_for = news_on(own_cluster)
    key = keys.stream(new_game_id())
    source = own_cluster.owner(slot_of(key))
    with ThreadPoolExecutor(1) as pool:
        if is_waited_for:
            waiting = pool.submit(waiting_for.wait, key, 0, SECONDS)
            until(lambda: is_heard(own_cluster, key))
        else:
            assert waiting_for.wait(key, 0, 0.1) == 0
        own_cluster.move(slot_of(key), slot_of(key), other_than(source, own_cluster))
        if not is_waited_for:
            waiting = pool.submit(waiting_for.wait, key, 0, SECONDS)
            until(lambda: is_heard(own_cluster, key))
        link.script(PUBLISH, [key], [])
        assert waiting.result() == 1


def test_leaving_a_key_that_moved_disturbs_nobody(
    own_cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its former server tells of the end of listening before it is asked for, and refuses what is asked for then."""
    monkeypatch.setattr(news, "LINGER", 0.0)
    monkeypatch.setattr(news, "TICK", 0.1)
    monkeypatch.setattr(cluster_news, "TICK", 0.1)
    link, waiting_for = news_on(own_cluster)
    moved = keys.stream(new_game_id())
    source = own_cluster.owner(slot_of(moved))
    source.ask("CONFIG", "RESETSTAT")
    stays = game_of(own_cluster, source)
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(waiting_for.wait, stays, 0, SECONDS)
        until(lambda: is_heard(own_cluster, stays))
        short = pool.submit(waiting_for.wait, moved, 0, SECONDS)
        until(lambda: is_heard(own_cluster, moved))
        own_cluster.move(slot_of(moved), slot_of(moved), other_than(source, own_cluster))
        link.script(PUBLISH, [moved], [])
        assert short.result() == 1
        until(lambda: b"cmdstat_sunsubscribe" in source.ask("INFO", "commandstats"))
        link.script(PUBLISH, [stays], [])
        assert long.result() == 1
    assert [record.message for record in caplog.records if record.name == "migrato.news"] == []


def test_a_late_comer_is_heard_at_once_after_a_move(
    own_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The channel that wakes a listener is of a slot, too; here nothing else wakes it."""
    monkeypatch.setattr(news, "TICK", NEVER)
    monkeypatch.setattr(cluster_news, "TICK", SOON)
    link, waiting_for = news_on(own_cluster, NEVER)
    source = own_cluster.owners()[0]
    moved, stays = game_of(own_cluster, source), game_of(own_cluster, source)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(waiting_for.wait, moved, 0, SECONDS)
        until(lambda: is_heard(own_cluster, moved))
        own_cluster.move(slot_of(moved), slot_of(moved), other_than(source, own_cluster))
        link.script(PUBLISH, [moved], [])
        assert first.result() == 1
        later = pool.submit(waiting_for.wait, stays, 0, SECONDS)
        until(lambda: is_heard(own_cluster, stays))
        link.script(PUBLISH, [stays], [])
        assert later.result() == 1
