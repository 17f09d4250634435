"""Greenlets that are killed or give up while others wait for the same batch; run by `test_batching`."""

import threading

import gevent  # type: ignore[import-untyped]
import pytest

from events.redis.connections.client import RedisClient, packed
from tests.events.scripted_server import ScriptedServer, echo
from tests.events.test_batching import MANY, Gate, batcher, waiting
from tests.waiting import until


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("victims", [(0,), (1,), (2,), (0, 1), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("sent", [False, True], ids=["waiting", "sent"])
def test_killed_greenlets_shift_nobodys_answers(
    scripted: ScriptedServer, victims: tuple[int, ...], *, sent: bool
) -> None:
    """The first of them leads, once the batch before is through."""
    link = RedisClient.to(scripted.url, 5.0)
    gate = Gate(scripted, link)
    asking = [gevent.spawn(link.call, name) for name in "abcd"]
    until(lambda: waiting(link) == 4)
    stay = threading.Event()
    if sent:
        gate.open(
            lambda number, request: echo(number, request) if request == "slow" or stay.wait(9) else None
        )
        until(lambda: len(scripted.requests) == 5)
    for victim in victims:
        asking[victim].kill()
    stay.set()
    gate.open(echo)
    gevent.joinall(asking)
    others = [asking[number].value for number in range(4) if number not in victims]
    assert others == [name for number, name in enumerate([b"a", b"b", b"c", b"d"]) if number not in victims]
    assert link.call("more") == b"more"
    assert not batcher(link)._leading
    assert not batcher(link)._waiting


def test_killed_greenlets_give_their_connections_back(scripted: ScriptedServer) -> None:
    """At whatever moment they are killed, no connection counts as taken for ever."""
    link = RedisClient.to(scripted.url, 5.0)
    free = link._free.qsize()

    def ask() -> None:
        while True:
            link.wait(packed(["who waits alone"]))

    for turn in range(300):
        asking = [gevent.spawn(ask) for _ in range(4)]
        gevent.sleep(0.0005 + 0.0003 * (turn % 7))
        gevent.killall(asking)
    assert link._free.qsize() == free


def test_a_timeout_of_one_greenlet_is_its_own(scripted: ScriptedServer) -> None:
    """As requests have them, whether it leads or waits."""
    link = RedisClient.to(scripted.url, 5.0)

    def ask(number: int) -> bool:
        right = True
        for turn in range(40):
            try:
                with gevent.Timeout(0.0005 * (number % 4) + 0.0001 * (turn % 7)):
                    right = right and link.call(f"{number}/{turn}") == b"%d/%d" % (number, turn)
            except gevent.Timeout:
                continue
        return right and link.call(f"{number}") == b"%d" % number

    asking = [gevent.spawn(ask, number) for number in range(MANY)]
    gevent.joinall(asking)
    assert all(one.value is True for one in asking)
    assert not batcher(link)._leading
    assert not batcher(link)._waiting
