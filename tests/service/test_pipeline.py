"""The contract of the pipeline: both doors run every step, in its order, for every operation."""

import inspect
import re
import socket
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
from gunicorn.config import Config
from werkzeug.test import TestResponse

from events.runtime import metrics
from events.runtime.rates import Rate
from events.store.connections.client import ServerClient
from service.http.admission.addresses import Addresses
from service.http.admission.pace import Pace
from service.http.admission.preconditions import CHANGES
from service.http.admission.rates import Scale
from service.http.app import Service
from service.http.blueprint import Operation
from service.http.call import Call
from service.http.parts import Parts
from service.http.resources import BLUEPRINTS
from service.http.resources.housekeeping import housekeeping
from service.http.responses import lines_of
from service.http.routing.path_parameters import example_of
from service.http.routing.short_way import PATHS_KEPT, ShortWay
from service.http.server.plain_connection import PlainConnection
from service.http.server.plain_requests import PlainRequests
from tests.service.contract import HeldClient
from tests.service.table import FIRST_MOVE, Json, Table, code_of
from tests.service.test_origins import TABLE, Place, place
from tests.support.markdown import ROOT

__all__ = ["place"]

OPERATIONS = [operation for blueprint in BLUEPRINTS for operation in blueprint.operations]
ELSEWHERE = {"Origin": "https://elsewhere.example"}
ON_CONDITION = {"If-None-Match": "*"}
NO_HOST = {"Host": "<b>"}
QUOTA = ["RateLimit-Policy", "RateLimit"]
FOR_READERS = ["Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options"]
ONE_LESS = re.compile(r";r=\d+;t=\d+$")  # of RateLimit: the second of two requests is counted as well
NOTED = tuple[str, str, int, str]


@dataclass
class Door:
    """A service that is entered by one door alone; it keeps the lines of its access log."""

    service: Service
    noted: list[NOTED] = field(default_factory=list)

    def ask(self, method: str, path: str, **options: Any) -> TestResponse:
        """The answer; its request must have been logged once, completely, and counted by its route."""
        self.noted.clear()
        answer = self.service.test_client().open(path, method=method, **options)
        ((noted_method, route, status, lines),) = self.noted
        assert (noted_method, status) == (method, answer.status_code)
        assert lines == "".join([f"{name}: {value}\r\n" for name, value in answer.headers])
        assert (noted_method, route, str(status)) in metrics.REQUESTS._metrics
        return answer

    def route(self) -> str:
        """The route by which the last request was noted."""
        return self.noted[0][1]


def doors_to(parts: Parts) -> dict[str, Door]:
    """The short way, and Flask's router alone."""
    doors = {}
    for name in ("short way", "Flask"):
        noted = list[NOTED]()

        def note(
            call: Call, method: str, route: str, status: int, *, streams: bool, noted: Any = noted
        ) -> None:
            del streams
            noted.append((method, route, status, call.reply.lines))

        service = Service(replace(parts, access_log=note))
        service.test_client_class = HeldClient
        if name == "Flask":
            service.short_way = ShortWay(())
        doors[name] = Door(service, noted)
    return doors


@pytest.fixture
def doors(service: Service) -> dict[str, Door]:
    """Doors to a service that watches whose page asks."""
    return doors_to(service.parts)


@pytest.fixture
def slow_doors(service: Service) -> dict[str, Door]:
    """The same for callers who may ask once an hour."""
    pace = Pace(Rate(1, 3600), Scale(Addresses(), lambda: False))
    return doors_to(replace(service.parts, pace=pace))


TOKENS = (f"mg_{'x' * 22}_0_{number:043}" for number in count())


def headers_of(answer: TestResponse) -> list[tuple[str, str]]:
    """Its headers in their order, without the number of requests that are left."""
    return [(name, ONE_LESS.sub("", value)) for name, value in answer.headers]


def names_of(answer: TestResponse) -> list[str]:
    """The names of its headers, in their order."""
    return [name for name, _ in answer.headers]


def test_each_step_refuses_before_the_next(slow_doors: dict[str, Door], subtests: pytest.Subtests) -> None:
    """A request with all faults is refused for the first; without that one for the second, and so on."""
    for operation in OPERATIONS:
        with subtests.test(operation.endpoint):
            refuses_step_by_step(slow_doors, operation)


