"""Times as text, in the one form that events and answers have, and as milliseconds since 1970."""

from datetime import UTC, datetime


def timestamp(at: datetime) -> str:
    """A time in UTC in RFC 3339 with milliseconds, as in 2026-11-21T10:00:00.123Z."""
    return f"{at.isoformat(timespec='milliseconds')[:23]}Z"


def milliseconds_of(at: str) -> int:
    """The milliseconds of a time in RFC 3339 UTC, as 2026-11-21T10:00:00.123Z; ValueError for anything else."""
    whole = datetime.fromisoformat(at[:19]).replace(tzinfo=UTC)
    return int(whole.timestamp()) * 1000 + int(at[20:23])


def time_of(milliseconds: int) -> str:
    """The same form of so many milliseconds since 1970."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest:03d}Z"
