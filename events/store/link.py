"""The one factory of links to what keeps the data, whether that is one server or a cluster of them."""

from events.store.cluster.addresses import is_cluster
from events.store.cluster.client import RedisCluster
from events.store.connections.client import CarrierOver, RedisClient, ServerClient


def link_to(url: str, timeout: float, carrier: CarrierOver | None = None, replicas: int = 0) -> RedisClient:
    """A link to the server or the cluster at `url`; no answer within `timeout` seconds counts as none.

    A script's writes count as done once so many `replicas` have them, too.
    """
    link = RedisCluster(url, timeout, carrier) if is_cluster(url) else ServerClient.of(url, timeout, carrier)
    if replicas:
        link.replicas = replicas
        link.guard = [("WAIT", replicas, round(500 * timeout))]
    return link
