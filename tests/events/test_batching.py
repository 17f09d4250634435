"""Requests of many in one send: everybody's own answer, whatever happens to the server and to the others.

Every test runs among threads, and in a process of its own among greenlets, with those of `batching_greenlets`.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ResponseError

from events.errors import StoreForbids, StoreRefuses, StoreUnavailable
from events.store.connections import batching, client
from events.store.connections.client import ServerClient
from events.store.connections.direct import MORE
from tests.support.scripted_server import ScriptedServer, echo
from tests.support.waiting import LIMIT, until

MANY = 12
AMONG_GREENLETS = """
from gevent.monkey import patch_all
patch_all()
import sys
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


class Gate:
    """A request `slow` waits here for its answer; meanwhile other callers come."""

    def __init__(self, scripted: ScriptedServer, link: ServerClient) -> None:
        self._open = threading.Event()
        self.link = link
        self._behave = scripted.behave
        scripted.behave = self._wait
        self.slow = at_once(link.call, "slow")
        until(lambda: "slow" in scripted.requests)

    def _wait(self, connection: int, request: str) -> bytes | None:
        if request == "slow":
            self._open.wait(LIMIT)
        return self._behave(connection, request)

    def ask(self, *requests: str) -> list["Future[Any]"]:
        """Callers that come one after the other, and wait."""
        asked = list["Future[Any]"]()
        for request in requests:
            before = waiting(self.link)
            asked.append(at_once(self.link.call, request))
            until(lambda before=before: waiting(self.link) > before)  # type: ignore[misc]
        return asked

    def open(self, behave: Callable[[int, str], bytes | None] | None = None) -> None:
        """Let the server answer, from now on by what is given."""
        self._behave = behave or self._behave
        self._open.set()


@pytest.fixture
def gate(scripted: ScriptedServer, patient: None) -> Gate:
    """A gate at which nobody becomes impatient."""
    return Gate(scripted, ServerClient.of(scripted.url, 5.0))


def waiting(link: ServerClient) -> int:
    """The number of callers that wait for the next batch."""
    return len(batcher(link)._waiting)


def batcher(link: ServerClient) -> Any:
    return link._batcher


def at_once(act: Callable[..., Any], *arguments: Any) -> "Future[Any]":
    """Have something done in a thread, or greenlet, of its own."""
    future = Future[Any]()

    def run() -> None:
        try:
            future.set_result(act(*arguments))
        except BaseException as error:  # noqa: BLE001 (whoever asks is told)
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def outcome(future: "Future[Any]") -> Any:
    """The result, or the kind of error."""
    error = future.exception(LIMIT)
    return future.result() if error is None else type(error)


def test_all_of_this_among_greenlets() -> None:
    """As in a web worker, where nobody leads; and with all that can only be done to greenlets."""
    files = [__file__, str(Path(__file__).with_name("batching_greenlets.py"))]
    chosen = ["-p", "compiled.preferred", "-k", "not among_greenlets and not killed_leader"]
    command = [sys.executable, "-c", AMONG_GREENLETS, *files, *chosen]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def test_late_callers_go_in_one_send(gate: Gate, scripted: ScriptedServer) -> None:
    """Each gets its own answer, and the server sees them in the order in which they came."""
    names = [f"r{number}" for number in range(MANY)]
    asked = gate.ask(*names)
    gate.open()
    assert [outcome(one) for one in [gate.slow, *asked]] == [b"slow", *[name.encode() for name in names]]
    assert scripted.sends == [(0, ["slow"]), (0, names)]


