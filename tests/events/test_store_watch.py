"""The dispatcher warns of servers that do not keep what they are given, and of none twice."""

import logging

import pytest
from redis import Redis

from events.runtime.settings import Settings, SettingsError
from events.runtime.stores.store_check import StoreCheck, StoreWatch


def test_a_policy_that_is_changed_while_it_runs_is_told(
    redis_url: str, evicting_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, and once more when it is over; it stops a start, and nothing that runs."""
    caplog.set_level(logging.INFO)
    watch, server = (
        StoreWatch(StoreCheck(Settings(redis_url=evicting_url, ephemeral=True))),
        Redis.from_url(redis_url),
    )
    with pytest.raises(SettingsError, match="evicts"):
        watch.begin()
    server.config_set("maxmemory-policy", "noeviction")
    watch.begin()
    assert caplog.messages == []
    server.config_set("maxmemory-policy", "allkeys-lfu")
    watch.look()
    watch.look()
    (warning,) = caplog.records
    assert (warning.levelname, "evicts" in warning.message, "allkeys-lfu" in warning.message) == (
        "WARNING",
        True,
        True,
    )
    server.config_set("maxmemory-policy", "noeviction")
    watch.look()
    assert caplog.messages[1:] == [f"no longer so: {warning.message}"]


def test_a_queue_that_is_away_does_not_hide_the_store(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that writes nothing to a disk causes a warning at the start, unless it is meant so."""
    for ephemeral, warnings in ((True, 0), (False, 1)):
        caplog.clear()
        settings = Settings(redis_url=redis_url, queue_url="unix:///nowhere", ephemeral=ephemeral)
        StoreWatch(StoreCheck(settings)).begin()
        assert sum("append-only file" in message for message in caplog.messages) == warnings
