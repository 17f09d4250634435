"""A cluster that a test may change, and links to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.cluster.servers import Cluster
from events.redis.connections.client import RedisClient

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """By the same worker of pytest-xdist as all other tests that start many processes."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """Three masters and a replica of each, for this test alone."""
    with Cluster(3, 1) as cluster:
        yield cluster


@pytest.fixture
def link(cluster_url: str) -> RedisClient:
    """A link to an empty cluster, which tests leave as it is."""
    return RedisClient.to(cluster_url, 5.0)