def test_a_batch_has_an_end(gate: Gate, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch holds a limited number of requests; callers who come too late for it go with the next."""
    monkeypatch.setitem(vars(batching), "BATCH", 5)
    asked = gate.ask(*[f"r{number}" for number in range(MANY)])
    gate.open()
    assert [outcome(one) for one in asked] == [b"r%d" % number for number in range(MANY)]
    assert [len(requests) for _, requests in scripted.sends] == [1, 5, 5, 2]


def test_many_in_a_crowd(scripted: ScriptedServer) -> None:
    """Each one's requests are answered in its order, and several at once stay together."""
    link = ServerClient.of(scripted.url, 5.0)

    def ask(number: int) -> bool:
        for turn in range(50):
            names = [f"{number}/{turn}/{part}" for part in range(3)]
            assert link.call(names[0]) == names[0].encode()
            assert link.calls([(name,) for name in names]) == [name.encode() for name in names]
        return True

    assert all(outcome(one) is True for one in [at_once(ask, number) for number in range(MANY)])
    for number in range(MANY):
        own = [request for request in scripted.requests if request.startswith(f"{number}/")]
        assert own[::4] == [f"{number}/{turn}/0" for turn in range(50)]
    assert len(scripted.sends) < len(scripted.requests) / 2


def test_the_error_of_one_is_its_own(gate: Gate, scripted: ScriptedServer) -> None:
    """A refused request is the fault of whoever made it."""
    asked = gate.ask("a", "wrong", "b")
    gate.open(lambda number, request: b"-ERR no\r\n" if request == "wrong" else echo(number, request))
    assert [outcome(one) for one in asked] == [b"a", ResponseError, b"b"]
    assert gate.link.call("more") == b"more"
    assert scripted.connections == 1


def test_requests_that_the_server_cannot_do_now_are_asked_again_alone(
    gate: Gate, scripted: ScriptedServer
) -> None:
    """Once, on a fresh connection; the others had their answers. What is forbidden stays so."""
    asked = gate.ask("a", "full", "secret", "b", "soon")

    def behave(number: int, request: str) -> bytes:
        if request == "secret":
            return b"-NOPERM no permissions\r\n"
        unable = request == "full" or (request == "soon" and number == 0)
        return b"-OOM no memory\r\n" if unable else echo(number, request)

    gate.open(behave)
    assert [outcome(one) for one in asked] == [b"a", StoreRefuses, StoreForbids, b"b", b"soon"]
    assert scripted.sends[1:] == [(0, ["a", "full", "secret", "b", "soon"]), (1, ["full", "soon"])]


@pytest.mark.usefixtures("patient")
def test_a_refusal_of_the_whole_connection_is_nobodys_answer(scripted: ScriptedServer) -> None:
    """As of a server that loads its data again: who has no answer asks once more, over a fresh connection."""
    for refusal in (b"-LOADING the dataset\r\n", b"-NOAUTH Authentication required.\r\n"):
        scripted.behave, first = echo, scripted.connections
        link = ServerClient.of(scripted.url, 5.0)
        gate = Gate(scripted, link)
        asked = gate.ask("a", "b", "c")
        gate.open(
            lambda number, request, first=first, refusal=refusal: (  # type: ignore[misc]
                refusal if (number, request) == (first, "b") else echo(number, request)
            )
        )
        assert [outcome(one) for one in asked] == [b"a", b"b", b"c"]
        gate.open(lambda *_, refusal=refusal: refusal)
        assert outcome(at_once(link.call, "d")) is StoreRefuses
        gate.open(echo)
        assert link.call("e") == b"e"
        scripted.sends.clear()


def test_a_connection_lost_after_half_of_the_answers(gate: Gate, scripted: ScriptedServer) -> None:
    """Callers who have their answers have them; the others are asked for once more."""
    asked = gate.ask("a", "b", "c", "d")
    gate.open(lambda number, request: None if number == 0 and request == "c" else echo(number, request))
    assert [outcome(one) for one in asked] == [b"a", b"b", b"c", b"d"]
    assert scripted.sends[1:] == [(0, ["a", "b", "c", "d"]), (1, ["c", "d"])]


@pytest.mark.usefixtures("patient")
def test_a_server_that_dies_in_mid_batch(scripted: ScriptedServer) -> None:
    """Everybody without an answer is refused, long before time is up; then it is back."""
    link = ServerClient.of(scripted.url, 10 * LIMIT)
    gate = Gate(scripted, link)
    asked = gate.ask("a", "b", "c")
    gate.open(lambda number, request: echo(number, request) if request in ("slow", "a") else None)
    assert [outcome(one) for one in asked] == [b"a", StoreUnavailable, StoreUnavailable]
    scripted.behave = echo
    assert link.call("again") == b"again"
    assert [request for request in scripted.requests if request in "abc"] == ["a", "b", "c", "b", "c"]


def test_a_hanging_server_makes_nobody_wait_longer(scripted: ScriptedServer) -> None:
    """About two times the timeout, also for those who came while others had waited for a while."""
    hung, timeout, many = threading.Event(), 1.0, 40
    link = ServerClient.of(scripted.url, timeout)
    scripted.behave = lambda *_: (hung.wait(LIMIT), None)[1]

    def ask(name: str) -> float:
        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            link.call(name)
        return time.monotonic() - began

    asked = []
    for number in range(many):
        asked.append(at_once(ask, f"r{number}"))
        time.sleep(0.01)
    waited = [outcome(one) for one in asked]
    hung.set()
    assert max(waited) < many * timeout  # not one after the other, on however busy a machine
    scripted.behave = echo
    assert link.call("again") == b"again"


def test_a_slow_answer_holds_up_nobody_else(scripted: ScriptedServer) -> None:
    """A caller who comes meanwhile is patient for a moment, and goes alone then."""
    link = ServerClient.of(scripted.url, 10 * LIMIT)
    gate = Gate(scripted, link)
    asked = [at_once(link.call, f"r{number}") for number in range(MANY)]
    assert [outcome(one) for one in asked] == [b"r%d" % number for number in range(MANY)]
    assert not gate.slow.done()
    gate.open()
    assert outcome(gate.slow) == b"slow"


@pytest.mark.usefixtures("patient")
def test_a_slow_server_has_its_time_for_every_batch(scripted: ScriptedServer) -> None:
    """A batch that takes too long as a whole is as good as unanswered for those at its end."""
    link = ServerClient.of(scripted.url, 1.5)
    gate = Gate(scripted, link)
    begun, ended = list[str](), threading.Event()

    def behave(number: int, request: str) -> bytes:
        begun.append(request)
        if len(begun) > MANY // 2:
            ended.wait(LIMIT)
        return echo(number, request)

    asked = gate.ask(*[f"r{number}" for number in range(MANY)])
    gate.open(behave)
    got = [outcome(one) for one in asked]
    ended.set()
    assert len(begun) < MANY, "nobody waited until the server had come to the last one"
    assert 2 <= sum(one is not StoreUnavailable for one in got) < MANY
    assert all(one in (StoreUnavailable, b"r%d" % number) for number, one in enumerate(got))


@pytest.mark.usefixtures("patient")
def test_a_request_that_blocks_goes_alone(scripted: ScriptedServer) -> None:
    """A blocking request gets a connection of its own, so that no other request waits for it."""
    link = ServerClient.of(scripted.url, 5.0)
    hung = threading.Event()

    def behave(number: int, request: str) -> bytes | None:
        if not request.startswith("BLPOP"):
            return echo(number, request)
        hung.wait(LIMIT)
        return None

    scripted.behave = behave
    blocked = at_once(link.call, "BLPOP", "nothing", 0)
    until(lambda: scripted.requests)
    assert link.call("a") == b"a"
    hung.set()
    assert outcome(blocked) is StoreUnavailable


def test_a_forked_child_leaves_its_parents_batch_alone(gate: Gate, scripted: ScriptedServer) -> None:
    """It has neither the parent's connection nor its queue."""
    (asked,) = gate.ask("parent's")
    child = os.fork()
    if child == 0:
        os._exit(0 if waiting_after_a_fork(gate.link) == (b"child's", 0) else 1)
    until(lambda: os.waitpid(child, os.WNOHANG) == (child, 0))
    gate.open()
    assert outcome(asked) == b"parent's"
    assert scripted.requests.count("parent's") == 1


def waiting_after_a_fork(link: ServerClient) -> tuple[Any, int]:
    """The answer that a child gets, and the number of those who wait there."""
    return link.call("child's"), waiting(link)


def test_no_connection_for_a_batch(scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers are told in time that all are taken."""
    monkeypatch.setitem(vars(client), "CONNECTIONS", 1)
    link = ServerClient.of(scripted.url, 0.2)
    link._free.get()
    asked = [at_once(link.call, f"r{number}") for number in range(3)]
    assert [outcome(one) for one in asked] == [StoreUnavailable] * 3
    link._free.put(None)
    assert link.call("a") == b"a"


def test_nothing_to_ask_is_nothing_asked(scripted: ScriptedServer) -> None:
    """A call without requests asks for nothing, not even for a connection."""
    assert ServerClient.of(scripted.url, 1.0).calls([]) == []
    assert scripted.connections == 0


# --- Who gives up, or is killed -------------------------------------------------------------------------------------


class Killed(BaseException):
    """An error that nobody expects."""


def test_a_killed_leader_leaves_the_batch_to_another(gate: Gate) -> None:
    """Its connection is given up, with the answers that nobody has read from it."""
    exchange, killed = batcher(gate.link)._exchange, list[int]()

    def kill_once(batch: Any) -> Any:
        if killed:
            return exchange(batch)
        killed.append(len(batch))
        connection: Any = gate.link._idle[-1]
        connection._reader = Killing(connection._reader)
        return exchange(batch)

    batcher(gate.link)._exchange = kill_once
    asked = gate.ask("a", "b", "c")
    gate.open()
    assert [outcome(one) for one in asked] == [Killed, b"b", b"c"]
    assert killed == [3]
    assert gate.link.call("more") == b"more"


class Killing:
    """Reads one answer, then kills."""

    def __init__(self, reader: Any) -> None:
        self._reader, self._left = reader, 1

    def feed(self, data: bytes) -> None:
        self._reader.feed(data)

    def gets(self) -> Any:
        if not self._left:
            raise Killed
        reply = self._reader.gets()
        self._left -= reply is not MORE
        return reply
