"""Counts of what an app uses, in its hash slot: of each day and of each month, until they expire."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from events.store import keys
from events.store.connections.client import Argument

KEPT_DAYS: Final = 400

# For scripts of an app's: adds to its counts of a day and of the month. KEYS from `first` on, and the next arguments
# from there: see `counts_of`.
COUNT: Final = """
local function count(first, argument, name, number)
  for at = 0, 1 do
    redis.call('HINCRBY', KEYS[first + at], name, number)
    redis.call('EXPIREAT', KEYS[first + at], ARGV[argument + at])
  end
end
"""


def counts_of(app: str, seconds: float) -> tuple[list[str], list[Argument]]:
    """The keys of the app's counts at that time, in seconds since 1970, and the arguments that COUNT needs of them."""
    day = datetime.fromtimestamp(seconds, UTC).date().isoformat()
    named = [keys.usage(app, day), keys.usage(app, day[:7])]
    return named, [expiry_of(day), expiry_of_month(day)]


def expiry_of(day: str) -> int:
    """The time at which counts of that day are kept no more, in seconds since 1970."""
    midnight = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    return int((midnight + timedelta(days=KEPT_DAYS + 1)).timestamp())


def expiry_of_month(day: str) -> int:
    """The time at which counts of the month are kept no more in which that day is."""
    first = date.fromisoformat(day).replace(day=1)
    return expiry_of(((first + timedelta(days=32)).replace(day=1) - timedelta(days=1)).isoformat())
