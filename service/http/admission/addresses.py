"""Addresses of callers, also of those behind proxies: requests are counted by them."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple
from wsgiref.types import WSGIEnvironment

from events.warning_throttle import WarningThrottle

USUAL_WAY: Final = 256  # characters of X-Forwarded-For; the result for a longer one is not cached
V6_NETWORK: Final = 64  # bits: the network that a provider gives to one customer
SHOWN: Final = 100  # characters of an entry in the log
OF_PROXIES: Final = (
    "HTTP_X_FORWARDED_FOR",
    "HTTP_FORWARDED",
    "HTTP_X_REAL_IP",
)  # headers that show that a proxy sent the request

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Origin(NamedTuple):
    """The origin of a request. `is_proxy`: only the trusted proxy is known, because X-Forwarded-For has an `unreadable`
    entry, or does not say whose request it is.
    """

    address: str
    is_proxy: bool
    unreadable: str


class Addresses:
    """Finds callers' addresses. Safe among threads and greenlets."""

    def __init__(self, proxies: Iterable[Network] = (), warnings: WarningThrottle | None = None) -> None:
        """`proxies`: trusted to name the callers behind them; `warnings`: get a warning if they do not."""
        self._proxies = tuple(map(_unmapped, proxies))
        self._warnings = warnings

    def of(self, environ: WSGIEnvironment) -> str:
        """The last address on the request's way that is not a trusted proxy's; for IPv6 its network."""
        origin = self._origin(environ)
        if origin.unreadable and self._warnings is not None:
            self._warnings.warning(
                "the trusted proxy %s names in X-Forwarded-For what is no address, %r: who is behind it counts as "
                "the proxy",
                origin.address,
                origin.unreadable[:SHOWN],
            )
        return origin.address

    def note_refused(self, environ: WSGIEnvironment) -> None:
        """An address has reached a limit: warn the operator if it may be a proxy's, with many callers behind it."""
        if self._warnings is None:
            return
        origin = self._origin(environ)
        if origin.is_proxy:
            self._warnings.warning(
                "%s has reached a limit; it is a trusted proxy, and all whom it does not name in X-Forwarded-For "
                "count as one",
                origin.address,
            )
        elif not self._proxies and any(header in environ for header in OF_PROXIES):
            self._warnings.warning(
                "%s has reached a limit; if it is a proxy, name it in MIGRATO_TRUSTED_PROXIES, or all who are "
                "behind it count as one",
                origin.address,
            )

    def _origin(self, environ: WSGIEnvironment) -> Origin:
        remote: str = environ.get("REMOTE_ADDR", "")
        way: str = environ.get("HTTP_X_FORWARDED_FOR", "") if self._proxies else ""
        look = _origin if len(way) <= USUAL_WAY else _origin.__wrapped__
        return look(way, remote, self._proxies)


@lru_cache(maxsize=1024)
def _origin(forwarded_for: str, remote: str, proxies: tuple[Network, ...]) -> Origin:
    way = [remote, *(entry for entry in reversed(forwarded_for.split(",")) if entry.strip())]
    found, is_proxy = "", False
    for entry in way:
        address = _read(entry)
        if address is None:
            return Origin(found or entry.strip(), is_proxy, entry.strip() if found else "")
        found, is_proxy = _written(address), any(address in network for network in proxies)
        if not is_proxy:
            break
    return Origin(found, is_proxy, "")


def _written(address: Address) -> str:
    if address.version == 6:
        return str(ipaddress.ip_network((address, V6_NETWORK), strict=False))
    return str(address)


def _read(entry: str) -> Address | None:
    """The address in an entry, which may have brackets, quotes, a port and a zone; None if there is none."""
    text = entry.strip(' \t"')
    if text[:1] == "[":
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped if found.version == 6 else None) or found


def _unmapped(network: Network) -> Network:
    """The IPv4 network that an IPv6 network stands for; any other network as it is."""
    mapped = network.network_address.ipv4_mapped if network.version == 6 else None
    return network if mapped is None else ipaddress.ip_network((mapped, max(0, network.prefixlen - 96)))
