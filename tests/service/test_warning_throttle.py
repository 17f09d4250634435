"""Warnings that would come by the thousand."""

import logging

import pytest

from service.http.operations.warning_throttle import MINUTE, WarningThrottle


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
