"""Rates of costly requests by caller, counted by all web processes together.

The library `limits` counts, in fixed windows that each begin with their first request. The counts are on the queue's
server. While that does not answer, each process counts for itself, so a server that only counts never stops a request.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final
from wsgiref.types import WSGIEnvironment

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from events.engine.access import Caller
from events.errors import StoreUnavailable
from events.features.apps.records import Limits
from events.ports import RateCounts
from events.runtime.metrics import LIMITED
from events.runtime.rates import Rate
from events.store.queues.rate_counts import PREFIX
from events.warning_throttle import WarningThrottle
from service.http.admission.addresses import Addresses
from service.http.problems import Problem

BEHIND_AN_ADDRESS: Final = 5  # people
OF_AN_APP: Final = 200
A_MINUTE: Final = 60  # seconds of the window of an app's own limits
KEPT: Final = 10_000  # counts of a process's own; beyond this number, those of past windows are removed
ALONE: Final = "each process counts requests for itself: %s"  # a log line
AWAY: Final = 5.0  # seconds for which a server that did not answer is not asked again
WHAT: Final = {
    "requests": "requests",
    "guesses": "requests with a wrong token",
    "games": "new games",
    "forks": "forks",
    "bots": "questions to bots",
    "records": "exports and audits",
    "game-forks": "forks",
}


@dataclass(frozen=True, slots=True)
class Quota:
    """The rest of a caller's limit, in the form of the RateLimit header fields (IETF httpapi)."""

    name: str
    amount: int
    window: int
    remaining: int
    reset: float

    @property
    def headers(self) -> dict[str, str]:
        """The header fields: the limit, and what is left of it until it is whole again in `t` seconds."""
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.amount};w={self.window}',
            "RateLimit": f'"{self.name}";r={self.remaining};t={ceil(self.reset)}',
        }

    def refusal(self, what: str) -> Problem:
        """The refusal of a request beyond the limit; `what` names the requests that are counted."""
        LIMITED.labels(self.name).inc()
        whose = self.name.rpartition("-per-")[2]
        seconds = max(1, ceil(self.reset))
        detail = f"This {whose} has made {self.amount} {what} in {self.window} s, which is the limit."
        limit = {"name": self.name, "quota": self.amount, "window_seconds": self.window}
        headers = {"Retry-After": f"{seconds}"} | self.headers
        return Problem("rate-limited", f"{detail} Wait for {seconds} s.", headers=headers, limit=limit)


class Scale:
    """Allowances of an address and of an app, as multiples of one person's."""

    def __init__(
        self,
        addresses: Addresses,
        are_there_keys: Callable[[], bool],
        app_at_hand: Callable[[str], str | None] = lambda _: None,
        limits_at_hand: Callable[[str], Limits] = lambda _: {},
    ) -> None:
        """`are_there_keys`: while it is False, every caller is the app ANONYMOUS. It may raise StoreUnavailable."""
        self.addresses = addresses
        self.app_at_hand = app_at_hand
        self._limits_at_hand = limits_at_hand
        self._are_there_keys = are_there_keys

    def counted(
        self, caller: Caller, environ: WSGIEnvironment, backend: str | None = None
    ) -> list[tuple[str, str, int]]:
        """Counters of a caller: the kind of each, its name, and the number of people for whom it counts.

        A seat is counted by its address as well, because a caller that creates games has many seats; or by the app
        whose `backend` sends the request. An app is counted by itself alone, because it may serve many people from one
        address.
        """
        app = caller.app if caller.kind == "app" else backend
        if app is not None:
            found = [("app", app, OF_AN_APP)]
        else:
            found = [("address", self.addresses.of(environ), self._behind_an_address())]
        if caller.kind == "seat":
            found.insert(0, ("seat", f"{caller.game_id}/{caller.seat}", 1))
        return found

    def rate_of(self, name: str, rate: Rate, kind: str, which: str, people: int) -> Rate:
        """Rate of a counter: the app's own one, otherwise that of so many people."""
        own = self._limits_at_hand(which).get(name) if kind == "app" else None
        return Rate(rate.amount * people, rate.seconds) if own is None else Rate(own, A_MINUTE)

    def of_an_address(self, rate: Rate) -> int:
        """Number of times that an address may do this in a window."""
        return rate.amount * self._behind_an_address()

    def _behind_an_address(self) -> int:
        try:
            return BEHIND_AN_ADDRESS if self._are_there_keys() else OF_AN_APP
        except StoreUnavailable:  # the caller gets this error if it matters
            return OF_AN_APP


