"""Warnings that would come by the thousand."""

import logging

import pytest

from events.warning_throttle import AGAIN, MINUTE, WarningThrottle


def test_one_warning_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """The next one says how many were left out; another kind is told beside it."""
    now = [100.0]
    warnings = WarningThrottle(logging.getLogger("test"), lambda: now[0])
    for number in range(1000):
        warnings.warning("the store is away: %s", number)
    warnings.warning("something else")
    now[0] += MINUTE
    warnings.warning("the store is away: %s", "still")
    warnings.warning("something else")
    assert [record.getMessage() for record in caplog.records] == [
        "the store is away: 0",
        "something else",
        "the store is away: still (and 999 more since the last such line)",
        "something else",
    ]


def test_a_thing_that_breaks_and_mends_again_and_again(caplog: pytest.LogCaptureFixture) -> None:
    """It is told when it breaks and when it is over, and not each time where it flaps; nobody hears the end twice."""
    caplog.set_level(logging.INFO)
    now = [100.0]
    warnings = WarningThrottle(logging.getLogger("test"), lambda: now[0])
    warnings.over("away: %s", "back")
    for number in range(3):
        warnings.warning("away: %s", number)
        warnings.over("away: %s", "back")
    now[0] += AGAIN
    warnings.warning("away: %s", "again")
    assert [record.getMessage() for record in caplog.records] == [
        "away: 0",
        "back",
        "away: again (and 2 more since the last such line)",
    ]


def test_trouble_that_goes_on_in_another_way_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """A server that was silent and now refuses: the reason must not wait for a minute. All is over at once, once."""
    caplog.set_level(logging.INFO)
    warnings = WarningThrottle(logging.getLogger("test"), lambda: 100.0)
    for kind in ("silent", "refuses") * 3:
        warnings.warning("the store %s", kind, kind=kind)
    for _ in range(2):
        warnings.over("the store %s", "back")
    assert [record.getMessage() for record in caplog.records] == [
        "the store silent",
        "the store refuses",
        "back",
    ]
