"""The way to Redis: what is sent twice and what comes of it, servers that are away, connections that are not ours."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from redis import ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, ResponseError

from events.errors import StoreForbids, StoreRefuses, StoreUnavailable
from events.log.envelope import EMPTY
from events.ports import Appended, CommandId, Repeated
from events.store.connections import client
from events.store.connections.client import CONNECTIONS, ServerClient
from events.store.event_store import RedisEventStore
from tests.events.test_store_contract import CREATE, GAME, SECRETS, events_after
from tests.support.proxy import BadConnection
from tests.support.scripted_server import ScriptedServer, echo
from tests.support.waiting import LIMIT, until


@pytest.fixture
def bad(redis_url: str, short_path: Path) -> Iterator[BadConnection]:
    """A bad connection to a real server."""
    bad = BadConnection(redis_url, short_path)
    yield bad
    bad.close()


def store_over(link: ServerClient) -> RedisEventStore:
    return RedisEventStore(link, link, 1.0)


@pytest.mark.parametrize("silent", [False, True])
def test_a_lost_answer_doubles_nothing(bad: BadConnection, redis_url: str, silent: bool) -> None:
    """Sent again, what was done is found to be done: an append, and a creation, which is not somebody else's game.

    The answer is cut off, or its time runs out.
    """
    store = store_over(ServerClient.of(bad.url, timeout=1.0 if silent else LIMIT))
    created = events_after(EMPTY, "game_created")
    bad.lose_replies, bad.silent = 1, silent
    store.create(GAME, SECRETS, CREATE, created, due="")
    assert store.version(GAME) == 1
    bad.lose_replies = 1
    more = events_after(created[-1].stream_head, "a", "b", command="x")
    assert store.append(GAME, created[-1].stream_head, CommandId("x"), more) == Repeated(2, 3)
    assert store_over(ServerClient.of(redis_url, 5.0)).read(GAME) == created + more


def test_no_answer_at_all_is_an_unavailable_store(bad: BadConnection) -> None:
    """After the second time of asking; when answers come again, the same command finds what it did."""
    store = store_over(ServerClient.of(bad.url, LIMIT))
    created = events_after(EMPTY, "game_created")
    store.create(GAME, SECRETS, CREATE, created, due="")
    bad.lose_replies, bad.requests = 2, 0
    more = events_after(created[-1].stream_head, "a", command="x")
    with pytest.raises(StoreUnavailable):
        store.append(GAME, created[-1].stream_head, CommandId("x"), more)
    assert bad.requests == 2
    assert store.append(GAME, created[-1].stream_head, CommandId("x"), more) == Repeated(2, 2)
    assert store.version(GAME) == 2


def test_nobody_there(short_path: Path) -> None:
    """A refusal in no time, that tells clients nothing of where the server was expected."""
    link = ServerClient.of(f"unix://{short_path}/none.sock", timeout=10 * LIMIT)
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as refused:
        link.call("PING")
    assert time.monotonic() - began < LIMIT
    assert "none.sock" not in str(refused.value)
    assert "none.sock" in refused.value.reason


def test_a_wrong_request_is_a_fault_and_the_connection_goes_on(redis_url: str) -> None:
    """A wrong request must not be hidden as an unavailable store."""
    link = ServerClient.of(redis_url, timeout=5.0)
    with pytest.raises(ResponseError):
        link.call("GET")
    refused, answered = link.calls([("HGET", "x"), ("PING",)])
    assert isinstance(refused, ResponseError)
    assert answered == b"PONG"


def test_an_unknown_script_is_sent_whole_once(redis_url: str) -> None:
    """An unknown script is sent whole once, and by its digest from then on."""
    link = ServerClient.of(redis_url, timeout=5.0)
    link.call("SCRIPT", "FLUSH")
    digest = "1b936e3fe509bcbc9cd0664897bbe8fd0cac101b"
    with pytest.raises(NoScriptError):
        link.call("EVALSHA", digest, 0)
    assert link.script("return 'hello'", [], []) == b"hello"
    assert link.call("EVALSHA", digest, 0) == b"hello"


def test_a_server_that_cannot_write_is_unavailable(redis_url: str) -> None:
    """Out of memory, an append is refused as a whole; with memory again it is done."""
    link = ServerClient.of(redis_url, timeout=5.0)
    store = store_over(link)
    created = events_after(EMPTY, "game_created")
    store.create(GAME, SECRETS, CREATE, created, due="")
    more = events_after(created[-1].stream_head, "a", "b")
    link.call("CONFIG", "SET", "maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            store.append(GAME, created[-1].stream_head, CommandId("x"), more)
        assert store.read(GAME) == created
        assert store.recorded(GAME, CommandId("x")) is None
    finally:
        link.call("CONFIG", "SET", "maxmemory", 0)
    assert store.append(GAME, created[-1].stream_head, CommandId("x"), more) == Appended(3)


def test_a_store_that_refuses_is_told_from_one_that_is_silent(short_path: Path) -> None:
    """By whatever words: it is waited for, its own words go to the log, and a clause to anybody."""
    refusals = {
        "OOM command not allowed when used memory > 'maxmemory'.": "its memory is full",
        "NOAUTH Authentication required.": "it wants another password",
        "ERR Protocol error: unauthenticated multibulk length": "it wants another password",
        "WRONGPASS invalid username-password pair": "it wants another password",
        "NOPERM User x has no permissions": "its user may not do that",
        "ERR ACL failure in script: User x has no permissions": "its user may not do that",
        "LOADING the dataset": "it still reads its data",
        "MASTERDOWN Link with MASTER is down": "it is a replica that has lost its master",
        "READONLY You can't write": "it is a replica, which takes no writes",
        "MISCONF Errors writing to the AOF file: No space left on device": "its disk is full",
        "MISCONF Errors writing to the AOF file: Input/output error": "it cannot write to its disk",
        "CLUSTERDOWN The cluster is down": "its cluster is not whole",
        "NOREPLICAS Not enough good replicas": "too few replicas follow it",
    }
    server = ScriptedServer(short_path, lambda *_: f"-{told}\r\n".encode())
    link = ServerClient.of(server.url, 5.0)
    for told, why in refusals.items():
        for ask in (link.call, lambda *request: link.script("return 1", [], request)):
            with pytest.raises(StoreRefuses) as refused:
                ask("PING", "x")
            assert refused.value.detail == f"The event store refuses at the moment: {why}."
            assert told.removeprefix("ERR ") in refused.value.said
            assert isinstance(refused.value, StoreForbids) == ("permissions" in told)
    server.behave = echo
    assert link.call("hello") == b"hello"
    server.close()


def test_no_redis_and_no_such_database_are_unavailable(redis_url: str, short_path: Path) -> None:
    """No Redis or no such database is unavailability: what fails before a request is sent is not its fault."""
    with pytest.raises(StoreUnavailable, match="answer"):
        ServerClient.of(f"{redis_url}?db=99", 5.0).call("PING")
    server = ScriptedServer(short_path, lambda *_: b"<html>\r\n")
    with pytest.raises(StoreUnavailable):
        ServerClient.of(server.url, 5.0).call("PING")
    server.close()


def test_no_more_connections_than_allowed(redis_url: str) -> None:
    """Those who come when all are taken get the next that is free."""
    link, looking = ServerClient.of(redis_url, timeout=30.0), ServerClient.of(redis_url, timeout=5.0)
    before, asked = 1 + count(looking), 2 * CONNECTIONS
    with ThreadPoolExecutor(asked) as pool:
        waiting = [pool.submit(link.call, "BLPOP", "list", "60") for _ in range(asked)]
        until(lambda: looking.call("CLIENT", "LIST").count(b"flags=b") == CONNECTIONS)
        for number in range(asked):
            assert count(looking) <= before + CONNECTIONS
            looking.call("RPUSH", "list", number)
        answers = [one.result() for one in waiting]
    assert sorted(int(number) for _, number in answers) == list(range(asked))


def count(link: ServerClient) -> int:
    return len(link.call("CLIENT", "LIST").splitlines())


def test_nobody_waits_for_a_free_connection_for_ever(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait for a free connection ends in time, as if the server did not answer."""
    monkeypatch.setitem(vars(client), "CONNECTIONS", 1)
    link, looking = ServerClient.of(redis_url, timeout=30.0), ServerClient.of(redis_url, 5.0)
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(link.call, "BLPOP", "list", "60")
        until(lambda: b"flags=b" in looking.call("CLIENT", "LIST"))
        link._timeout = 0.01
        with pytest.raises(StoreUnavailable):
            link.call("PING")
        looking.call("RPUSH", "list", "x")
        assert taken.result() == [b"list", b"x"]
    assert link.call("PING") == b"PONG"


def test_a_connection_too_many_leaves_the_others(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes no more of them goes on to answer those that it has."""
    link = ServerClient.of(redis_url, timeout=5.0)
    link.call("PING")
    good = link._idle.pop()

    class Refused:
        """One that the server does not take; meanwhile another one has become free."""

        def __init__(self, **_: object) -> None:
            """By any way to connect."""

        def send_packed_command(self, command: list[bytes]) -> None:
            link._idle.append(good)
            raise RedisConnectionError("max number of clients reached")

        def disconnect(self) -> None:
            """Nothing to close."""

    monkeypatch.setattr(link, "_pool", ConnectionPool(connection_class=Refused))
    assert link.call("PING") == b"PONG"
