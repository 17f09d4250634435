"""Several acts at once in one thread: each is served as if it were alone, and what they ask goes in one send."""

from collections.abc import Callable
from functools import partial

import pytest
from redis.exceptions import ResponseError

from events.errors import StoreUnavailable
from events.store.connections.batching import Exchange
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.support.scripted_server import ScriptedServer, echo
from workers.together import Lane, Together


@pytest.fixture
def together() -> Together:
    """The batches of several acts, by which the link below carries out its calls."""
    return Together()


@pytest.fixture
def link(scripted: ScriptedServer, together: Together) -> RedisClient:
    """A link of a process with one thread."""
    return link_to(scripted.url, 5.0, together.over)


def ask(link: RedisClient, name: str, times: int) -> list[bytes]:
    """Ask the server so many times, one after the other."""
    return [link.call(f"{name}{turn}") for turn in range(times)]


def test_questions_of_several_acts_go_in_one_send(
    scripted: ScriptedServer, link: RedisClient, together: Together
) -> None:
    """One for each time that they ask; who asks less is done sooner."""
    came = together.run([partial(ask, link, name, times) for name, times in (("a", 3), ("b", 1), ("c", 2))])
    assert came == [[b"a0", b"a1", b"a2"], [b"b0"], [b"c0", b"c1"]]
    assert scripted.sends == [(0, ["a0", "b0", "c0"]), (0, ["a1", "c1"]), (0, ["a2"])]


def test_several_requests_of_an_act_stay_together(
    scripted: ScriptedServer, link: RedisClient, together: Together
) -> None:
    came = together.run([partial(link.calls, [(f"{name}1",), (f"{name}2",)]) for name in "ab"])
    assert came == [[b"a1", b"a2"], [b"b1", b"b2"]]
    assert scripted.sends == [(0, ["a1", "a2", "b1", "b2"])]


def test_outside_of_acts_a_call_goes_at_once(
    scripted: ScriptedServer, link: RedisClient, together: Together
) -> None:
    assert together.run([]) == []
    assert scripted.sends == []
    assert link.call("alone") == b"alone"
    assert scripted.sends == [(0, ["alone"])]


def test_a_failure_is_one_acts_own(scripted: ScriptedServer, link: RedisClient, together: Together) -> None:
    """A refused request, or a mistake of an act, is the failure of that act alone."""

    def mistaken() -> list[bytes]:
        ask(link, "m", 1)
        raise ZeroDivisionError

    scripted.behave = lambda number, request: b"-ERR no\r\n" if request == "b0" else echo(number, request)
    acts: list[Callable[[], list[bytes]]] = [partial(ask, link, "a", 2), partial(ask, link, "b", 2), mistaken]
    came = together.run(acts)
    assert [type(one) for one in came] == [list, ResponseError, ZeroDivisionError]


def test_a_connection_that_breaks_is_tried_once_more(
    scripted: ScriptedServer, link: RedisClient, together: Together
) -> None:
    """Only what got no answer is sent again."""
    scripted.behave = lambda number, request: (
        None if (number, request) == (0, "b0") else echo(number, request)
    )
    assert together.run([partial(ask, link, name, 1) for name in "abc"]) == [[b"a0"], [b"b0"], [b"c0"]]
    assert scripted.sends == [(0, ["a0", "b0", "c0"]), (1, ["b0", "c0"])]


def test_a_server_that_is_gone_is_everybodys(
    scripted: ScriptedServer, link: RedisClient, together: Together
) -> None:
    """All acts fail while the server is gone; once it is back, all is well."""
    scripted.behave = lambda *_: None
    came = together.run([partial(ask, link, name, 1) for name in "ab"])
    assert [type(error) for error in came] == [StoreUnavailable] * 2
    scripted.behave = echo
    assert together.run([partial(ask, link, "a", 1)]) == [[b"a0"]]


class Over(BaseException):
    """Ends whatever is done."""


def test_an_exit_ends_all_acts(scripted: ScriptedServer, link: RedisClient, together: Together) -> None:
    """Those that wait are left, in good order; the link is as good as new."""
    left: list[str] = []

    def waiting() -> None:
        try:
            ask(link, "w", 2)
        finally:
            left.append("waiting")

    def ending() -> None:
        ask(link, "e", 1)
        raise Over

    with pytest.raises(Over):
        together.run([waiting, ending])
    assert left == ["waiting"]
    assert together.run([partial(ask, link, "a", 1)]) == [[b"a0"]]
    assert scripted.sends[-1][1] == ["a0"]


def test_an_exit_in_an_exchange_ends_all_acts(scripted: ScriptedServer, together: Together) -> None:
    """As a signal may do; the answers that were under way are nobody else's."""
    lanes: list[Lane] = []

    def over(exchange: Exchange) -> Lane:
        lanes.append(together.over(exchange))
        return lanes[-1]

    def interrupted(calls: object) -> None:
        lanes[0].exchange = exchange
        raise Over

    link = link_to(scripted.url, 5.0, over)
    exchange, lanes[0].exchange = lanes[0].exchange, interrupted
    with pytest.raises(Over):
        together.run([partial(ask, link, name, 1) for name in "ab"])
    assert link.call("after") == b"after"


def test_acts_that_ask_several_servers(scripted: ScriptedServer, together: Together) -> None:
    """Each server gets one send, with what is asked of it."""
    links = [link_to(scripted.url, 5.0, together.over) for _ in range(2)]

    def act(name: str, number: int) -> list[bytes]:
        return [links[number].call(f"{name}0"), links[1 - number].call(f"{name}1")]

    came = together.run([partial(act, name, number) for name, number in (("a", 0), ("b", 1), ("c", 0))])
    assert came == [[b"a0", b"a1"], [b"b0", b"b1"], [b"c0", b"c1"]]
    assert [asked for _, asked in scripted.sends] == [["a0", "c0"], ["b0"], ["a1", "c1"], ["b1"]]