def refuses_step_by_step(slow_doors: dict[str, Door], operation: Operation) -> None:
    """AssertionError unless the operation does, by either door."""
    path, changes = example_of(operation.path), operation.method in CHANGES
    foreign = (412, "precondition-failed") if operation.foreign else (403, "foreign-origin")
    slow = foreign if operation in housekeeping.operations else (429, "rate-limited")
    for name, door in slow_doors.items():

        def refused(token: str, *faults: dict[str, str], door: Door = door) -> tuple[int, str]:
            headers = {"Authorization": f"Bearer {token}"}
            for fault in faults:
                headers |= fault
            return code_of(door.ask(operation.method, path, headers=headers))

        token = next(TOKENS)
        assert refused(token, NO_HOST, ELSEWHERE, ON_CONDITION) == (400, "bad-request"), name
        if changes or not operation.foreign:
            assert refused(token, ELSEWHERE, ON_CONDITION) == foreign, name
            assert refused(token, NO_HOST, ELSEWHERE, ON_CONDITION) == (400, "bad-request"), name
            assert refused(token, ELSEWHERE, ON_CONDITION) == slow, name
        if changes:
            assert refused(next(TOKENS), ON_CONDITION) == (412, "precondition-failed"), name


def test_every_answer_is_written_alike(
    doors: dict[str, Door], place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both doors to the last byte, whatever is asked for; a GET on a condition that fails is refused."""
    monkeypatch.setattr("service.http.documentation.pages.secrets.token_urlsafe", lambda _: "a-nonce")
    asked = set()
    doors["Flask"].ask("GET", "/v1/events")  # begins the log of the app, for both
    for row, (ask, *_) in TABLE.items():
        method, path, body = ask(place)
        options: Json = {} if body is None else {"json": body}
        status = 0
        for more in (
            ({}, {"If-Match": '"other"'}) if method == "GET" else ({"Authorization": "Bearer nobody"},)
        ):
            short, by_flask = (door.ask(method, path, headers=more, **options) for door in doors.values())
            asked.add((method, doors["Flask"].route()))
            assert short.status == by_flask.status, row
            if path != "/metrics":
                assert (headers_of(short), short.data) == (headers_of(by_flask), by_flask.data), row
            assert names_of(short)[-4:] == ["X-Request-Id", *FOR_READERS], row
            assert "Origin" in short.headers["Vary"]
            if row != "export":  # which comes in pieces
                assert short.headers["Content-Length"] == str(len(short.data)), row
            if "If-Match" in more:
                assert short.status_code == (412 if status == 200 else status), row
            status = short.status_code
            if short.mimetype == "application/problem+json" and "RateLimit" not in short.headers:
                written = ["Content-Length", "Vary", "X-Request-Id", *FOR_READERS]
                assert names_of(short)[-len(written) :] == written, row
    assert asked >= {(operation.method, operation.path) for operation in OPERATIONS}


def test_a_quota_is_written_after_what_the_answer_depends_on(doors: dict[str, Door]) -> None:
    """A refusal, too, says what is left of the limit that its request was counted for."""
    for door in doors.values():
        answer = door.ask("POST", "/v1/games", json={"game": 5})
        assert names_of(answer)[2:7] == ["Content-Length", "Vary", *QUOTA, "X-Request-Id"]


def test_no_condition_hides_that_nothing_is_there(doors: dict[str, Door]) -> None:
    """404 and 405 come before what a request demands of the thing that it would change."""
    for headers in (ON_CONDITION, {"If-Match": '"1"'}):
        for door in doors.values():
            client = door.service.test_client()
            assert code_of(client.post("/v1/games/a-b/moves", headers=headers)) == (404, "not-found")
            assert code_of(client.put("/v1/games", headers=headers)) == (405, "method-not-allowed")
            assert code_of(client.post("/learn", headers=headers)) == (405, "method-not-allowed")


def test_both_doors_find_the_same(service: Service) -> None:
    """For every operation, with its parameters; what the short way does not know is left to Flask."""
    flask = service.url_map.bind("localhost")
    for operation in OPERATIONS:
        path = example_of(operation.path)
        found = service.short_way.find({"REQUEST_METHOD": operation.method, "PATH_INFO": path})
        assert found is not None
        endpoint, parameters = flask.match(path, operation.method)
        assert (found.route.name, found.parameters) == (operation.path, parameters)
        assert endpoint.rpartition(".")[2] == operation.endpoint
        for environ in (
            {"REQUEST_METHOD": "HEAD"},
            {"REQUEST_METHOD": "OPTIONS"},
            {"HTTP_UPGRADE": "websocket"},
            {"PATH_INFO": f"{path}/"},
            {"PATH_INFO": f"/{path}"},
            {"PATH_INFO": f"{path}\n"},
        ):
            asked = {"REQUEST_METHOD": operation.method, "PATH_INFO": path} | environ
            assert service.short_way.find(asked) is None, asked


def test_the_short_way_forgets(service: Service) -> None:
    """Paths are remembered, but not without end."""
    for number in range(2 * PATHS_KEPT):
        assert (
            service.short_way.find({"REQUEST_METHOD": "GET", "PATH_INFO": f"/v1/games/{number}"}) is not None
        )
    assert len(service.short_way._found["GET"]) <= PATHS_KEPT


@dataclass
class Worker:
    """The part of gunicorn's worker that a connection needs."""

    wsgi: Service
    alive: bool = True
    nr: int = 0
    cfg: Config = field(default_factory=Config)


def on_the_wire(
    service: Service, path: str, headers: dict[str, str], *, alive: bool, body: bytes = b""
) -> bytes:
    """The bytes that a worker answers, without their date."""
    first = f"POST {path} HTTP/1.1\r\nContent-Length: {len(body)}" if body else f"GET {path} HTTP/1.1"
    request = f"{first}\r\nHost: localhost\r\n{lines_of(headers)}\r\n".encode() + body
    here, there = socket.socketpair()
    worker = Worker(service, alive)
    with here, there:
        here.sendall(request)
        here.shutdown(socket.SHUT_WR)
        addresses = ("127.0.0.1", 8000), ("127.0.0.1", 5555)
        requests = PlainRequests(worker.cfg)
        assert PlainConnection(worker, requests, addresses[0], there, there, addresses[1]).serve() is None
        there.shutdown(socket.SHUT_WR)
        return re.sub(rb"Date: [^\r]*\r\n", b"", here.makefile("rb").read())


@pytest.mark.parametrize("alive", [True, False])
def test_the_same_lines_are_sent(service: Service, table: Table, alive: bool) -> None:
    """By a worker on a plain connection as by the application under any server: one writer makes the head."""
    connection = "keep-alive" if alive else "close"
    table.move(0, {"type": "resign"})
    for path, more, status in (
        (table.path, {}, 200),
        (table.path, {"If-None-Match": "*"}, 304),
        (f"{table.path}/legal-moves", {}, 200),
        (f"{table.path}/events", {"Accept-Encoding": "gzip"}, 200),
        (f"{table.path}?version=x", {}, 422),
        ("/v1/games/unknown", {}, 403),
        ("/v1/bots", {}, 200),
        ("/nowhere", {}, 404),
        ("/", {}, 200),
    ):
        headers = table.bearer(0) | more | {"X-Request-Id": "the-same"}
        answer = service.test_client().get(path, headers={"Host": "localhost"} | headers)
        assert answer.status_code == status
        first = f"HTTP/1.1 {answer.status}\r\nServer: gunicorn\r\nConnection: {connection}\r\n"
        lines = lines_of({name: value for name, value in answer.headers if name != "Date"})
        sent = on_the_wire(service, path, headers, alive=alive)
        assert sent == f"{first}{lines}\r\n".encode() + answer.data, path


def test_no_header_is_smuggled_in() -> None:
    """A header whose value would take more than one line is refused, and never sent."""
    for value in ("a\r\nSet-Cookie: b", "a\nb", "a\rb"):
        with pytest.raises(ValueError, match="more than a line"):
            lines_of({"X-Said": value})


@pytest.mark.plain
def test_the_functions_of_a_move(service: Service, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the WSGI server to Redis a move passes those that the architecture page lists: ten at most."""
    passed, replies = list[tuple[str, str]](), ServerClient._replies

    def noted(link: ServerClient, call: Any, *, alone: bool) -> Any:
        if not passed:
            frames = [(Path(frame.filename), frame.function) for frame in reversed(inspect.stack()[1:])]
            names = [
                (file.relative_to(ROOT).as_posix(), name)
                for file, name in frames
                if file.is_relative_to(ROOT)
            ]
            server = [at for at, (file, _) in enumerate(names) if file.startswith("service/http/server/")]
            if server:  # and not a thread of a stream that another test has left
                passed.extend(names[server[-1] + 1 :])
        return replies(link, call, alone=alone)

    monkeypatch.setattr(ServerClient, "_replies", noted)
    headers = table.bearer(0) | {"Content-Type": "application/json"}
    sent = on_the_wire(service, f"{table.path}/moves", headers, alive=True, body=orjson.dumps(FIRST_MOVE))
    assert sent.startswith(b"HTTP/1.1 201")
    page = (ROOT / "docs/explanation/architecture.md").read_text()
    listed = re.findall(r"^\d+\. `([\w/]+\.py)` `(\w+)`:", page, re.MULTILINE)
    assert [*passed, ("events/store/connections/client.py", "_replies")] == listed
    assert len(listed) <= 10
