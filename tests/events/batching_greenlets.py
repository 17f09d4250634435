"""Greenlets that are killed or give up while others wait for the same batch; run by `test_batching`."""

import threading

import gevent  # type: ignore[import-untyped]
import pytest
from redis import ConnectionPool

from events.store.connections import client
from events.store.connections.client import ServerClient, packed
from tests.events.test_batching import MANY, Gate, batcher, waiting
from tests.support.scripted_server import ScriptedServer, echo
from tests.support.waiting import LIMIT, until


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("victims", [(0,), (1,), (2,), (0, 1), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("sent", [False, True], ids=["waiting", "sent"])
def test_killed_greenlets_shift_nobodys_answers(
    scripted: ScriptedServer, victims: tuple[int, ...], *, sent: bool
) -> None:
    """The first of them leads, once the batch before is through."""
    link = ServerClient.of(scripted.url, 5.0)
    gate = Gate(scripted, link)
    asking = [gevent.spawn(link.call, name) for name in "abcd"]
    until(lambda: waiting(link) == 4)
    stay = threading.Event()
    if sent:
        gate.open(lambda number, asked: echo(number, asked) if asked == "slow" or stay.wait(LIMIT) else None)
        until(lambda: len(scripted.requests) == 5)
    for victim in victims:
        asking[victim].kill()
    stay.set()
    gate.open(echo)
    gevent.joinall(asking)
    others = [asking[number].value for number in range(4) if number not in victims]
    assert others == [name for number, name in enumerate([b"a", b"b", b"c", b"d"]) if number not in victims]
    assert link.call("more") == b"more"
    assert not batcher(link)._under_way
    assert not batcher(link)._waiting


def test_killed_greenlets_give_their_connections_back(scripted: ScriptedServer) -> None:
    """At whatever moment they are killed, no connection counts as taken for ever."""
    link = ServerClient.of(scripted.url, 5.0)
    free = link._free.qsize()

    def ask() -> None:
        while True:
            link.wait(packed(["who waits alone"]))

    for turn in range(100):
        asking = [gevent.spawn(ask) for _ in range(4)]
        gevent.sleep(min(0.05, 0.0005 + 0.0003 * (turn % 7)))
        gevent.killall(asking)
    assert link._free.qsize() == free


def test_a_timeout_of_one_greenlet_is_its_own(scripted: ScriptedServer) -> None:
    """As requests have them, whether it leads or waits."""
    link = ServerClient.of(scripted.url, 5.0)

    def ask(number: int) -> bool:
        right = True
        for turn in range(20):
            try:
                with gevent.Timeout(0.0005 * (number % 4) + 0.0001 * (turn % 7)):
                    right = right and link.call(f"{number}/{turn}") == b"%d/%d" % (number, turn)
            except gevent.Timeout:
                continue
        return right and link.call(f"{number}") == b"%d" % number

    asking = [gevent.spawn(ask, number) for number in range(MANY)]
    gevent.joinall(asking)
    assert all(one.value is True for one in asking)
    assert not batcher(link)._under_way
    assert not batcher(link)._waiting


def test_nonsense_is_asked_for_again(scripted: ScriptedServer) -> None:
    """On a fresh connection; what came before it has its answer."""
    link = ServerClient.of(scripted.url, 5.0)
    assert link.call("first") == b"first"
    scripted.behave = lambda number, request: b"nonsense\r\n" if number == 0 else echo(number, request)
    assert link.call("again") == b"again"
    assert scripted.sends == [(0, ["first"]), (0, ["again"]), (1, ["again"])]


def test_a_connection_that_ends_while_nobody_asks(scripted: ScriptedServer) -> None:
    """It is noticed then, and the next call goes over another, once."""
    link = ServerClient.of(scripted.url, 5.0)
    scripted.behave = lambda number, request: None if request == "end" else echo(number, request)
    assert link.calls([("a",)]) == [b"a"]
    assert link.calls([("b",)]) == [b"b"]
    free = link._free.qsize()
    assert free == client.CONNECTIONS - 1  # the loop keeps one
    scripted.cut()
    until(lambda: link._free.qsize() == client.CONNECTIONS)
    assert link.call("c") == b"c"
    assert scripted.sends[2:] == [(1, ["c"])]


def test_more_than_the_system_takes_at_once(redis_url: str) -> None:
    """A request of any size, beside those of others."""
    link = ServerClient.of(redis_url, 20.0)
    large = [bytes([number]) * 2_000_000 for number in range(3)]

    def keep(number: int) -> bool:
        link.call("SET", f"large {number}", large[number])
        return bool(link.call("GET", f"large {number}") == large[number])

    asking = [gevent.spawn(keep, number) for number in range(3)]
    asking += [gevent.spawn(lambda: link.call("PING") == b"PONG") for _ in range(MANY)]
    gevent.joinall(asking)
    assert all(one.value is True for one in asking)


def test_a_closed_link_can_be_used_again(scripted: ScriptedServer) -> None:
    """Idle connections are closed, also the one that the loop keeps."""
    link = ServerClient.of(scripted.url, 5.0)
    assert [link.call(name) for name in "ab"] == [b"a", b"b"]
    link.close()
    assert link._free.qsize() == client.CONNECTIONS
    assert link.call("c") == b"c"
    assert scripted.connections == 2


def test_connections_without_sockets_of_our_own(redis_url: str) -> None:
    """As over TLS, where the loop cannot read: a greenlet carries each batch out."""
    link = ServerClient(ConnectionPool.from_url(redis_url, protocol=2))
    asking = [gevent.spawn(link.call, "ECHO", str(number)) for number in range(MANY)]
    gevent.joinall(asking)
    assert [one.value for one in asking] == [str(number).encode() for number in range(MANY)]
    assert not batcher(link)._under_way
