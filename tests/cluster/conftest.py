"""A cluster that a test may change, and links to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.cluster.servers import Cluster
from events.redis.connections.client import RedisClient

HERE = Path(__file__).parent
MASTERS = 3


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By one worker of pytest-xdist: they share clusters."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("cluster"))


@pytest.fixture(scope="package")
def _kept() -> Iterator[list[Cluster]]:
    """The cluster that the last test has left, if any."""
    kept: list[Cluster] = []
    yield kept
    for cluster in kept:
        cluster.end()


@pytest.fixture
def own_cluster(_kept: list[Cluster]) -> Cluster:
    """Three masters and a replica of each, empty, to be changed as the test likes: the next one gets another cluster if
    these are not what is left.
    """
    if _kept and not is_as_new(_kept[0]):
        _kept.pop().end()
    if not _kept:
        _kept.append(Cluster(MASTERS, 1))
    RedisClient.to(_kept[0].url, 5.0).call("FLUSHALL")
    return _kept[0]


@pytest.fixture
def fresh_cluster(_kept: list[Cluster], request: pytest.FixtureRequest) -> Cluster:
    """The same for a test that counts connections: nobody has ever been connected to it."""
    while _kept:
        _kept.pop().end()
    cluster: Cluster = request.getfixturevalue("own_cluster")
    return cluster


def is_as_new(cluster: Cluster) -> bool:
    """Whether all six servers are there, in their places."""
    return (
        len(cluster.up()) == 2 * MASTERS
        and cluster.owners() == cluster.nodes[:MASTERS]
        and all(len(cluster.replicas_of(node)) == 1 for node in cluster.owners())
        and cluster.is_whole()
    )


@pytest.fixture
def link(cluster_url: str) -> RedisClient:
    """A link to an empty cluster, which tests leave as it is."""
    return RedisClient.to(cluster_url, 5.0)
