"""The limits as an operator sets them, and the counts that processes share."""

import pytest

from events.runtime.rates import DEFAULTS, Rate, rates_of
from events.runtime.settings import SettingsError, load
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.queues.rate_counts import RedisRateCounts
from tests.events.forking import forked, status_of
from tests.support.waiting import until


def test_changes() -> None:
    """The others stay as they are; on is the default, and off lifts all limits."""
    assert rates_of(load({}).limits) == rates_of("on") == DEFAULTS
    assert rates_of(load({"MIGRATO_LIMITS": "off"}).limits) == {}
    changed = rates_of("games=7/90, bots=off,forks=5/2h,running=12,records=1/s,game-forks=9/1d")
    assert changed["games"] == Rate(7, 90)
    assert changed["forks"] == Rate(5, 7200)
    assert changed["running"] == Rate(12, 0)
    assert changed["records"] == Rate(1, 1)
    assert changed["game-forks"] == Rate(9, 86_400)
    assert "bots" not in changed
    assert changed["requests"] == DEFAULTS["requests"]


NO_LIMITS = (
    *("yes", "games", "games=", "games=0/1m", "games=-1/1m", "games=5", "games=5/0m", "games=5/1m,"),
    *("games=5/99d", "chess=5/1m", "running=5/1m", "seat-forks=5/1m", "games=1.5/1m", "off,games=5/1m"),
    *("games=5/1m games=6/1m", "games=1000000000/1m"),
)


def test_other_texts_are_refused() -> None:
    for text in NO_LIMITS:
        with pytest.raises(SettingsError, match="MIGRATO_LIMITS must be on, off, or changes"):
            load({"MIGRATO_LIMITS": text})


def test_processes_share_a_count(link: RedisClient, redis_url: str) -> None:
    """Processes share a count: each request adds one, whichever process counts it."""

    def count() -> None:
        link = link_to(redis_url, 5.0)
        counts = RedisRateCounts(link)
        for _ in range(200):
            link.call("RPUSH", "counted", counts.count("migrato:limit/x", 3_600)[0])

    children = [forked(count) for _ in range(2)]
    assert [status_of(child) for child in children] == [0, 0]
    counted = link.call("LRANGE", "counted", 0, -1)
    assert sorted(map(int, counted)) == list(range(1, 401))


def test_a_window_ends(link: RedisClient) -> None:
    """No matter how many came in it; a count without an end, as a lost expiry would leave it, gets one."""
    counts = RedisRateCounts(link)
    (first, left), (second, less) = counts.count("k", 600), counts.count("k", 600)
    assert (first, second) == (1, 2)
    assert 0 < less <= left <= 600
    link.call("PEXPIRE", "k", 1)  # as if most of the time were over
    until(lambda: counts.count("k", 600)[0] == 1)
    link.call("SET", "k", "7")
    assert counts.count("k", 600) == (8, 600.0)
    link.call("PEXPIRE", "k", 7_200_000)  # as if the clock had been two hours ahead
    assert counts.count("k", 600) == (9, 600.0)
