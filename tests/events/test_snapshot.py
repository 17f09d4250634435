"""The cache: the latest of each game, the least recently used forgotten first."""

import sys
import threading
import time
from collections.abc import Iterator

import pytest

from events.games.caches import PastCache, StateCache, size_of
from events.log.envelope import StreamHead
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot, unplayed
from tests.events.counter import COUNTER
from tests.memory import memory_of


def game(name: str, version: int = 1) -> Snapshot:
    secrets = Secrets(bytes(32), "app", "public", "counter", "2026-11-21T10:00:00.000Z")
    return unplayed(name, COUNTER, secrets)._replace(stream_head=StreamHead(version, "00" * 32))


@pytest.fixture
def cache() -> StateCache:
    return StateCache(memory_of("games", 2.5 * size_of(game("a"))))


def test_what_was_put_is_there(cache: StateCache) -> None:
    """And nothing else."""
    cache.put(game("a"))
    assert cache.get("a") == game("a")
    assert cache.get("b") is None


def test_an_earlier_version_does_not_replace_a_later_one(cache: StateCache) -> None:
    """Two requests may come to their end in any order."""
    cache.put(game("a", 3))
    cache.put(game("a", 2))
    assert cache.get("a") == game("a", 3)
    cache.put(game("a", 4))
    assert cache.get("a") == game("a", 4)


def test_the_least_recently_used_is_forgotten(cache: StateCache) -> None:
    """Being asked for is being used."""
    cache.put(game("a"))
    cache.put(game("b"))
    cache.get("a")
    cache.put(game("c"))
    assert [name for name in "abc" if cache.get(name)] == ["a", "c"]


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hurried")
def test_looks_while_others_have_to_go(cache: StateCache) -> None:
    """A look moves what it finds, and takes no lock for that: whoever makes room meanwhile is not disturbed."""
    games, failures, end = [game(name) for name in "abcd"], list[Exception](), time.monotonic() + 1.0

    def look() -> None:
        while time.monotonic() < end:
            for name in "abcd":
                cache.get(name)

    def put() -> None:
        try:
            while time.monotonic() < end:
                for snapshot in games:
                    cache.put(snapshot)
        except Exception as error:  # noqa: BLE001 -- whatever it is
            failures.append(error)

    threads = [threading.Thread(target=act) for act in (look, look, put)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(cache.get(name) is not None for name in "abcd") == 2


def test_dropping(cache: StateCache) -> None:
    """Only what is meant: not a version that came meanwhile."""
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
