"""Waiting for what changes: one connection for all who wait, and nothing missed, whatever goes away meanwhile."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from events.engine.access import new_game_id
from events.errors import StoreUnavailable
from events.log.envelope import EMPTY
from events.ports import CommandId
from events.runtime.embedded import EmbeddedServer
from events.store import keys, news
from events.store.connections.client import RedisClient, Request, ServerClient
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from events.store.news import News
from tests.events.conftest import NewLink
from tests.events.test_store_contract import CREATE, GAME, SECRETS, events_after
from tests.support.proxy import BadConnection
from tests.support.waiting import LIMIT, until

SECONDS = 2 * LIMIT  # whoever waits for so long has heard of nothing


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that is done now and then be done often."""
    monkeypatch.setattr(news, "TICK", 0.05)
    monkeypatch.setattr(news, "PAUSE", 0.05)
    monkeypatch.setattr(news, "LINGER", 0.0)


def store_at(url: str, silence: float = 0.1) -> RedisEventStore:
    """A store whose listener bears so much silence."""
    return RedisEventStore(link_to(url, 5.0), link_to(url, silence), SECONDS)


def clients(link: RedisClient) -> int:
    return len(link.call("CLIENT", "LIST").splitlines())


def append(store: RedisEventStore, game_id: str) -> None:
    stream_head = store.read(game_id)[-1].stream_head
    command = f"x{stream_head.version}"
    more = events_after(stream_head, "a", command=command, game_id=game_id)
    store.append(game_id, stream_head, CommandId(command), more)


def created(store: RedisEventStore, game_id: str = GAME) -> str:
    store.create(game_id, SECRETS, CREATE, events_after(EMPTY, "game_created", game_id=game_id), due="")
    return game_id


def test_all_who_wait_share_one_connection(redis_url: str) -> None:
    """For many games, and for many who wait for the same; each hears of its own."""
    store, link = store_at(redis_url), link_to(redis_url, 5.0)
    games = [created(store, new_game_id()) for _ in range(40)]
    before = clients(link)
    with ThreadPoolExecutor(120) as pool:
        waiting = [pool.submit(store.wait, game, 1, SECONDS) for game in games for _ in range(3)]
        until(lambda: heard(link, *games))
        until(lambda: busy(link) == 0)
        assert clients(link) <= before + 1 + 64  # the listener, and what the link may have opened
        assert any(
            b" sub=41 " in line for line in link.call("CLIENT", "LIST").splitlines()
        )  # and its own channel
        for game in games:
            append(store, game)
        assert [done.result(LIMIT) for done in waiting] == [2] * 120


def heard(link: RedisClient, *games: str) -> bool:
    """True if somebody listens for each of the games."""
    numbers = link.call("PUBSUB", "NUMSUB", *map(keys.stream, games))[1::2]
    return all(numbers)


def busy(link: RedisClient) -> int:
    """The number of connections that wait in the server."""
    return sum(b"flags=b" in line for line in link.call("CLIENT", "LIST").splitlines())


def test_nothing_is_missed(new_link: NewLink) -> None:
    """Events may come between the last look and the waiting."""
    store = RedisEventStore(new_link(), new_link(), SECONDS)
    games = [created(store, new_game_id()) for _ in range(3)]

    def follow(game: str) -> int:
        version = 1
        while version < 40:
            heard = store.wait(game, version, SECONDS)
            assert heard > version
            version = heard
        return version

    with ThreadPoolExecutor(12) as pool:
        followers = [pool.submit(follow, game) for game in games for _ in range(3)]
        for _ in range(39):
            for game in games:
                append(store, game)
        assert [follower.result(LIMIT) for follower in followers] == [40] * 9