class RateLimits:
    """The limits of costly requests. Safe among threads and greenlets."""

    def __init__(
        self, rates: Mapping[str, Rate], counts: RateCounts, scale: Scale, warnings: WarningThrottle
    ) -> None:
        """`rates`: the enforced rates, by name, for one person."""
        self._rates = rates
        self._counts = counts
        self._scale = scale
        self._warnings = warnings
        self._own = OwnCounts()
        self._away_until = 0.0

    def admit(
        self,
        name: str,
        caller: Caller,
        environ: WSGIEnvironment,
        backend: str | None = None,
        number: int = 1,
    ) -> Quota | None:
        """Count the caller's request, or a `number` of them. Returns the limit of which the least is left, None if
        there is no limit. Raises Problem "rate-limited".
        """
        rate = self._rates.get(name)
        if rate is None:
            return None
        quotas = []
        for kind, which, people in self._scale.counted(caller, environ, backend):
            try:
                its = self._scale.rate_of(name, rate, kind, which, people)
                quotas.append(self._hit(name, kind, which, its, number))
            except Problem:
                if kind == "address":
                    self._scale.addresses.note_refused(environ)
                raise
        return min(quotas, key=lambda quota: (quota.remaining, -quota.reset))

    def admit_fork(self, game_id: str) -> Quota | None:
        """Count a fork that goes back to a game, for all callers together. Otherwise as `admit`."""
        rate = self._rates.get("game-forks")
        return None if rate is None else self._hit("game-forks", "game", game_id, rate)

    def _hit(self, name: str, kind: str, which: str, rate: Rate, number: int = 1) -> Quota:
        item = RateLimitItemPerSecond(rate.amount, rate.seconds, PREFIX)
        shown = "forks-per-game" if name == "game-forks" else f"{name}-per-{kind}"
        fits, quota = self._looked(item, shown, (name, kind, which), number)
        if not fits:
            raise quota.refusal(WHAT[name])
        return quota

    def _looked(
        self, item: RateLimitItem, shown: str, which: tuple[str, ...], number: int
    ) -> tuple[bool, Quota]:
        """True if the request fits in the window; and what is left of the window."""
        now = time.monotonic()
        if now >= self._away_until:
            try:
                found = _hit(self._counts, item, shown, which, number)
            except StoreUnavailable as error:
                self._away_until = now + AWAY
                self._warnings.warning(ALONE, error.reason)
            else:
                self._warnings.over(ALONE, "all processes count requests together again")
                return found
        return _hit(self._own, item, shown, which, number)


def _hit(
    counts: RateCounts, item: RateLimitItem, shown: str, which: tuple[str, ...], number: int
) -> tuple[bool, Quota]:
    limiter = FixedWindowRateLimiter(Window(counts))
    fits = limiter.hit(item, *which, cost=number)
    until, remaining = limiter.get_window_stats(item, *which)
    left = max(0.0, until - time.time())
    return fits, Quota(shown, item.amount, item.get_expiry(), remaining, left)


class OwnCounts:
    """This process's own counts. Their windows end by a monotonic clock; the library's would by one that may be set
    back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._windows = dict[str, tuple[int, float]]()  # how many, and until when
        self._room = KEPT

    def count(self, key: str, seconds: int, number: int = 1) -> tuple[int, float]:
        """Count so many more under the key. Returns the number in this window, and the seconds left of it."""
        now = self._clock()
        with self._lock:
            count, until = self._windows.get(key, (0, now))
            if until <= now:
                if len(self._windows) >= self._room:
                    self._windows = {one: window for one, window in self._windows.items() if window[1] > now}
                    self._room = max(KEPT, 2 * len(self._windows))
                count, until = 0, now + seconds
            self._windows[key] = count + number, until
        return count + number, until - now


class Window(Storage):
    """A look at one count, for the library: what is said to a hit is all that is known afterwards.

    The library asks for the count and for its end again, to tell what is left; that would be two more round trips.
    """

    STORAGE_SCHEME = None

    def __init__(self, counts: RateCounts) -> None:
        super().__init__()
        self._counts = counts
        self._count = 0
        self._until = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        """Errors of the storage."""
        return StoreUnavailable

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count so many more."""
        self._count, left = self._counts.count(key, expiry, amount)
        self._until = time.time() + left
        return self._count

    def get(self, key: str) -> int:
        """Number of requests."""
        return self._count

    def get_expiry(self, key: str) -> float:
        """Time at which they count no more: seconds since 1970."""
        return self._until

    def check(self) -> bool:
        """True if the server answers is seen by counting."""
        return True

    def reset(self) -> int | None:
        """Nothing is taken back."""
        raise NotImplementedError

    def clear(self, key: str) -> None:
        """Nothing is taken back."""
        raise NotImplementedError
