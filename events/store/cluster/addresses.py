"""Address of a cluster: redis+cluster://[user:password@]host:port[,host:port...]; TLS with rediss+cluster://."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

SCHEMES: Final = {"redis+cluster": "redis", "rediss+cluster": "rediss"}
PORT: Final = 6379


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """Some servers of a cluster, by which the others are found, and how each of them is reached."""

    scheme: str
    credentials: str  # as they stand in the URL; "" for none
    query: str
    seeds: tuple[tuple[str, int], ...]

    def server(self, host: str, port: int) -> str:
        """The URL of one server of the cluster."""
        name = f"[{host}]" if ":" in host else host
        credentials = f"{self.credentials}@" if self.credentials else ""
        return f"{self.scheme}://{credentials}{name}:{port}" + (f"?{self.query}" if self.query else "")


def is_cluster(url: str) -> bool:
    """True if the URL names a cluster."""
    return url.partition("://")[0] in SCHEMES


def cluster_url(url: str) -> ClusterUrl:
    """Parts of the URL of a cluster. Raises ValueError."""
    parts = urlsplit(url)
    credentials, _, hosts = parts.netloc.rpartition("@")
    if parts.scheme not in SCHEMES or parts.path not in ("", "/") or parts.fragment:
        raise ValueError("not the address of a cluster")
    seeds = tuple(_seed(place) for place in hosts.split(","))
    return ClusterUrl(SCHEMES[parts.scheme], credentials, parts.query, seeds)


def _seed(place: str) -> tuple[str, int]:
    one = urlsplit(f"//{place}")
    if not one.hostname:
        raise ValueError("a server without a name")
    return one.hostname, one.port or PORT
