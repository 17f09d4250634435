"""The cache: the latest of each game, the least recently used forgotten first."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from events.engine.caches import PastCache, StateCache, size_of
from events.log.envelope import StreamHead
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, unplayed
from tests.events.counter import COUNTER
from tests.support.memory import memory_of


def game(name: str, version: int = 1) -> Snapshot:
    secrets = Secrets(bytes(32), "app", "public", "counter", "2026-11-21T10:00:00.000Z")
    return unplayed(name, COUNTER, secrets)._replace(stream_head=StreamHead(version, "00" * 32))


@pytest.fixture
def cache() -> StateCache:
    return StateCache(memory_of("games", 2.5 * size_of(game("a"))))


def test_the_latest_of_each_game_is_there(cache: StateCache) -> None:
    """Two requests may come to their end in any order; the least recently used game is forgotten first."""
    cache.put(game("a"))
    assert cache.get("a") == game("a")
    assert cache.get("b") is None
    for put, latest in ((3, 3), (2, 3), (4, 4)):
        cache.put(game("a", put))
        assert cache.get("a") == game("a", latest)
    cache.put(game("b"))
    cache.get("a")
    cache.put(game("c"))
    assert [name for name in "abc" if cache.get(name)] == ["a", "c"]


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
def test_looks_while_others_have_to_go(cache: StateCache) -> None:
    """A look moves what it finds, and takes no lock for that: whoever makes room meanwhile is not disturbed."""
    games, ended = [game(name) for name in "abcd"], threading.Event()

    def look() -> None:
        while not ended.is_set():
            for name in "abcd":
                cache.get(name)

    def put() -> None:
        for _ in range(3000):
            for snapshot in games:
                cache.put(snapshot)

    with ThreadPoolExecutor(3) as pool:
        looks, puts = [pool.submit(look) for _ in range(2)], pool.submit(put)
        failure = puts.exception()
        ended.set()
    assert [failure, *(one.exception() for one in looks)] == [None] * 3
    assert sum(cache.get(name) is not None for name in "abcd") == 2


def test_dropping(cache: StateCache) -> None:
    """A drop removes only the version that is meant, and not one that came meanwhile."""
    first, second = game("a", 1), game("a", 2)
    cache.put(first)
    cache.put(second)
    cache.drop(first)
    assert cache.get("a") is second
    cache.drop(second)
    assert cache.get("a") is None


def test_former_states_are_kept_by_version() -> None:
    """At most so many, the least recently used forgotten first."""
    past = PastCache(memory_of("past", 2.5 * size_of(game("a"))))
    past.put(game("a", 1))
    past.put(game("a", 2))
    assert past.get("a", 1) == game("a", 1)
    past.put(game("b", 1))
    assert [past.get("a", 1), past.get("a", 2), past.get("b", 1)] == [game("a", 1), None, game("b", 1)]