def test_a_server_that_says_nothing_any_more_is_left(
    redis_url: str, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a network swallows what is sent: another connection is opened."""
    monkeypatch.setattr(news, "PAUSE", 0.05)
    bad = BadConnection(redis_url, short_path)
    store = RedisEventStore(link_to(redis_url, 5.0), link_to(bad.url, 0.1), SECONDS)
    game = created(store)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(store.wait, game, 1, SECONDS)
        link = link_to(redis_url, 5.0)
        until(lambda: heard(link, game))
        bad.lose_replies, bad.silent = 1, True  # what is told next gets lost
        append(store, game)
        assert waiting.result(LIMIT) == 2
    bad.close()


def test_a_change_that_nobody_tells_is_found(redis_url: str, quick: None) -> None:
    """As of a process of a former release that runs beside this one."""
    store, link = store_at(redis_url, 0.05), link_to(redis_url, 5.0)
    game = created(store)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(store.wait, game, 1, SECONDS)
        until(lambda: heard(link, game))
        (event,) = events_after(store.read(game)[-1].stream_head, "a", command="x")
        seal = event.salt + event.commitment + event.head
        link.call("XADD", keys.stream(game), "2-0", "event", event.committed, "seal", seal, "command", "x")
        assert waiting.result(LIMIT) == 2


@contextmanager
def user(redis_url: str, *rights: str) -> Iterator[str]:
    """The server's address for a user with these rights."""
    link = link_to(redis_url, 5.0)
    link.call("ACL", "SETUSER", "somebody", "on", "nopass", "~*", "+@all", *rights)
    try:
        yield f"{redis_url}{'&' if '?' in redis_url else '?'}username=somebody&password=x"
    finally:
        link.call("ACL", "DELUSER", "somebody")


@pytest.mark.parametrize("rights", ["resetchannels", "allchannels -publish", "allchannels -subscribe"])
def test_all_is_found_by_looking_without_the_right_to_news(
    link: RedisClient, redis_url: str, quick: None, rights: str, caplog: pytest.LogCaptureFixture
) -> None:
    """By who waits first, and by who comes to wait while somebody does; said once, and until the right is there."""
    with user(redis_url, *rights.split()) as deaf, ThreadPoolExecutor(3) as pool:
        store = store_at(deaf, 1.0)
        first, second, third = (created(store, new_game_id()) for _ in range(3))
        waiting = [pool.submit(store.wait, first, 1, SECONDS)]
        until(lambda: known(store, first))
        waiting.append(pool.submit(store.wait, second, 1, SECONDS))
        until(lambda: known(store, second))
        for game in (first, second):
            append(store, game)
        assert [done.result(LIMIT) for done in waiting] == [2, 2]
        waits = pool.submit(store.wait, third, 1, SECONDS)
        link.call("ACL", "SETUSER", "somebody", "+@all", "allchannels")
        until(lambda: heard(link, third))
        append(store, third)
        assert waits.result(LIMIT) == 2
    told = [record.message for record in caplog.records if record.name == "migrato.news"]
    assert len(told) == (0 if rights.endswith("-publish") else 1)


def known(store: RedisEventStore, game_id: str) -> bool:
    """True if somebody waits for the game and its version was looked at."""
    assert isinstance(store._news, News)
    watched = store._news._watched.get(keys.stream(game_id))
    return watched is not None and watched.known


def test_a_key_of_another_type_keeps_nobody_else_waiting(
    link: RedisClient, redis_url: str, quick: None
) -> None:
    """The version of such a game counts as 0, and who waits for other games is told."""
    waiting = News(link_to(redis_url, 5.0), ServerClient.of(redis_url, 0.05), ask_for_length, int)
    link.call("SET", "{p000}:bad", "x")
    with ThreadPoolExecutor(2) as pool:
        bad = pool.submit(waiting.wait, "{p000}:bad", 0, 0.2)
        good = pool.submit(waiting.wait, "{p000}:good", 0, SECONDS)
        until(lambda: link.call("PUBSUB", "NUMSUB", "{p000}:good")[1])
        link.call("XADD", "{p000}:good", "1-0", "a", "b")
        assert good.result(LIMIT) == 1
        assert bad.result(LIMIT) == 0
    assert waiting.wait("{p000}:bad", 0, 0) == 0


def ask_for_length(key: str) -> Request:
    return ("XLEN", key)


def test_nothing_is_left_of_those_who_went(redis_url: str, quick: None) -> None:
    """Neither a channel nor a connection nor a thread; the next who waits begins anew."""
    store, link = store_at(redis_url, 0.05), link_to(redis_url, 5.0)
    one, two, three = (created(store, new_game_id()) for _ in range(3))
    before = set(listeners())  # of other tests, whose imitations of a server say nothing any more
    for game, other in ((one, two), (two, three)):
        nobody_stays(store, link, game, other, before)
        until(lambda: not set(listeners()) - before)


def nobody_stays(
    store: RedisEventStore, link: RedisClient, game: str, other: str, before: set[threading.Thread]
) -> None:
    """One waits for a game and goes with the news, one for another game and goes without; one thread for both."""
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(store.wait, game, 1, SECONDS)
        assert store.wait(other, 1, 0.2) == 1
        until(lambda: heard(link, game) and not heard(link, other))
        assert len(set(listeners()) - before) == 1
        append(store, game)
        assert long.result(LIMIT) == 2
    until(lambda: not heard(link, game))


def listeners() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "news"]


def test_a_forked_child_listens_for_itself(redis_url: str) -> None:
    """Its parent's games are not its own to wait for."""
    store = store_at(redis_url)
    game = created(store)
    assert store.wait(game, 1, 0.05) == 1
    child = os.fork()
    if child == 0:
        os._exit(0 if store.wait(game, 1, SECONDS) == 2 else 1)
    append(store, game)
    assert store.wait(game, 1, SECONDS) == 2
    assert os.waitpid(child, 0)[1] == 0


def test_a_server_that_was_never_there() -> None:
    """All who wait are told when the time is up."""
    nowhere = ServerClient.of("redis://127.0.0.1:9/0", 0.2)
    waiting = News(nowhere, nowhere, lambda key: ("XLEN", key), int)
    with pytest.raises(StoreUnavailable):
        waiting.wait("x", 0, 0.05)


def test_a_server_that_is_restarted_is_waited_for(
    short_path: Path, caplog: pytest.LogCaptureFixture, quick: None
) -> None:
    """Also for what happened while nobody listened; who waits does not notice.

    However many wait, there is one line for the outage, and one for its end.
    """
    caplog.set_level("INFO", "migrato.news")

    def levels() -> list[str]:
        return [record.levelname for record in caplog.records if record.name == "migrato.news"]

    with EmbeddedServer(short_path) as server:
        store = store_at(server.url)
        games = [created(store, new_game_id()) for _ in range(20)]
        with ThreadPoolExecutor(len(games)) as pool:
            waiting = [pool.submit(store.wait, game, 1, SECONDS) for game in games]
            assert isinstance(store._news, News)
            watched = store._news._watched
            until(lambda: len(watched) == len(games) and all(one.known for one in [*watched.values()]))
            assert server.pid is not None
            os.kill(server.pid, 9)
            until(lambda: server.pid is None)
            until(lambda: levels() == ["WARNING"])
            server.start()
            for game in games:
                append(store, game)
            assert [done.result(LIMIT) for done in waiting] == [2] * len(games)
        until(lambda: len(levels()) > 1)
        assert levels() == ["WARNING", "INFO"]
