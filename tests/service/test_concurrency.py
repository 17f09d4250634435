"""The limit of streams and long polls: for each address and each token, with nothing left behind."""

import ipaddress
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.engine.access import STRANGER, Caller
from events.errors import StoreUnavailable
from events.features.records.exports import SENDING
from events.runtime.settings import Settings
from events.warning_throttle import WarningThrottle
from service.http.admission.addresses import Addresses, Network
from service.http.admission.concurrency import EXPORTS, ConcurrencyLimits
from service.http.app import Service
from service.http.problems import Problem
from tests.service.conftest import NewService
from tests.service.table import FIRST_MOVE, Table, code_of, json_of
from tests.service.thinking import Worker
from tests.support.recording import AllThere

HERE = {"REMOTE_ADDR": "10.0.0.7"}
THERE = {"REMOTE_ADDR": "10.0.0.8"}
ELSEWHERE = {"REMOTE_ADDR": "10.0.0.9"}
SEAT = Caller("seat", seat=0, game_id="g")
OTHER_SEAT = Caller("seat", seat=1, game_id="g")
CLUB = Caller("app", app="club")
STREAM = {"Accept": "text/event-stream"}


def refused(enter: Callable[[], Any]) -> str:
    """The name of the limit."""
    with pytest.raises(Problem) as problem:
        enter()
    assert problem.value.code == "rate-limited"
    return str(problem.value.members["limit"]["name"])


