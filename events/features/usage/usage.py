"""Usage reports for apps and administrators."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from domain.errors import invalid
from domain.lifecycle import Json
from events.errors import StoreUnavailable
from events.features.usage.port import UsageStore
from events.features.usage.quotas import Admission

LONGEST: Final = 400  # days of a report
USUAL: Final = 30
SHOWN: Final = {
    "games_created": "created",
    "games_finished": "finished",
    "games_aborted": "aborted",
    "moves_by_people": "people",
    "streams": "streams",
    "stream_seconds": "stream-seconds",
    "deliveries": "deliveries",
    "delivery_attempts": "attempts",
}
OF_A_BOT: Final = {
    "moves": "moves",
    "fallbacks": "fallbacks",
    "hints": "hints",
    "questions": "questions",
    "thinking_ms": "ms",
}


class Usage:
    """The use cases of usage reports. Every method may raise StoreUnavailable."""

    def __init__(
        self, store: UsageStore | None, now: Callable[[], datetime], admission: Admission | None = None
    ) -> None:
        self._admission = admission
        self._kept = store
        self._now = now

    def report(self, app: str, first: date | None = None, last: date | None = None) -> Json:
        """Usage of the app on each day from the first to the last (UTC), without days that had none.

        `last` is today by default, and `first` makes a report of 30 days by default. Raises DomainError
        "validation-error" if the first day comes after the last, or for more than 400 days.
        """
        last = self._now().date() if last is None else last
        if first is None:
            first = date.fromordinal(max(1, last.toordinal() - USUAL + 1))
        length = (last - first).days + 1
        if length < 1:
            raise invalid("from", "Must not be later than `to`.")
        if length > LONGEST:
            raise invalid("from", f"Must be at most {LONGEST} days before the day after `to`.")
        days = [(first + timedelta(days=number)).isoformat() for number in range(length)]
        counts = self._store.days(app, days)
        shown = [{"date": day, **document(found)} for day, found in zip(days, counts, strict=True) if found]
        total = document(_sum(counts))
        quotas = [] if self._admission is None else self._admission.used(app)
        return {
            "app": app,
            "from": days[0],
            "to": days[-1],
            "days": shown,
            "total": total,
            "quotas": quotas,
        }

    @property
    def _store(self) -> UsageStore:
        if self._kept is None:
            raise StoreUnavailable("there is no store for usage")
        return self._kept


def document(counts: Mapping[str, int]) -> Json:
    """Counts as the API shows them; bots in the order of their names."""
    bots = sorted({name.partition(":")[2] for name in counts if ":" in name})

    def of_bot(what: str, bot: str) -> int:
        return counts.get(f"{what}:{bot}", 0)

    return {
        **{shown: counts.get(name, 0) for shown, name in SHOWN.items()},
        "moves_by_bots": sum(of_bot("moves", bot) for bot in bots),
        "bots": [
            {"bot": bot, **{shown: of_bot(name, bot) for shown, name in OF_A_BOT.items()}} for bot in bots
        ],
    }


def _sum(all_counts: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    total = dict[str, int]()
    for counts in all_counts:
        for name, number in counts.items():
            total[name] = total.get(name, 0) + number
    return total
