"""How many streams and long polls each caller has open, how many exports it takes away, and the limits to that."""

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from threading import Lock
from typing import Final
from wsgiref.types import WSGIEnvironment

from events.games.access import Caller
from events.runtime.metrics import LIMITED
from events.use_cases.records.exports import SENDING
from service.http.problems import Problem

RETRY_AFTER: Final = "5"  # seconds
EXPORTS: Final = SENDING // 4  # that one caller may have under way, so that places are left for others
USUAL_WAY: Final = 256  # characters of X-Forwarded-For; what it makes of a longer one is not kept
V6_NETWORK: Final = 64  # bits: what one customer of a provider has to himself

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class ConcurrencyLimits:
    """All who wait in this process, or all who take exports away; safe among threads and greenlets.

    A caller is counted by address, and by token as well if there is one: whoever has many of one does not have many of
    the other. An app is counted by its key alone, for it may serve many people from one address.
    """

    def __init__(
        self,
        most: int,
        proxies: Iterable[Network] = (),
        *,
        name: str = "streams",
        what: str = "streams and long polls open",
    ) -> None:
        """`most` for each address and for each token; `proxies` are believed about who is behind them.

        `name` and `what` tell a caller what there are too many of.
        """
        self._most = most
        self._name = name
        self._what = what
        self._proxies = tuple(proxies)
        self._lock = Lock()
        self._open = Counter[tuple[object, ...]]()

    def enter(self, caller: Caller, environ: WSGIEnvironment) -> Callable[[], None]:
        """One more for this caller; to be called when it is over, once or more often. Raises Problem "rate-limited"."""
        counted = self._counted(caller, environ)
        with self._lock:
            for key in counted:
                if self._open[key] >= self._most:
                    raise self._too_many("token" if key[0] != "address" else "address")
            self._open.update(counted)
        return Leave(self, counted).leave

    def gone(self, counted: Sequence[tuple[object, ...]]) -> None:
        """Count one less for each of these keys."""
        with self._lock:
            for key in counted:
                self._open[key] -= 1
                if self._open[key] <= 0:
                    del self._open[key]

    def __len__(self) -> int:
        """How many callers have something open, each address and token for itself."""
        return len(self._open)

    def _counted(self, caller: Caller, environ: WSGIEnvironment) -> list[tuple[object, ...]]:
        if caller.kind == "app":
            return [("app", caller.app)]
        found: list[tuple[object, ...]] = [("address", address(environ, self._proxies))]
        if caller.kind == "seat":
            found.append(("seat", caller.game_id, caller.seat))
        return found

    def _too_many(self, what: str) -> Problem:
        detail = f"This {what} has {self._most} {self._what} already; close one, or wait."
        LIMITED.labels(f"{self._name}-per-{what}").inc()
        limit = {"name": f"{self._name}-per-{what}", "quota": self._most}
        return Problem("rate-limited", detail, headers={"Retry-After": RETRY_AFTER}, limit=limit)


class Leave:
    """A caller that is counted until it leaves, once."""

    def __init__(self, limits: ConcurrencyLimits, counted: Sequence[tuple[object, ...]]) -> None:
        self._limits = limits
        self._counted = counted

    def leave(self) -> None:
        """Count the caller no longer; further calls do nothing."""
        counted, self._counted = self._counted, ()
        self._limits.gone(counted)


def address(environ: WSGIEnvironment, proxies: Sequence[Network]) -> str:
    """Where a request comes from: the last address on its way that is no trusted proxy's; of IPv6 the network."""
    remote = environ.get("REMOTE_ADDR", "")
    if not proxies:
        return _address("", remote, ())
    way: str = environ.get("HTTP_X_FORWARDED_FOR", "")
    look = _address if len(way) <= USUAL_WAY else _address.__wrapped__
    return look(way, remote, tuple(proxies))


@lru_cache(maxsize=1024)
def _address(forwarded_for: str, remote: str, proxies: tuple[Network, ...]) -> str:
    way = [*forwarded_for.split(","), remote]
    found = way.pop().strip()
    while way and (hop := _parsed(found)) is not None and any(hop in network for network in proxies):
        before = way.pop().strip()
        if _parsed(before) is None:
            break
        found = before
    parsed = _parsed(found)
    if parsed is not None and parsed.version == 6:
        return str(ipaddress.ip_network((parsed, V6_NETWORK), strict=False))
    return str(parsed or found)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if found.version == 6 else None
    return mapped or found
