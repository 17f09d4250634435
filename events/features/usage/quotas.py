"""Quotas: how many games an app may create, and how many questions it may put, in a day and in a month (UTC).

A quota refuses only new games and questions. Running games go on to their end: moves, turns of bots, streams and
webhooks have no quota.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from events.errors import QuotaSpent
from events.features.usage.port import QuotaStore

GAMES: Final = "games"
QUESTIONS: Final = "questions"  # and hints
KINDS: Final = (GAMES, QUESTIONS)
DAY: Final = "day"
MONTH: Final = "month"
PERIODS: Final = (DAY, MONTH)
MOST: Final = 10**9

Quotas = Mapping[str, Mapping[str, int]]  # by kind and period


class AppsQuotas(Protocol):
    """The present quotas of apps."""

    def quotas(self, app: str) -> tuple[Quotas, int]:
        """Quotas of the app, and the store's time in ms. Raises StoreUnavailable."""


class Admission:
    """Admits games and questions within quotas. Every method may raise StoreUnavailable."""

    def __init__(self, apps: AppsQuotas, store: QuotaStore | None) -> None:
        self._apps = apps
        self._store = store

    def limits(self, kind: str, app: str) -> bool:
        """True if the app has a quota of that kind."""
        return bool(app and self._store is not None and self._apps.quotas(app)[0].get(kind))

    def give_back(self, kind: str, app: str, *which: str) -> None:
        """Remove the reservations of these ids, which were admitted and will not be used."""
        if self._store is not None and self.limits(kind, app):
            self._store.release(app, kind, which)

    def take(self, kind: str, app: str, *which: str, seconds: float | None = None) -> None:
        """Admit these ids of that kind to the app: all or none; safe to repeat. Raises QuotaSpent.

        `seconds`: the life of the reservations, if it must be longer than usual for the kind.
        """
        if not app or self._store is None:
            return
        quotas, now = self._apps.quotas(app)
        if not quotas.get(kind):
            return
        spent = self._store.reserve(app, kind, which, quotas[kind], now, seconds)
        if spent is not None:
            until = begins_anew(spent, now)
            raise QuotaSpent(kind, spent, quotas[kind][spent], until.isoformat(), _seconds(now, until))

    def used(self, app: str) -> list[dict[str, object]]:
        """Each quota of the app: its name, its number, how much is used, and when it begins again."""
        if self._store is None:
            return []
        quotas, now = self._apps.quotas(app)
        return [
            {
                "name": f"{kind}-per-{period}",
                "quota": number,
                "used": self._store.used(app, kind, period, now),
                "begins_anew_at": begins_anew(period, now).isoformat(),
            }
            for kind in KINDS
            for period, number in sorted(quotas.get(kind, {}).items())
        ]


def begins_anew(period: str, now: int) -> datetime:
    """The end of the day or the month (UTC) that contains a time in ms."""
    today = datetime.fromtimestamp(now / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == DAY:
        return today + timedelta(days=1)
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


def _seconds(now: int, until: datetime) -> int:
    return max(1, -(-(int(until.timestamp() * 1000) - now) // 1000))
