"""Limits of each caller's open streams, long polls and downloads of exports."""

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final
from wsgiref.types import WSGIEnvironment

from events.engine.access import Caller
from events.features.records.exports import SENDING
from events.runtime.metrics import LIMITED
from service.http.admission.addresses import Addresses
from service.http.problems import Problem

RETRY_AFTER: Final = "5"  # seconds
EXPORTS: Final = SENDING // 4  # downloads of one caller at the same time, so that places are left for others


class ConcurrencyLimits:
    """Counts all callers that wait in this process, or all that download exports; safe among threads and greenlets.

    A caller is counted by address, and also by token if it has one, so many addresses alone or many tokens alone do not
    help. An app is counted by its key alone, because it may serve many people from one address. If an app's backend
    sends a seat's request, the app is counted in place of the address.
    """

    def __init__(
        self,
        most: int,
        addresses: Addresses | None = None,
        *,
        name: str = "streams",
        what: str = "streams and long polls open",
    ) -> None:
        """`most` for each address and for each token; `name` and `what` describe to a refused caller what
        is limited.
        """
        self._most = most
        self._name = name
        self._what = what
        self._addresses = addresses or Addresses()
        self._lock = Lock()
        self._open = Counter[tuple[object, ...]]()

    def enter(
        self, caller: Caller, environ: WSGIEnvironment, backend: str | None = None
    ) -> Callable[[], None]:
        """Count one more of this caller. Call the returned function at its end, once or several times. Raises Problem
        "rate-limited".
        """
        counted = self._counted(caller, environ, backend)
        with self._lock:
            full = next((key[0] for key in counted if self._open[key] >= self._most), None)
            if full is None:
                self._open.update(counted)
        if full == "address":
            self._addresses.note_refused(environ)
        if full is not None:
            raise self._too_many(full if full in ("address", "backend") else "token")
        return Leave(self, counted).leave

    def gone(self, counted: Sequence[tuple[object, ...]]) -> None:
        """Subtract one for each of these keys."""
        with self._lock:
            for key in counted:
                self._open[key] -= 1
                if self._open[key] <= 0:
                    del self._open[key]

    def __len__(self) -> int:
        """Number of keys that are counted now: each address and each token is one."""
        return len(self._open)

    def _counted(
        self, caller: Caller, environ: WSGIEnvironment, backend: str | None
    ) -> list[tuple[object, ...]]:
        if caller.kind == "app":
            return [("app", caller.app)]
        found: list[tuple[object, ...]] = [
            ("address", self._addresses.of(environ)) if backend is None else ("backend", backend)
        ]
        if caller.kind == "seat":
            found.append(("seat", caller.game_id, caller.seat))
        return found

    def _too_many(self, what: str) -> Problem:
        detail = f"This {what} has {self._most} {self._what} already; close one, or wait."
        LIMITED.labels(f"{self._name}-per-{what}").inc()
        limit = {"name": f"{self._name}-per-{what}", "quota": self._most}
        return Problem("rate-limited", detail, headers={"Retry-After": RETRY_AFTER}, limit=limit)


class Leave:
    """The end of one count, which takes effect once."""

    def __init__(self, limits: ConcurrencyLimits, counted: Sequence[tuple[object, ...]]) -> None:
        self._limits = limits
        self._counted = counted

    def leave(self) -> None:
        """Stop counting the caller; further calls do nothing."""
        counted, self._counted = self._counted, ()
        self._limits.gone(counted)