ADDRESS, TOKEN = "streams-per-address", "streams-per-token"
ENTERING: dict[str, list[tuple[Caller, dict[str, str], str | None]]] = {
    "an address is limited, whatever tokens it has": [
        (SEAT, HERE, None), (OTHER_SEAT, HERE, None), (STRANGER, HERE, ADDRESS), (STRANGER, THERE, None),
    ],
    "a token is limited, wherever it comes from; a refusal counts nothing": [
        (SEAT, HERE, None), (SEAT, THERE, None), (SEAT, ELSEWHERE, TOKEN), (OTHER_SEAT, ELSEWHERE, None),
        (STRANGER, ELSEWHERE, None),
    ],
    "an app is counted by its key, and takes nothing from others at its address": [
        (CLUB, HERE, None), (CLUB, THERE, None), (CLUB, HERE, TOKEN), (STRANGER, HERE, None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("steps", ENTERING.values(), ids=ENTERING)
def test_two_may_be_open(steps: list[tuple[Caller, dict[str, str], str | None]]) -> None:
    """Two may be open of each address, and two of each token."""
    limits = ConcurrencyLimits(2)
    for caller, where, limit in steps:
        if limit is None:
            limits.enter(caller, where)
        else:
            assert refused(partial(limits.enter, caller, where)) == limit


def test_a_caller_that_goes_is_counted_once() -> None:
    """A caller that goes is counted down once, even if its end is told twice; in the end nothing is left."""
    limits = ConcurrencyLimits(2)
    leaves = [limits.enter(SEAT, HERE) for _ in range(2)]
    leaves[0]()
    leaves[0]()
    limits.enter(SEAT, HERE)
    assert refused(lambda: limits.enter(SEAT, HERE)) == "streams-per-address"


def test_nothing_is_left_behind() -> None:
    """Ten thousand callers who came and went at once leave nothing behind."""
    limits = ConcurrencyLimits(50)

    def come_and_go(number: int) -> None:
        limits.enter(SEAT if number % 2 else STRANGER, {"REMOTE_ADDR": f"10.0.{number % 7}.1"})()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(come_and_go, range(10_000)))
    assert len(limits) == 0


PROXY = "192.168.0.1"
WAYS = [
    ("10.0.0.7", "", "10.0.0.7"),
    ("10.0.0.7", "1.2.3.4", "10.0.0.7"),  # anybody can write that
    (PROXY, "1.2.3.4", "1.2.3.4"),
    (PROXY, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
    (PROXY, "6.6.6.6, 1.2.3.4, 192.168.0.2", "1.2.3.4"),
    (PROXY, "6.6.6.6, 1.2.3.4:5678 , 192.168.0.2:80", "1.2.3.4"),
    (PROXY, "1.2.3.4,,", "1.2.3.4"),
    (PROXY, '"1.2.3.4:_x"', "1.2.3.4"),
    (PROXY, "[::ffff:1.2.3.4]:5678", "1.2.3.4"),
    *(
        (PROXY, entry, "2001:db8:1:2::/64")
        for entry in (
            "2001:db8:1:2::5",
            "[2001:db8:1:2::5]",
            "[2001:db8:1:2::5]:443",
            '"[2001:db8:1:2::5]:443"',
        )
    ),
    (PROXY, "", PROXY),
    (PROXY, "192.168.0.2", "192.168.0.2"),
    ("::ffff:192.168.0.1", "1.2.3.4", "1.2.3.4"),
    ("::ffff:172.16.0.1", "1.2.3.4", "1.2.3.4"),
    ("::ffff:10.0.0.7", "", "10.0.0.7"),
    ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
    ("fe80::1%eth0", "", "fe80::/64"),
    ("", "", ""),
]
UNREADABLE = [
    (PROXY, "nonsense", PROXY),
    (PROXY, "unknown", PROXY),
    (PROXY, "_hidden, 192.168.0.2", "192.168.0.2"),
    (PROXY, "[1.2.3", PROXY),
    (PROXY, "1.2.3.4.example:80", PROXY),
]
NETWORKS = [ipaddress.ip_network(network) for network in ("192.168.0.0/16", "::ffff:172.16.0.0/108")]


def sent_by(peer: str, forwarded: str) -> dict[str, str]:
    """A request of the peer, with that X-Forwarded-For."""
    return {"REMOTE_ADDR": peer} | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})


def test_the_origin_of_a_request(caplog: pytest.LogCaptureFixture) -> None:
    """Only trusted proxies are believed; ports, brackets, quotes and zones belong to no address."""
    addresses = Addresses(NETWORKS, WarningThrottle(logging.getLogger("test")))
    for peer, forwarded, found in WAYS:
        assert addresses.of(sent_by(peer, forwarded)) == found, forwarded
    assert caplog.text == ""


def test_an_entry_that_is_no_address_counts_as_the_proxy(caplog: pytest.LogCaptureFixture) -> None:
    """It counts as the proxy, of which the operator hears, once a minute."""
    for peer, forwarded, found in UNREADABLE:
        caplog.clear()
        addresses = Addresses(NETWORKS, WarningThrottle(logging.getLogger("test")))
        for _ in range(100):
            assert addresses.of(sent_by(peer, forwarded)) == found
        (line,) = caplog.messages
        assert f"the trusted proxy {found} names in X-Forwarded-For what is no address, " in line
    caplog.clear()
    Addresses(NETWORKS, WarningThrottle(logging.getLogger("test"))).of(sent_by(PROXY, "x" * 4000))
    assert len(caplog.text) < 400


@pytest.mark.parametrize(
    ("networks", "environ", "told"),
    [
        (NETWORKS, sent_by(PROXY, ""), f"{PROXY} has reached a limit; it is a trusted proxy"),
        (NETWORKS, sent_by(PROXY, "unknown"), f"{PROXY} has reached a limit; it is a trusted proxy"),
        (NETWORKS, sent_by(PROXY, "1.2.3.4"), ""),
        ([], HERE, ""),
        *(
            ([], HERE | {header: "1.2.3.4"}, "10.0.0.7 has reached a limit; if it is a proxy, name it")
            for header in ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
        ),
    ],
)
def test_the_limit_of_a_proxy(
    networks: list[Network], environ: dict[str, str], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator hears that many may be counted as one, also of streams; nothing is said of other callers."""
    addresses = Addresses(networks, WarningThrottle(logging.getLogger("test")))
    limits = ConcurrencyLimits(1, addresses)
    limits.enter(STRANGER, environ)
    caplog.clear()
    assert refused(lambda: limits.enter(STRANGER, environ)) == "streams-per-address"
    assert (told in caplog.text) if told else ("reached a limit" not in caplog.text)


@pytest.fixture
def service(settings: Settings, application: Application, worker: Worker, new_service: NewService) -> Service:
    """A service where two may be open."""
    return new_service(replace(settings, streams_per_caller=2), application, AllThere(), worker.bot_questions)


@pytest.fixture
def client(service: Service) -> FlaskClient:
    """A caller of that service."""
    return service.test_client()


@pytest.fixture
def table(public: Table) -> Table:
    """A public game of two people."""
    return public


@pytest.fixture
def streams(table: Table) -> Iterator[list[TestResponse]]:
    """Two open streams."""
    opened = [table.get("/events", None, **STREAM) for _ in range(2)]
    assert [stream.status_code for stream in opened] == [200, 200]
    yield opened
    for stream in opened:
        stream.close()


def test_one_stream_too_many(table: Table, streams: list[TestResponse]) -> None:
    """An EventSource without a token is told when to come again: a 429 would be final for it. The rest goes on."""
    answer = table.get("/events", None, **STREAM)
    assert answer.status_code == 200
    seconds = answer.headers["Retry-After"]
    assert answer.data.decode() == f": rate-limited\nretry: {seconds}000\n\n"
    assert table.get("/events").status_code == 200
    assert table.get().status_code == 200
    assert table.move(0, FIRST_MOVE).status_code == 201
    streams[0].close()
    with closing(table.get("/events", None, **STREAM)) as another:
        assert another.status_code == 200


def test_long_polls_count_too(table: Table, streams: list[TestResponse]) -> None:
    """429 says which limit it is and when to come again. They are counted only while they wait."""
    for what in ("/events?after=2&wait=1", "?wait=1"):
        answer = table.get(what, None, If_None_Match='"2"')
        assert code_of(answer) == (429, "rate-limited")
        assert json_of(answer)["limit"] == {"name": "streams-per-address", "quota": 2}
        assert answer.headers["Retry-After"].isdigit()
    streams[0].close()
    for what in ("/events?after=2&wait=0", "?wait=0"):
        for _ in range(2):
            assert table.get(what, None, If_None_Match='"2"').status_code < 400


def test_one_that_ends_otherwise_is_counted_no_longer(table: Table, service: Service) -> None:
    """A HEAD, which nobody reads on; a stream that is read to its end; one that was never begun."""
    table.get("/events?after=2&wait=1")
    for _ in range(3):
        table.client.head(f"{table.path}/events", headers=STREAM).close()
    table.finish()
    for _ in range(3):
        with closing(table.get("/events", None, **STREAM)) as stream:
            assert stream.data.endswith(b"event: end\ndata: {}\n\n")
        table.get("/events", None, **STREAM).close()
    assert len(service.parts.concurrency) == 0


def test_exports_are_counted_apart(table: Table, service: Service) -> None:
    """A caller that does not read them leaves places to others, and may have some again once they have ended."""
    opened = [table.get("/export", None) for _ in range(EXPORTS)]
    assert [export.status_code for export in opened] == [200] * EXPORTS
    answer = table.get("/export", None)
    assert code_of(answer) == (429, "rate-limited")
    assert json_of(answer)["limit"] == {"name": "exports-per-address", "quota": EXPORTS}
    assert service.parts.use_cases.exports._sending._value > EXPORTS
    assert table.get("/events").status_code == 200
    for export in opened:
        export.close()
    with closing(table.get("/export", None)) as again:
        assert again.data.endswith(b"\n")
    assert len(service.parts.exports) == 0
    assert service.parts.use_cases.exports._sending._value == SENDING


def test_an_export_that_fails_is_counted_no_longer(
    table: Table, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that fails is counted no longer, however often that happens."""
    away = Mock(**{"read.side_effect": StoreUnavailable("gone")})
    monkeypatch.setattr(service.parts.use_cases.exports, "_store", away)
    for _ in range(EXPORTS + 1):
        assert code_of(table.get("/export")) == (503, "store-unavailable")
    assert len(service.parts.exports) == 0
