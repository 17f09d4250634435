"""A cluster that a test may change, and links to it."""

from collections.abc import Iterator

import pytest

from drills.cluster.servers import Cluster
from events.store.connections.client import RedisClient
from events.store.link import link_to

MASTERS = 3


@pytest.fixture(scope="package")
def _kept() -> Iterator[list[Cluster]]:
    """The cluster that the last test has left, if any."""
    kept: list[Cluster] = []
    yield kept
    for cluster in kept:
        cluster.end()


@pytest.fixture
def own_cluster(_kept: list[Cluster]) -> Cluster:
    """Three masters and a replica of each, empty, to be changed as the test likes."""
    if not _kept:
        _kept.append(Cluster(MASTERS, 1))
    mend(_kept[0])
    link_to(_kept[0].url, 5.0).call("FLUSHALL")
    return _kept[0]


@pytest.fixture
def fresh_cluster(_kept: list[Cluster], request: pytest.FixtureRequest) -> Cluster:
    """The same for a test that counts connections: nobody has ever been connected to it."""
    while _kept:
        _kept.pop().end()
    cluster: Cluster = request.getfixturevalue("own_cluster")
    return cluster


def mend(cluster: Cluster) -> None:
    """Have all servers up again, three of them masters that have slots, with a replica of each."""
    for node in cluster.nodes:
        if not node.answers():
            node.start()
    cluster.until(
        "all are settled", lambda: all(node.answers() for node in cluster.nodes) and cluster.is_whole()
    )
    masters = [node for node in cluster.nodes if node.master_port() is None]
    for node in masters:
        if node not in cluster.owners():
            first, last = max(cluster.slots_of(cluster.owners()[0]), key=lambda span: span[1] - span[0])
            cluster.move(first, (first + last) // 2, node)
    cluster.until(
        "all masters have a replica",
        lambda: [len(cluster.replicas_of(node)) for node in cluster.owners()] == [1] * MASTERS,
    )


@pytest.fixture
def link(cluster_url: str) -> RedisClient:
    """A link to an empty cluster, which tests leave as it is."""
    return link_to(cluster_url, 5.0)
