"""Periods for which finished games are kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

DAY: Final = 86_400_000  # milliseconds


@dataclass(frozen=True, slots=True)
class Periods:
    """For how long finished games stay, in seconds: `listed` in listings, `kept` in the archive; 0 for ever.

    Both end with a day (UTC): a game stays until the day of its end is over for so long.
    """

    listed: float = 0
    kept: float = 0

    def unlisted_before(self, now: datetime) -> int | None:
        """The time before which games are in no listing, in milliseconds; None for no such time."""
        seconds = min([period for period in (self.listed, self.kept) if period], default=0)
        return _day_begun(now, seconds) if seconds else None

    def pruned_before(self, now: datetime) -> int | None:
        """The time before which games are not in the archive, in milliseconds; None for no such time."""
        return _day_begun(now, self.kept) if self.kept else None


def _day_begun(now: datetime, seconds: float) -> int:
    """The beginning of the day in which the time `seconds` before now lies, in milliseconds."""
    return int((now.timestamp() - seconds) * 1000) // DAY * DAY
