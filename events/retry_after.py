"""Pauses that servers ask for by Retry-After."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_of(when: str, date: str) -> float:
    """The seconds of a Retry-After: as they are, or until its date by the clock of the server, which Date tells."""
    if when.isascii() and when.isdigit():
        return float(when)
    until = _time(when)
    return 0.0 if until is None else max(0.0, (until - (_time(date) or datetime.now(UTC))).total_seconds())


def _time(text: str) -> datetime | None:
    """The time of an HTTP date; None where it is none."""
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
